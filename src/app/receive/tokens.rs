//! The reply tokens in a mail, and the positions that they refer to.

use crate::app::receive::inbound::Envelope;
use crate::app::{Error, find, tokens};
use crate::log::{Game, GameId};
use crate::mail::read::{Body, InboundMessage};
use crate::mail::token::{Claims, Purpose, Token};
use crate::store::{Db, Moment, Player};

/// The most tokens that are verified in one place of a mail.
const MAX_TOKENS_PER_PLACE: usize = 20;

/// The tokens in a mail, valid or not.
pub(crate) struct FoundTokens {
    /// Those in the addresses that it came to, by its envelope and by its header.
    addressed: [Vec<Token>; 2],
    /// Those in its references, its subject and its text, quoted or not.
    written: [Vec<Token>; 3],
}

impl FoundTokens {
    /// Finds the tokens in a mail.
    pub(crate) fn find(envelope: &Envelope, message: &InboundMessage) -> Self {
        let text = match &message.body {
            Body::Lines { whole, .. } => whole.as_str(),
            _ => "",
        };
        let given: Vec<_> =
            [&envelope.recipient, &envelope.extension].into_iter().flatten().cloned().collect();
        let find = |place: &str| Token::find_all(place, MAX_TOKENS_PER_PLACE);
        let (recipients, references) = (message.recipients.join(" "), message.references.join(" "));
        Self {
            addressed: [given.join(" "), recipients].map(|place| find(&place)),
            written: [&references, &message.subject, text].map(find),
        }
    }

    /// Returns whether the mail came to an address with a token, valid or not.
    pub(crate) fn has_addressed(&self) -> bool {
        self.addressed.iter().any(|tokens| !tokens.is_empty())
    }

    /// Returns the claims of the reply token: the first valid one, those of the addresses first.
    /// If no address has one and the others are for several games, as in the reply to a digest, it
    /// is for no game.
    pub(crate) fn reply_token(&self, db: &Db) -> Result<Option<Claims>, Error> {
        let is_wanted = |token: &&Token| token.claims().purpose != Purpose::Bounce;
        let valid = |places: &[Vec<Token>]| {
            tokens::first_valid(db, places.iter().flatten().filter(is_wanted))
        };
        if let Some(claims) = valid(&self.addressed)? {
            return Ok(Some(claims));
        }
        let Some(first) = valid(&self.written)? else { return Ok(None) };
        if !is_for_moves(first.purpose) || first.number == 0 {
            return Ok(Some(first));
        }
        let is_elsewhere = |token: &&Token| {
            let other = token.claims();
            is_for_moves(other.purpose)
                && other.player == first.player
                && ![0, first.number].contains(&other.number)
        };
        let elsewhere = self.written.iter().flatten().filter(is_elsewhere);
        Ok(Some(match tokens::first_valid(db, elsewhere)? {
            Some(_) => Claims { number: 0, event: 0, ..first },
            None => first,
        }))
    }

    /// Returns the claims of the token in the return path of one of our mails, if the mail came to
    /// such an address.
    pub(crate) fn bounce_token(&self, db: &Db) -> Result<Option<Claims>, Error> {
        let is_bounce = |token: &&Token| token.claims().purpose == Purpose::Bounce;
        Ok(tokens::first_valid(db, self.addressed.iter().flatten().filter(is_bounce))?)
    }
}

fn is_for_moves(purpose: Purpose) -> bool {
    [Purpose::Play, Purpose::PlayAfterPly].contains(&purpose)
}

/// Returns the position that a token refers to, if it is one of a game of this player.
pub(crate) fn position_of(
    db: &Db,
    player: &Player,
    token: Option<&Claims>,
) -> Result<Option<Moment>, Error> {
    let Some(&Claims { purpose, number, event, .. }) =
        token.filter(|token| is_for_moves(token.purpose) && token.number > 0)
    else {
        return Ok(None);
    };
    let game = GameId(number);
    if db.moment(game, player.id)?.is_none() {
        return Ok(None);
    }
    let stored = find::game(db, game)?.game;
    let (ply, events) = match purpose {
        Purpose::PlayAfterPly => (event, event_of(&stored, event)),
        _ => (stored.plies().iter().take_while(|ply| ply.event <= event).count(), event),
    };
    Ok(Some(Moment { game, ply, events }))
}

/// Returns the number of the event that made this move. After a takeback it is 0, which is no
/// position of the game any more.
fn event_of(game: &Game, ply: usize) -> usize {
    let made = ply.checked_sub(1).and_then(|before| game.plies().get(before));
    made.filter(|_| game.taken_back().is_empty()).map_or(0, |made| made.event)
}
