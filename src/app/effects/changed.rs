use chrono::{DateTime, Utc};

use crate::store::InReplyTo;
use outflank_model::log::{Event, Game, GameId, Outcome};
use outflank_model::time_control::{Clocks, Terms};
use outflank_model::{Player, Side, StoredGame};
use outflank_rules::Color;

/// A game and its players.
#[derive(Clone, Copy)]
pub(crate) struct GamePlayers<'a> {
    pub id: GameId,
    pub black: &'a Side,
    pub white: &'a Side,
    pub game: &'a Game,
}

impl<'a> GamePlayers<'a> {
    /// Returns the game as it is stored.
    pub(crate) const fn of(stored: &'a StoredGame) -> Self {
        let StoredGame { id, black, white, game, .. } = stored;
        Self { id: *id, black, white, game }
    }

    /// Returns who plays this colour.
    pub(crate) const fn side(&self, color: Color) -> &'a Side {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// Returns the person of this colour; `None` for a computer player.
    pub(crate) fn player(&self, color: Color) -> Option<&'a Player> {
        self.side(color).person()
    }
}

/// A change of a game that was stored in this transaction.
pub(crate) struct Changed<'a> {
    /// The game after the change.
    pub after: GamePlayers<'a>,
    /// The game before it; `None` for a game that begins.
    pub before: Option<&'a Game>,
    /// Whether the result of the game counts for the players' ratings.
    pub rated: bool,
    /// Whether `play` began the game, so that nobody is mailed about it.
    pub local: bool,
    /// What the players have agreed on about time.
    pub terms: &'a Terms,
    /// The clocks after it.
    pub clocks: &'a Clocks,
    /// When it happened.
    pub at: DateTime<Utc>,
    pub origin: &'a Origin<'a>,
}

impl<'a> Changed<'a> {
    /// Returns the events of the change.
    pub(crate) fn events(&self) -> &'a [Event] {
        &self.after.game.events()[self.before.map_or(0, |before| before.events().len())..]
    }

    /// Returns the outcome of the game if the change has ended it.
    pub(crate) fn ended(&self) -> Option<Outcome> {
        let was_active = self.before.is_none_or(|before| before.outcome().is_none());
        self.after.game.outcome().filter(|_| was_active)
    }

    /// Returns the outcome that the game had before the change, if the change has annulled it after its
    /// end.
    pub(crate) fn annulled(&self) -> Option<Outcome> {
        let before = self.before.filter(|before| before.counts())?;
        before.outcome().filter(|_| !self.after.game.counts())
    }
}

/// Who has caused a change, and what its mails must know.
#[derive(Default)]
pub(crate) struct Origin<'a> {
    /// The colour of the player who acted; `None` for the host and the clock.
    pub own: Option<Color>,
    /// Whether the player who moved wants a receipt of this move.
    pub receipt: bool,
    /// What the owners of plans are notified of.
    pub planned: Vec<(Color, String)>,
    /// The mail that contained the command.
    pub mail: Option<InReplyTo<'a>>,
}
