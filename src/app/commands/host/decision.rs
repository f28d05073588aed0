//! What the decisions of the host share.

use clap::Args;

use crate::app::effects::change::Change;
use crate::app::effects::change::change;
use crate::app::effects::change::refuse_finished;
use crate::app::{Error, Reply, Session};
use crate::log::{Action, Event, GameId};

/// The longest reason, in characters.
const LONGEST: usize = 200;

/// Why the host decides something.
#[derive(Debug, Clone, Args)]
pub(crate) struct WithReason {
    /// Why, in a sentence for the players
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

impl WithReason {
    /// Returns the reason, which is one line; empty if there is none.
    pub(crate) fn text(&self) -> Result<String, Error> {
        let reason = self.reason.trim();
        if reason.chars().any(char::is_control) {
            return Err(Error::refused("the reason has several lines; write it in one"));
        }
        if reason.chars().count() > LONGEST {
            return Err(Error::refused(format!("the reason is longer than {LONGEST} characters")));
        }
        Ok(reason.to_owned())
    }
}

/// Ends a game by a decision of the host.
pub(crate) fn end(
    session: &mut Session,
    game: GameId,
    action: impl FnOnce(&Change) -> Result<Action, Error>,
) -> Result<Reply, Error> {
    change(session, game, false, |at, changed| {
        refuse_finished(game, at.names, changed)?;
        changed.apply(Event::by_host(action(at)?)).map_err(Error::refused)
    })
}
