//! What `annul`, `forfeit` and `extend` share.

use clap::Args;

use crate::app::effects::change::{Change, change, refuse_finished};
use crate::app::{Error, Reply, Session, find};
use outflank_model::log::{Action, Event, GameId};

/// The most characters of a reason.
const MAX_REASON_CHARACTERS: usize = 200;

/// The host's reason for a decision.
#[derive(Debug, Clone, Args)]
pub(crate) struct WithReason {
    /// Why, in a sentence for the players
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

impl WithReason {
    /// Returns the reason, which must be one line; empty without one.
    pub(crate) fn text(&self) -> Result<String, Error> {
        let reason = self.reason.trim();
        if reason.chars().any(char::is_control) {
            return Err(Error::refused("the reason has several lines; write it in one"));
        }
        if reason.chars().count() > MAX_REASON_CHARACTERS {
            return Err(Error::refused(format!(
                "the reason is longer than {MAX_REASON_CHARACTERS} characters"
            )));
        }
        Ok(reason.to_owned())
    }
}

/// Ends a game by a decision of the host, who can annul one that is over, too.
pub(crate) fn end(
    session: &mut Session,
    game: GameId,
    action: impl FnOnce(&Change) -> Result<Action, Error>,
) -> Result<Reply, Error> {
    change(session, game, false, |change| {
        find::refuse_imported(change.stored)?;
        let (action, before) = (action(change)?, &change.stored.game);
        if !(matches!(action, Action::Annul { .. }) && before.counts()) {
            refuse_finished(game, change.names, before)?;
        }
        change.decide(Event::by_host(action))
    })
}
