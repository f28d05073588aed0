//! What follows for the clocks of a game: its deadline, its next alarm, and the settings and absences
//! that its log must have.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::app::effects::alarms::Alarm;
use crate::app::effects::changed::Changed;
use crate::app::effects::outbox::Outbox;
use crate::store::{Absence, Db, Tx};
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_model::time_control::{ClockSettings, Clocks, Terms, TimeControl, TurnStarts};
use outflank_model::{Side, StoredGame};
use outflank_rules::Color;

/// Stores the deadline of the player to move and the next alarm after a change, and deletes unsent reminders
/// of earlier turns. Nobody is reminded of a local game, so nobody can claim it.
pub(crate) fn save(outbox: &Outbox, changed: &Changed) -> Result<(), Error> {
    let &Changed { after, clocks, at, .. } = changed;
    let tx = outbox.tx;
    if after.local {
        tx.set_deadline(after.id, deadline(clocks), None)?;
    } else {
        save_deadline(tx, after.id, clocks, at)?;
    }
    tx.delete_reminders(after.id, clocks.running().map(|_| clocks.turn_event()))?;
    Ok(tx.set_alarm(after.id, alarm(tx, after, clocks, at)?)?)
}

/// Stores the deadline of the player to move in a game that is not local, and whether it can be claimed
/// still.
pub(crate) fn save_deadline(
    tx: &Tx,
    game: GameId,
    clocks: &Clocks,
    at: DateTime<Utc>,
) -> Result<(), Error> {
    let idle_end = clocks.idle_end().filter(|&end| end <= at);
    let claim_event = idle_end.map(|_| clocks.turn_event());
    Ok(tx.set_deadline(game, deadline(clocks), claim_event)?)
}

/// Returns when the time of the player to move is over, or was; `None` if no clock runs and none has run
/// out.
pub(crate) fn deadline(clocks: &Clocks) -> Option<DateTime<Utc>> {
    clocks.deadline().or(clocks.flagged_at())
}

/// Returns when housekeeping must look at a game, as it is decided at this time; `None`: never.
pub(crate) fn alarm(
    db: &Db,
    stored: &StoredGame,
    clocks: &Clocks,
    at: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, Error> {
    let next = if stored.local { Alarm::Never } else { Alarm::next(db, stored, clocks, at)? };
    Ok(next.at(at))
}

/// Logs the settings of the player to move if they differ from those that the log has. From the
/// player's turn on they apply.
pub(crate) fn log_settings(
    game: &mut Game,
    terms: &Terms,
    clocks: &Clocks,
    player: impl FnOnce(Color) -> ClockSettings,
) -> Result<(), Error> {
    // A pause may end within the turn.
    let limited = game.turn().filter(|_| terms.control != TimeControl::None);
    let Some(turn) = limited.filter(|&turn| clocks.has_clock(turn)) else { return Ok(()) };
    let settings = player(turn);
    if *clocks.settings(turn) == settings {
        return Ok(());
    }
    let event = Event::by(turn, Action::Settings(settings.to_string()));
    game.apply(event).map_err(Error::refused)
}

/// Logs the settings and absences that apply to the clocks from the start of a game.
pub(crate) fn log_start(
    tx: &Tx,
    game: &mut Game,
    terms: &Terms,
    [black, white]: [&Side; 2],
    now: DateTime<Utc>,
) -> Result<(), Error> {
    if game.turn().is_none() {
        return Ok(());
    }
    let player = |color| if color == Color::Black { black.person() } else { white.person() };
    let times = vec![now; game.events().len()];
    let clocks = Clocks::of(terms, game, now, &times, &TurnStarts::new());
    let clocks = clocks.of_people(Color::BOTH.map(|color| player(color).is_some()));
    log_settings(game, terms, &clocks, |color| {
        player(color).map_or_else(ClockSettings::default, |it| it.preferences.clock)
    })?;
    for color in Color::BOTH.into_iter().filter(|_| terms.absences) {
        let Some(player) = player(color) else { continue };
        for Absence { from, until } in tx.absences(player.id, now)? {
            let from = from.max(now).timestamp();
            let event = Event::by(color, Action::Away { from, until: until.timestamp() });
            game.apply(event).map_err(Error::refused)?;
        }
    }
    Ok(())
}
