//! When housekeeping must look at a game next: for a flag, or to remind the player to move.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::effects::changed::GamePlayers;
use crate::app::retry::PAUSE_AFTER_FAULT;
use crate::app::{Env, Error, host_items};
use crate::store::{Db, HostItemKind, LastReminder, Reminder, Tx};
use outflank_model::log::GameId;
use outflank_model::time_control::Clocks;

/// The least time between the two reminders before a game without a clock can be claimed.
pub(crate) const MIN_BETWEEN_REMINDERS: TimeDelta = TimeDelta::days(7);
/// How long to wait until the first of them is delivered, before housekeeping looks again.
const UNDELIVERED_PAUSE: TimeDelta = TimeDelta::days(1);

/// What housekeeping must do in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// The deadline has passed, at this time.
    Flag(DateTime<Utc>),
    /// A reminder is due.
    Reminder(Reminder),
    /// The opponent must be mailed that the game, which has no clock, can be claimed.
    Claim,
    /// Something is due at this time.
    Later(DateTime<Utc>),
    /// Nothing until the next event.
    Never,
}

impl Alarm {
    /// Returns what housekeeping must do in a game, which has these clocks.
    pub(crate) fn next(
        db: &Db,
        of: &GamePlayers,
        clocks: &Clocks,
        now: DateTime<Utc>,
    ) -> Result<Self, Error> {
        let (Some(player), Some(reminders)) = (clocks.running(), clocks.reminders()) else {
            return Ok(Self::Never);
        };
        let [first, second] = match clocks.idle_end() {
            // The log of a game without a clock has no quiet hours.
            Some(_) => of.player(player).map_or(reminders, |player| {
                reminders.map(|at| player.preferences.clock.before_quiet(at))
            }),
            None => reminders,
        };
        let game = of.id;
        let deadline = clocks.deadline();
        if let Some(deadline) = deadline.filter(|&deadline| deadline <= now) {
            return Ok(Self::Flag(deadline));
        }
        let event = clocks.turn_event();
        let (stage, at) = match db.last_reminder(game, event)? {
            // Late housekeeping reminds once.
            None if second <= now && clocks.idle_end().is_none() => (2, second),
            None => (1, first),
            Some(LastReminder { stage: 1, delivered_at }) if clocks.idle_end().is_some() => {
                let earliest =
                    delivered_at.map_or(now + UNDELIVERED_PAUSE, |at| at + MIN_BETWEEN_REMINDERS);
                (2, second.max(earliest))
            }
            Some(LastReminder { stage: 1, .. }) => (2, second),
            Some(_) => match clocks.idle_end() {
                Some(end) => return Self::claim(db, game, event, end, now),
                None => return Ok(deadline.map_or(Self::Never, Self::Later)),
            },
        };
        // A player who is away gets no reminder.
        let at = clocks.away_until(player, at.max(now)).unwrap_or(at);
        Ok(if at <= now {
            Self::Reminder(Reminder { game, event, stage })
        } else {
            Self::Later(deadline.map_or(at, |deadline| deadline.min(at)))
        })
    }

    /// Returns what must be done in a game without a clock after both reminders; `end` is when the
    /// game can be claimed at the earliest.
    fn claim(
        db: &Db,
        game: GameId,
        event: usize,
        end: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Self, Error> {
        if db.claim_event(game)? == Some(event) {
            return Ok(Self::Never);
        }
        Ok(match db.delivered_reminders(game, event)?[..] {
            _ if end > now => Self::Later(end),
            [first, second] if second - first >= MIN_BETWEEN_REMINDERS => Self::Claim,
            [_, _] => Self::Never,
            _ => Self::Later(now + UNDELIVERED_PAUSE),
        })
    }

    /// Returns when housekeeping must look at the game again.
    pub(crate) const fn at(self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Flag(at) | Self::Later(at) => Some(at),
            Self::Reminder(_) | Self::Claim => Some(now),
            Self::Never => None,
        }
    }
}

/// Records that housekeeping failed in a game, which is tried again later. Returns a line about it.
pub(crate) fn record_fault(
    env: &Env,
    tx: &Tx,
    game: GameId,
    error: &Error,
) -> Result<String, Error> {
    tx.defer_alarm(game, env.now() + PAUSE_AFTER_FAULT, &error.to_string())?;
    host_items::add(env, tx, HostItemKind::Job, game.0, &error.to_string())?;
    Ok(format!("the deadline or reminder of game {game} failed: {error}"))
}
