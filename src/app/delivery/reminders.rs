//! For reminders and digests: when a player's time ends, and with which consequence.

use chrono::{DateTime, Utc};

use crate::app::effects::alarms::MIN_BETWEEN_REMINDERS;
use crate::app::views::time;
use crate::app::{Error, find};
use crate::mail::Waiting;
use crate::store::{Db, OutboxEntry};
use outflank_model::mail::Topic;
use outflank_model::time_control::{Clocks, FlagRule};
use outflank_model::{Moment, StoredGame};
use outflank_rules::Color;

/// Returns the games of a reminder that still wait, the most urgent first, each with its end. A deadline
/// that has passed in an outage will be moved.
pub(crate) fn ends(
    db: &Db,
    entry: &OutboxEntry,
    now: DateTime<Utc>,
) -> Result<Vec<(DateTime<Utc>, Moment)>, Error> {
    let mut ends = Vec::new();
    for id in db.reminded_games(entry.id)? {
        let stored = find::game(db, id)?;
        let clocks = stored.clocks();
        let has_passed = clocks.deadline().is_some_and(|deadline| deadline <= now);
        let end = end(db, entry, &stored, &clocks)?.filter(|_| !has_passed);
        ends.extend(end.map(|end| (end, Moment::of(id, &stored.game))));
    }
    ends.sort_by_key(|(end, at)| (*end, at.game));
    Ok(ends)
}

/// Returns when the time of the player to move ends, or when the opponent can claim a game without a
/// clock; `None` if neither can happen.
fn end(
    db: &Db,
    entry: &OutboxEntry,
    stored: &StoredGame,
    clocks: &Clocks,
) -> Result<Option<DateTime<Utc>>, Error> {
    let (None, Some(end)) = (clocks.deadline(), clocks.idle_end()) else {
        return Ok(clocks.deadline());
    };
    // Two reminders must have come.
    let reminders = db.delivered_reminders(stored.id, clocks.turn_event())?;
    let first = reminders.first().copied().unwrap_or(entry.created_at);
    Ok(Some(end.max(first + MIN_BETWEEN_REMINDERS)))
}

/// Returns how long a game waits for the player with this colour, as a digest or a reminder shows it;
/// `None` if nothing ends, and in other mails. A digest shows only real deadlines.
pub(crate) fn waiting(
    db: &Db,
    entry: &OutboxEntry,
    stored: &StoredGame,
    clocks: &Clocks,
    to: Color,
) -> Result<Option<Waiting>, Error> {
    let is_limited = clocks.deadline().is_some();
    let is_shown = match entry.content.kind.topic() {
        Topic::EndingGames => true,
        Topic::WaitingGames => is_limited,
        Topic::Game
        | Topic::WatchedGame
        | Topic::Challenge
        | Topic::Held
        | Topic::Membership
        | Topic::FormerAddress
        | Topic::Delivery
        | Topic::Club => false,
    };
    if !is_shown {
        return Ok(None);
    }
    let Some(end) = end(db, entry, stored, clocks)? else { return Ok(None) };
    let (opponent, until) = (stored.name(!to), stored.clock_settings(to).zone.shown(end));
    let ends = match is_limited {
        true => format!("Your time ends on {until}."),
        false => format!("{opponent} can claim the game from {until} on."),
    };
    let then = if stored.agreement.terms.flag == FlagRule::Hard {
        "After that you lose the game.".to_owned()
    } else if stored.side(!to).bot().is_some() {
        format!("After that your time is over, but {opponent} does not claim the game.")
    } else {
        format!("After that {opponent} can claim the game.")
    };
    let then = is_limited.then_some(then);
    Ok(Some(Waiting { left: time::span(end - entry.made_at()), until, ends, then }))
}
