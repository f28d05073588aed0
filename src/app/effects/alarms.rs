//! When housekeeping must look at a game next: for a flag, or to remind the player to move.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::effects::outbox::Outbox;
use crate::app::run::retry::PAUSE_AFTER_FAULT;
use crate::app::{Error, host_items};
use crate::store::{Db, HostItemKind, LastReminder, Reminder};
use outflank_model::StoredGame;
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
    /// Returns the next task of housekeeping in a game with these clocks.
    pub(crate) fn next(
        db: &Db,
        of: &StoredGame,
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
        let (game, deadline) = (of.id, clocks.deadline());
        if let Some(deadline) = deadline.filter(|&deadline| deadline <= now) {
            return Ok(Self::Flag(deadline));
        }
        let event = clocks.turn_event();
        let (stage, at) = match (db.last_reminder(game, event)?, clocks.idle_end()) {
            // Late housekeeping reminds once.
            (None, None) if second <= now => (2, second),
            (None, _) => (1, first),
            (Some(LastReminder { stage: 1, .. }), None) => (2, second),
            (Some(LastReminder { stage: 1, delivered_at }), Some(_)) => {
                let earliest =
                    delivered_at.map_or(now + UNDELIVERED_PAUSE, |at| at + MIN_BETWEEN_REMINDERS);
                (2, second.max(earliest))
            }
            (Some(_), Some(end)) => return Self::claim(db, game, event, end, now),
            (Some(_), None) => return Ok(deadline.map_or(Self::Never, Self::Later)),
        };
        // A player who is away gets no reminder.
        let at = clocks.away_until(player, at.max(now)).unwrap_or(at);
        Ok(if at <= now {
            Self::Reminder(Reminder { game, event, stage })
        } else {
            Self::Later(deadline.map_or(at, |deadline| deadline.min(at)))
        })
    }

    /// Returns the task in a game without a clock after both reminders. The game cannot be claimed before
    /// `end`.
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
pub(crate) fn record_fault(outbox: &Outbox, game: GameId, error: &Error) -> Result<String, Error> {
    let (env, tx) = (outbox.env, outbox.tx);
    tx.defer_alarm(game, env.now() + PAUSE_AFTER_FAULT, &error.to_string())?;
    host_items::add(env, tx, HostItemKind::Job, game.0, &error.to_string())?;
    Ok(format!("the deadline or reminder of game {game} failed: {error}"))
}
