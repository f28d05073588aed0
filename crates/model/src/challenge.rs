use chrono::{DateTime, TimeDelta, Utc};

use crate::bot::Bot;
use crate::log::{Game, GameId};
use crate::words;
use crate::{Agreement, Player};
use outflank_rules::Color;

/// Who is challenged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Challenged {
    /// This player.
    Player(Box<Player>),
    /// Any player.
    Anyone,
    /// A computer player, which accepts at once.
    Bot(Bot),
}

/// A stored challenge.
#[derive(Debug, Clone)]
pub struct StoredChallenge {
    /// Its number, and that of its game.
    pub id: GameId,
    /// Who challenges.
    pub challenger: Player,
    /// Who is challenged.
    pub to: Challenged,
    /// What the players would agree on.
    pub agreement: Agreement,
    /// The game, with the moves that are made already.
    pub game: Game,
    /// The challenger's colour; `None` if it is random.
    pub color: Option<Color>,
    /// The Message-ID, without angle brackets, that all its mails refer to.
    pub thread: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// What became of it.
    pub state: ChallengeState,
}

words! {
    /// What became of a challenge.
    ChallengeState {
        /// It waits for an answer.
        Open = "open",
        /// Its game has begun.
        Accepted = "accepted",
        /// The player who was challenged has declined it.
        Declined = "declined",
        /// The challenger has withdrawn it.
        Withdrawn = "withdrawn",
        /// Nobody answered in time.
        Expired = "expired",
    }
}

impl StoredChallenge {
    /// How long a challenge can be accepted.
    pub const OPEN_FOR: TimeDelta = TimeDelta::days(14);

    /// Returns when it expires.
    pub fn until(&self) -> DateTime<Utc> {
        self.created_at + Self::OPEN_FOR
    }

    /// Returns whether it can be answered.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.state == ChallengeState::Open && now < self.until()
    }

    /// Returns whether the game begins in a position other than the one of the rules.
    pub fn has_own_start(&self) -> bool {
        self.agreement.custom_start || !self.game.plies().is_empty()
    }
}
