//! Letters of the club: when each player's next one is due, and those that are due. What they say is read when
//! they are sent.

use chrono::{DateTime, Datelike, TimeDelta, Utc, Weekday};

use crate::app::effects::outages;
use crate::app::effects::outbox::Outbox;
use crate::app::run::retry::PAUSE_AFTER_FAULT;
use crate::app::{App, Env, Error, contain_part};
use crate::store::{Db, Tx};
use outflank_model::mail::MailContent;
use outflank_model::time_control::TimeZone;
use outflank_model::{Player, PlayerId};

/// The most letters that are queued in one transaction.
const MAX_LETTERS: u32 = 100;
/// A letter that is due later was put off by a clock that was ahead: by as much as `send` believes it, and
/// then by a week.
const MAX_AHEAD: TimeDelta = TimeDelta::days(22);

/// Returns the beginning of the first Monday that is not over at this time.
fn monday_from(zone: TimeZone, time: DateTime<Utc>) -> DateTime<Utc> {
    let sunday = zone.local(time).date() + TimeDelta::days(6);
    zone.start_of(sunday.week(Weekday::Mon).first_day())
}

/// Decides when the next letter is due to a player who now gets letters or has another time zone: never
/// again on a Monday that had one.
pub(crate) fn schedule(
    tx: &Tx,
    player: &Player,
    is_new: bool,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let (known, tomorrow) = (tx.letter_at(player.id)?, now + TimeDelta::days(1));
    let from = match known {
        Some(known) if !is_new => known,
        known => known.map_or(tomorrow, |known| known.max(tomorrow)),
    };
    Ok(tx.set_letter_at(player.id, monday_from(player.preferences.clock.zone, from))?)
}

impl App {
    /// Queues the letters that are due, each once, however many processes do this at the same time. Returns a
    /// line for each that could not be queued. Does nothing while the clock seems to be far ahead.
    pub(crate) fn queue_letters(
        &mut self,
        is_active: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, Error> {
        let now = self.env.now();
        let is_due = |db: &Db| {
            let due = db.players_with_due_letters(now, now + MAX_AHEAD, 1)?;
            Ok::<_, Error>(!due.is_empty() && outages::doubted(db, now)?.is_none())
        };
        let mut problems = Vec::new();
        while is_active() && self.store.read(is_due)? {
            let env = &self.env;
            problems.extend(self.store.write(|tx| queue_some(env, tx))?);
        }
        Ok(problems)
    }
}

/// Queues some of the letters that are due. Returns a line for each that failed.
fn queue_some(env: &Env, tx: &Tx) -> Result<Vec<String>, Error> {
    let (now, mut problems) = (env.now(), Vec::new());
    for player in tx.players_with_due_letters(now, now + MAX_AHEAD, MAX_LETTERS)? {
        if let Err(error) = contain_part(tx, || queue(env, tx, player))? {
            tx.set_letter_at(player, now + PAUSE_AFTER_FAULT)?;
            problems.push(format!("the letter to player {} failed: {error}", player.0));
        }
    }
    Ok(problems)
}

/// Queues the letter of this week in place of an earlier one that was not sent. If a clock that was ahead had
/// put it off, it is due next Monday.
fn queue(env: &Env, tx: &Tx, id: PlayerId) -> Result<(), Error> {
    let (player, now) = (tx.player(id)?, env.now());
    let zone = player.preferences.clock.zone;
    let is_due = tx.letter_at(id)?.is_some_and(|at| at <= now);
    tx.set_letter_at(id, monday_from(zone, now + TimeDelta::days(1)))?;
    if !is_due {
        return Ok(());
    }
    tx.supersede_letters(id)?;
    let today = zone.local(now).date();
    let monday = today - TimeDelta::days(today.weekday().num_days_from_monday().into());
    Outbox::new(env, tx).mail(&player, MailContent::of_letter(monday)).map(drop)
}
