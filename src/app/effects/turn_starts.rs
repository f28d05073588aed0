//! When the clock of the turn that a change has begun starts: this depends on who moved, and on the grace.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::Error;
use crate::store::Tx;
use outflank_model::log::{Event, Game};
use outflank_model::time_control::{TurnStarts, turn_start};
use outflank_model::{Player, StoredGame};
use outflank_rules::Color;

/// Returns when the clock of the first turn of a game starts, if not with the game.
pub(crate) fn of_new(new: &StoredGame, now: DateTime<Utc>) -> TurnStarts {
    let to_move = new.game.turn().and_then(|turn| new.player(turn));
    let start = to_move.and_then(|to_move| later(now, TimeDelta::zero(), to_move));
    start.map(|start| (new.game.position_event(), start)).into_iter().collect()
}

/// Adds the clock start of the turn that the last change of the position has begun, if it is later
/// than now. `own` is the player who acted; `None` for the host.
pub(crate) fn add(stored: &mut StoredGame, game: &Game, own: Option<Color>, now: DateTime<Utc>) {
    let Some(turn) = game.turn() else { return };
    // No clock runs on the turn of a computer player.
    let Some(to_move) = stored.player(turn) else { return };
    let events = game.events().get(stored.game.events().len()..).unwrap_or_default();
    let is_move_of_opponent = |event: &Event| {
        event.by == Some(!turn) && matches!(event.action.as_move(), Some((_, true)))
    };
    let grace = if game.taken_back().len() > stored.game.taken_back().len() {
        // After a free takeback it is the turn of the player who acted.
        (own != Some(turn)).then(TimeDelta::zero)
    } else if events.iter().any(is_move_of_opponent) {
        Some(stored.player(!turn).map_or_else(TimeDelta::zero, |it| it.preferences.grace.span()))
    } else {
        // After an automatic pass it is the turn of the player who moved.
        None
    };
    let start = grace.and_then(|grace| later(now, grace, to_move));
    stored.turn_starts.extend(start.map(|start| (game.position_event(), start)));
}

/// Stores when the clock of the present turn starts, if that is known.
pub(crate) fn save(tx: &Tx, stored: &StoredGame) -> Result<(), Error> {
    let event = stored.game.position_event();
    match stored.turn_starts.get(&event) {
        Some(&start) => Ok(tx.set_turn_start(stored.id, event, start)?),
        None => Ok(()),
    }
}

/// Returns when the clock of a turn that begins now starts, if that is later. The time of a player who
/// gets no mail starts at once.
fn later(now: DateTime<Utc>, grace: TimeDelta, to_move: &Player) -> Option<DateTime<Utc>> {
    to_move.address.as_ref()?;
    Some(turn_start(now, grace, &to_move.preferences.clock)).filter(|&start| start > now)
}
