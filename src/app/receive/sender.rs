//! Who wrote a mail, and whether that is certain.

use crate::app::receive::read::ParsedMail;
use crate::app::{Env, Error};
use crate::mail::token::{Claims, Purpose};
use crate::store::{Db, MailId};
use outflank_model::{Player, PlayerId};

/// The result of checking a mail's sender.
pub(crate) enum SenderCheck {
    /// Certainly this player.
    Trusted(Player),
    /// The address of this player, without proof.
    Unverified(Player),
    /// A reply token of this player, from another address.
    Mismatch(Player),
    /// Not a player.
    Unknown {
        /// Whether the mail certainly came from its address.
        is_authenticated: bool,
    },
}

impl SenderCheck {
    /// Returns the owner of the address or of the reply token.
    pub(crate) const fn player(&self) -> Option<PlayerId> {
        match self {
            Self::Trusted(player) | Self::Unverified(player) | Self::Mismatch(player) => {
                Some(player.id)
            }
            Self::Unknown { .. } => None,
        }
    }
}

/// Checks the sender of a mail with this token.
pub(crate) fn check(
    env: &Env,
    db: &Db,
    mail: &ParsedMail,
    token: Option<&Claims>,
) -> Result<SenderCheck, Error> {
    let (receive, from) = (&env.config.receive, mail.author());
    if let Some(id) = token.and_then(|claims| claims.player) {
        let owner = db.player(PlayerId(id))?;
        let is_own = owner.is_at(from);
        return Ok(if is_own || receive.token_only {
            SenderCheck::Trusted(owner)
        } else {
            SenderCheck::Mismatch(owner)
        });
    }
    let is_authenticated = receive
        .authserv_id
        .as_ref()
        .is_some_and(|server| mail.message.authentication.confirms(server, from));
    let Some(player) = db.player_at(from)? else {
        let is_authenticated = is_authenticated || answers_our_mail(db, token, from)?;
        return Ok(SenderCheck::Unknown { is_authenticated });
    };
    Ok(if is_authenticated {
        SenderCheck::Trusted(player)
    } else {
        SenderCheck::Unverified(player)
    })
}

/// Returns whether a token was sent to this address, which is not signed up.
fn answers_our_mail(db: &Db, token: Option<&Claims>, from: &str) -> Result<bool, Error> {
    let Some(token) = token.filter(|token| token.purpose == Purpose::Join) else {
        return Ok(false);
    };
    let mail = db.outbox_entry(MailId(token.number))?;
    let address = mail.and_then(|mail| mail.address);
    Ok(address.is_some_and(|address| address.eq_ignore_ascii_case(from)))
}
