use chrono::{DateTime, Utc};

use crate::store::InReplyTo;
use outflank_model::StoredGame;
use outflank_model::log::{Event, Game, Outcome};
use outflank_model::time_control::Clocks;
use outflank_rules::Color;

/// A change of a game that was stored in this transaction.
pub(crate) struct Changed<'a> {
    /// The game after the change.
    pub after: &'a StoredGame,
    /// The game before it; `None` for a game that begins.
    pub before: Option<&'a Game>,
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

/// The cause of a change, as its mails need it.
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
