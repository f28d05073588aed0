use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use super::ClockSettings;

/// When the clocks of turns start: the number of the event that began a turn, 0 for the start of the
/// game, with the moment. A turn without an entry starts with its event.
pub type TurnStarts = BTreeMap<usize, DateTime<Utc>>;

/// Returns when the clock of a turn starts: after the grace of the player who moved, while the move is
/// not announced yet, and then after the quiet hours of the player to move.
///
/// `began` is the moment of the move, and `grace` is as it was set at this moment: zero for a computer
/// player, for the first turn of a game and after an accepted takeback. A turn that comes back to the
/// player who acts, by an automatic pass or a free takeback, starts at once instead.
pub fn turn_start(
    began: DateTime<Utc>,
    grace: TimeDelta,
    to_move: &ClockSettings,
) -> DateTime<Utc> {
    to_move.after_quiet(began + grace)
}
