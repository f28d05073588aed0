//! Which answers to an open offer are possible.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::effects::turn_starts;
use crate::app::views::game::View;
use outflank_model::log::{Action, Event, Game, Offer};
use outflank_model::time_control::TimeControl;
use outflank_model::{PlayerId, StoredGame};
use outflank_rules::Color;

/// Returns when the clock of the player to move would start after a change that takes back moves, if no time would
/// be left to that player. Before the opponent's clock has started, the time since the move counts as the player's
/// own.
pub(crate) fn start_without_time(
    stored: &StoredGame,
    game: &Game,
    own: Color,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let (taken_back, turn) = (game.taken_back().last()?, game.turn()?);
    let is_new = taken_back.event > stored.game.events().len();
    if !is_new || stored.agreement.terms.control == TimeControl::None {
        return None;
    }
    let mut after = stored.clone();
    turn_starts::add(&mut after, game, Some(own), now);
    let start = after.turn_starts.get(&game.position_event()).copied().unwrap_or(now);
    let clocks = after.clocks_of(game, Some(now));
    let has_time = !clocks.has_clock(turn) || clocks.left(turn, start) > TimeDelta::zero();
    (!has_time).then_some(start)
}

/// Returns whether the offer that is open at this moment of a game could be accepted now: a takeback must leave its
/// author time.
pub(crate) fn can_be_accepted(stored: &StoredGame, game: &Game, now: DateTime<Utc>) -> bool {
    let Some((by, Offer::TakeBack)) = game.offer() else { return true };
    let stored = stored.after(game.clone(), now);
    let mut accepted = game.clone();
    let is_legal = accepted.apply(Event::by(!by, Action::Accept)).is_ok();
    is_legal && start_without_time(&stored, &accepted, !by, now).is_none()
}

/// Returns a view that names only the answers to an open offer that are possible now, and to its author how to withdraw
/// it.
pub(crate) fn answerable<'a>(
    view: View<'a>,
    reader: Option<PlayerId>,
    stored: &StoredGame,
    now: DateTime<Utc>,
) -> View<'a> {
    let can_accept = can_be_accepted(stored, view.game, now);
    View { can_accept, ..view.read_by(reader, stored) }
}
