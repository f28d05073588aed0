//! What a change of a game means for its tournament.

use crate::app::Error;
use crate::app::effects::changed::Changed;
use crate::app::effects::outbox::Outbox;
use outflank_model::StoredGame;

/// Makes `send` look at the tournament of a game that has ended or was annulled. Its table follows from its
/// games.
pub(crate) fn follow(outbox: &Outbox, changed: &Changed) -> Result<(), Error> {
    if changed.ended().is_none() && changed.annulled().is_none() {
        return Ok(());
    }
    match outbox.tx.tournament_of(changed.after.id)? {
        Some(tournament) => Ok(outbox.tx.wake_tournament(tournament)?),
        None => Ok(()),
    }
}

/// Refuses something in a game of a tournament. `what` completes "games are not ..." or the like.
pub(crate) fn refuse(stored: &StoredGame, what: &str) -> Result<(), Error> {
    match &stored.tournament {
        None => Ok(()),
        Some(it) => Err(Error::refused(format!(
            "game {} belongs to the tournament {}, in which {what}",
            stored.id, it.name
        ))),
    }
}
