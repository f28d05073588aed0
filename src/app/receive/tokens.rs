//! The reply tokens in a mail, and the contents of the mail that it answers.

use chrono::{DateTime, Utc};

use crate::app::access::tokens::{self, Valid};
use crate::app::effects::outbox::MAX_DIGEST_BOARDS;
use crate::app::receive::inbound::Envelope;
use crate::app::{Error, Known, find};
use crate::mail::read::InboundMessage;
use crate::mail::token::{Claims, Purpose, Token};
use crate::store::{Db, MailId};
use outflank_model::log::GameId;
use outflank_model::{Moment, Player};

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
        let given: Vec<_> =
            [&envelope.recipient, &envelope.extension].into_iter().flatten().cloned().collect();
        let find = |place: &str| Token::find_all(place, MAX_TOKENS_PER_PLACE);
        let (recipients, references) = (message.recipients.join(" "), message.references.join(" "));
        Self {
            addressed: [given.join(" "), recipients].map(|place| find(&place)),
            written: [&references, message.subject.as_str(), message.body.whole()].map(find),
        }
    }

    /// Returns whether the mail came to an address with a token, valid or not.
    pub(crate) fn has_addressed(&self) -> bool {
        self.addressed.iter().any(|tokens| !tokens.is_empty())
    }

    /// Returns the first token of a mail that is replied to, valid or not, those of the addresses first.
    pub(crate) fn first_of_replies(&self) -> Option<&Token> {
        self.addressed.iter().chain(&self.written).flatten().find(is_of_replies)
    }

    /// Returns the reply token: the first valid one, those of the addresses first. If no address has one and
    /// the others are for several games, as in the reply to a digest, it is for no game.
    pub(crate) fn reply_token(&self, db: &Db) -> Result<Option<Valid>, Error> {
        let valid = |places: &[Vec<Token>]| {
            tokens::first_valid(db, places.iter().flatten().filter(is_of_replies))
        };
        if let Some(token) = valid(&self.addressed)? {
            return Ok(Some(token));
        }
        let Some(token) = valid(&self.written)? else { return Ok(None) };
        // A Message-ID is older than what its mail asks; the text says it.
        let [.., text] = &self.written;
        let asking = Claims { asks: true, ..token.claims };
        let asking = tokens::first_valid(db, text.iter().filter(|it| *it.claims() == asking))?;
        let token = asking.unwrap_or(token);
        let first = token.claims;
        if first.purpose != Purpose::Play || first.number == 0 {
            return Ok(Some(token));
        }
        let is_elsewhere = |token: &&Token| {
            let other = token.claims();
            other.purpose == Purpose::Play
                && other.player == first.player
                && ![0, first.number].contains(&other.number)
        };
        let elsewhere = self.written.iter().flatten().filter(is_elsewhere);
        Ok(Some(match tokens::first_valid(db, elsewhere)? {
            Some(other) => Valid {
                claims: Claims { number: 0, event: 0, known: None, asks: false, ..first },
                is_of_history: token.is_of_history && other.is_of_history,
            },
            None => token,
        }))
    }

    /// Returns the token of a question of `doctor`, wherever the mail has it.
    pub(crate) fn probe_token(&self, db: &Db) -> Result<Option<Valid>, Error> {
        let is_probe = |token: &&Token| token.claims().purpose == Purpose::Probe;
        let places = self.addressed.iter().chain(&self.written);
        tokens::first_valid(db, places.flatten().filter(is_probe))
    }

    /// Returns the token in the return path of one of our mails, if the mail came to such an address.
    pub(crate) fn bounce_token(&self, db: &Db) -> Result<Option<Valid>, Error> {
        let is_bounce = |token: &&Token| token.claims().purpose == Purpose::Bounce;
        tokens::first_valid(db, self.addressed.iter().flatten().filter(is_bounce))
    }
}

/// Returns whether a token is one of a mail that is replied to.
fn is_of_replies(token: &&Token) -> bool {
    token.claims().purpose.is_of_replies()
}

