//! Who wrote a mail, and whether that is certain.

use crate::app::receive::Envelope;
use crate::app::{Env, Error, tokens};
use crate::mail::read::{Body, InboundMessage};
use crate::mail::token::{Claims, Purpose, Token};
use crate::store::{Db, Player, PlayerId};

/// The result of checking a mail's sender.
pub(crate) enum SenderCheck {
    /// Certainly this player.
    Trusted(Player),
    /// The address of this player, without proof.
    Unverified(Player),
    /// A reply token of this player, from another address.
    Mismatch(Player),
    /// Not a player.
    Unknown,
}

/// The most tokens that are verified in one place.
const MOST_TOKENS: usize = 20;

/// Returns the claims of a mail's reply token: the first valid one in its envelope, recipients,
/// references, subject and text, quoted or not. Where no address has one and the others are for
/// several games, as in the reply to a digest, it is for no game.
pub(crate) fn reply_token(
    db: &Db,
    envelope: &Envelope,
    message: &InboundMessage,
) -> Result<Option<Claims>, Error> {
    let whole = match &message.body {
        Body::Lines { whole, .. } => whole.as_str(),
        _ => "",
    };
    let written = [message.references.join(" "), message.subject.clone(), whole.to_owned()];
    let is_wanted = |purpose| purpose != Purpose::Bounce;
    if let Some(claims) = first_valid(db, addresses(envelope, message), is_wanted)? {
        return Ok(Some(claims));
    }
    let Some(first) = first_valid(db, written.clone(), is_wanted)? else { return Ok(None) };
    if !is_for_moves(first.purpose) || first.number == 0 {
        return Ok(Some(first));
    }
    for token in written.iter().flat_map(|place| Token::find_all(place, MOST_TOKENS)) {
        let other = *token.claims();
        let is_elsewhere = is_for_moves(other.purpose)
            && other.player == first.player
            && ![0, first.number].contains(&other.number);
        if is_elsewhere && tokens::first_valid(db, &[token])?.is_some() {
            return Ok(Some(Claims { number: 0, event: 0, ..first }));
        }
    }
    Ok(Some(first))
}

fn is_for_moves(purpose: Purpose) -> bool {
    [Purpose::Play, Purpose::PlayAfterPly].contains(&purpose)
}

/// Returns the claims of the token in the return path of one of our mails, if the mail came to
/// such an address.
pub(crate) fn bounce_token(
    db: &Db,
    envelope: &Envelope,
    message: &InboundMessage,
) -> Result<Option<Claims>, Error> {
    first_valid(db, addresses(envelope, message), |purpose| purpose == Purpose::Bounce)
}

fn first_valid(
    db: &Db,
    places: impl IntoIterator<Item = String>,
    is_wanted: impl Fn(Purpose) -> bool,
) -> Result<Option<Claims>, Error> {
    for place in places {
        let mut found = Token::find_all(&place, MOST_TOKENS);
        found.retain(|token| is_wanted(token.claims().purpose));
        if let Some(claims) = tokens::first_valid(db, &found)? {
            return Ok(Some(claims));
        }
    }
    Ok(None)
}

/// Returns whether a mail came to an address with a token, valid or not.
pub(crate) fn has_token(envelope: &Envelope, message: &InboundMessage) -> bool {
    addresses(envelope, message).iter().any(|place| !Token::find_all(place, 1).is_empty())
}

/// Returns the addresses that a mail came to, by its envelope and by its header.
fn addresses(envelope: &Envelope, message: &InboundMessage) -> [String; 2] {
    let given: Vec<_> =
        [&envelope.recipient, &envelope.extension].into_iter().flatten().cloned().collect();
    [given.join(" "), message.recipients.join(" ")]
}

/// Checks who wrote a mail from this address with this token.
pub(crate) fn check(
    env: &Env,
    db: &Db,
    message: &InboundMessage,
    from: &str,
    token: Option<Claims>,
) -> Result<SenderCheck, Error> {
    let receive = &env.config.receive;
    if let Some(id) = token.and_then(|claims| claims.player) {
        let owner = db.player(PlayerId(id))?;
        let is_own = owner.address.eq_ignore_ascii_case(from);
        return Ok(if is_own || receive.token_only {
            SenderCheck::Trusted(owner)
        } else {
            SenderCheck::Mismatch(owner)
        });
    }
    let Some(player) = db.player_at(from)? else { return Ok(SenderCheck::Unknown) };
    let is_authenticated = receive
        .authserv_id
        .as_ref()
        .is_some_and(|server| message.authentication.confirms(server, from));
    Ok(if is_authenticated {
        SenderCheck::Trusted(player)
    } else {
        SenderCheck::Unverified(player)
    })
}
