//! Who wrote a mail, and how far that is believed.

use super::super::{App, Error, codes};
use super::Envelope;
use crate::mail::read::{Body, InboundMessage};
use crate::mail::token::{Claims, Purpose, Token};
use crate::store::{Db, Player, PlayerId};

/// Who wrote a mail.
pub(super) enum Standing {
    /// This player, beyond doubt.
    Player(Player),
    /// Somebody who says to be this player.
    Claimed(Player),
    /// Somebody with a code of this player, from another address.
    Imposter(Player),
    /// Somebody who does not play here.
    Stranger,
}

/// So many codes are looked at in one place.
const MOST_CODES: usize = 20;

/// The code that a mail bears: the first genuine one of its envelope, its recipients, the mails
/// that it refers to, its subject and its text, quoted or not.
pub(super) fn code(
    db: &Db,
    envelope: &Envelope,
    incoming: &InboundMessage,
) -> Result<Option<Claims>, Error> {
    let whole = match &incoming.body {
        Body::Lines { whole, .. } => whole.as_str(),
        _ => "",
    };
    let written = [incoming.references.join(" "), incoming.subject.clone(), whole.to_owned()];
    let places = addresses(envelope, incoming).into_iter().chain(written);
    first(db, places, |purpose| purpose != Purpose::Bounce)
}

/// The code of the return path of one of our mails, if that is where a mail came to.
pub(super) fn bounce_code(
    db: &Db,
    envelope: &Envelope,
    incoming: &InboundMessage,
) -> Result<Option<Claims>, Error> {
    first(db, addresses(envelope, incoming), |purpose| purpose == Purpose::Bounce)
}

/// The first genuine code in these places that is for such a purpose.
fn first(
    db: &Db,
    places: impl IntoIterator<Item = String>,
    is_meant: impl Fn(Purpose) -> bool,
) -> Result<Option<Claims>, Error> {
    for place in places {
        let mut codes = Token::within(&place, MOST_CODES);
        codes.retain(|code| is_meant(code.claims().purpose));
        if let Some(claims) = codes::genuine(db, &codes)? {
            return Ok(Some(claims));
        }
    }
    Ok(None)
}

/// Whether a mail came to an address with a code, genuine or not.
pub(super) fn has_code(envelope: &Envelope, incoming: &InboundMessage) -> bool {
    addresses(envelope, incoming).iter().any(|place| !Token::within(place, 1).is_empty())
}

/// What a mail came to: by its envelope, and by its header.
fn addresses(envelope: &Envelope, incoming: &InboundMessage) -> [String; 2] {
    let handed: Vec<_> =
        [&envelope.recipient, &envelope.extension].into_iter().flatten().cloned().collect();
    [handed.join(" "), incoming.recipients.join(" ")]
}

impl App {
    /// Who has written from this address.
    pub(super) fn standing(
        &self,
        db: &Db,
        incoming: &InboundMessage,
        from: &str,
        code: Option<Claims>,
    ) -> Result<Standing, Error> {
        let receive = &self.config.receive;
        if let Some(id) = code.and_then(|claims| claims.player) {
            let owner = db.player(PlayerId(id))?;
            let own = owner.address.eq_ignore_ascii_case(from);
            let believed = own || receive.token_only;
            return Ok(if believed { Standing::Player(owner) } else { Standing::Imposter(owner) });
        }
        let Some(player) = db.player_at(from)? else { return Ok(Standing::Stranger) };
        let vouched = receive
            .authserv_id
            .as_ref()
            .is_some_and(|server| incoming.authentication.vouches(server, from));
        Ok(if vouched { Standing::Player(player) } else { Standing::Claimed(player) })
    }
}