/// The contents of the mail that a mail answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RepliedTo {
    /// The position of its game, if it was about one that the player plays or watches. That of a challenge
    /// is the start.
    pub at: Option<Moment>,
    /// What it knew of this game or, if it was about none, of all games. `None` if this is unknown.
    pub known: Option<Known>,
    /// The positions that it drew, if it was a digest. There are none when its record was deleted.
    pub drawn: Option<Vec<Moment>>,
}

impl RepliedTo {
    /// Returns the contents of the mail with this token, as it showed them to a player.
    pub(crate) fn find(db: &Db, player: &Player, token: Option<&Claims>) -> Result<Self, Error> {
        let Some(&Claims { purpose, number, known, .. }) = token else {
            return Ok(Self::default());
        };
        let made_at = || DateTime::from_timestamp(i64::try_from(known?).ok()?, 0);
        Ok(match purpose {
            Purpose::Play if number > 0 => {
                let at = position_of(db, player, token)?;
                let events = at.and(known).and_then(|events| usize::try_from(events).ok());
                Self { at, known: events.map(Known::Events), drawn: None }
            }
            Purpose::Play => Self { known: made_at().map(Known::Before), ..Self::default() },
            Purpose::Digest => {
                let Some(made_at) = made_at() else { return Ok(Self::default()) };
                let drawn = drawn(db, MailId(number), player, made_at)?;
                Self { at: None, known: Some(Known::Before(made_at)), drawn: Some(drawn) }
            }
            Purpose::Watch => Self { at: watched(db, player, GameId(number))?, ..Self::default() },
            // A move in the reply is for the start of the game, if that has begun.
            Purpose::Challenge => {
                let at = Moment { game: GameId(number), ply: 0, events: 0 };
                Self { at: Some(at), known: Some(Known::Challenge), drawn: None }
            }
            Purpose::Unsubscribe
            | Purpose::StopDigests
            | Purpose::StopReminders
            | Purpose::StopLetters
            | Purpose::Bounce
            | Purpose::Confirm
            | Purpose::Join
            | Purpose::Host
            | Purpose::Page
            | Purpose::Board
            | Purpose::Desk
            | Purpose::Calendar
            | Purpose::Probe => Self::default(),
        })
    }

    /// Returns the position of a game that it showed.
    pub(crate) fn position(&self, game: GameId) -> Option<Moment> {
        self.at.iter().chain(self.drawn.iter().flatten()).find(|at| at.game == game).copied()
    }
}

/// Returns the positions that this digest drew, which was made for a player at this time.
fn drawn(
    db: &Db,
    digest: MailId,
    player: &Player,
    made_at: DateTime<Utc>,
) -> Result<Vec<Moment>, Error> {
    let mut drawn = Vec::new();
    let games = db.games_of_digest(digest, player.id, made_at)?;
    for Moment { game, events, .. } in games.into_iter().take(MAX_DIGEST_BOARDS) {
        // A restored backup may not have the position.
        let then = find::game(db, game)?.game.after(events);
        drawn.extend(then.map(|then| Moment::of_position(game, &then)));
    }
    Ok(drawn)
}

/// Returns the present position of a game that a player may have watched.
fn watched(db: &Db, player: &Player, game: GameId) -> Result<Option<Moment>, Error> {
    let Some(stored) = db.game(game)? else { return Ok(None) };
    let is_own = stored.color_of(player.id).is_some();
    Ok((!is_own).then(|| Moment::of_position(game, &stored.game)))
}

/// Returns the position that a token refers to, if it is one of a game of this player.
pub(crate) fn position_of(
    db: &Db,
    player: &Player,
    token: Option<&Claims>,
) -> Result<Option<Moment>, Error> {
    let Some(&Claims { number, event, .. }) =
        token.filter(|token| token.purpose == Purpose::Play && token.number > 0)
    else {
        return Ok(None);
    };
    let game = GameId(number);
    if db.moment(game, player.id)?.is_none() {
        return Ok(None);
    }
    let stored = find::game(db, game)?.game;
    let ply = stored.plies().iter().take_while(|ply| ply.event <= event).count();
    Ok(Some(Moment { game, ply, events: event }))
}
