//! What the decisions of the host share.

use clap::Args;

use super::change::{Change, change, refuse_finished};
use super::{Error, Reply, Session};
use crate::log::{Action, Event, GameId};

/// The longest reason, in characters.
const LONGEST: usize = 200;

/// Why the host decides something.
#[derive(Debug, Clone, Args)]
pub(super) struct WithReason {
    /// Why, in a sentence for the players
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

impl WithReason {
    /// Returns the reason, which is one line; empty if there is none.
    pub(super) fn text(&self) -> Result<String, Error> {
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
pub(super) fn end(
    session: &mut Session,
    game: GameId,
    action: impl FnOnce(&Change) -> Result<Action, Error>,
) -> Result<Reply, Error> {
    change(session, game, false, |at, changed| {
        refuse_finished(game, at.names, changed)?;
        changed.apply(Event::by_host(action(at)?)).map_err(Error::refused)
    })
}
