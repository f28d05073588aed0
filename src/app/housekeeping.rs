//! What is deleted after some time.

use std::thread;
use std::time::Duration;

use chrono::TimeDelta;

use super::{App, Error};

/// How long delivered mails are kept: a report of their failure may come back until then.
const DELIVERED: TimeDelta = TimeDelta::days(10);
/// How many mails are deleted in one transaction. Others can write between two of them.
const BATCH: usize = 500;
/// How many transactions `send` makes at most.
const MOST_BATCHES: usize = 100;
/// How many mails a command deletes that delivers its own mail: all or none of so many, so that
/// most commands need no transaction for it.
const SMALL_BATCH: usize = 50;
/// How many mails such a command looks at.
const LOOKED_AT: u32 = 1000;
/// The pause in which others can write.
const PAUSE: Duration = Duration::from_millis(10);
/// How long copies of a mail and late confirmations are recognised.
const MEMORY: TimeDelta = TimeDelta::days(90);

impl App {
    /// Deletes old records: of delivered mails, of received mails of which no copy is expected any
    /// more, and of held commands. Returns false when there may be more of them.
    pub(super) fn tidy_up(&mut self) -> Result<bool, Error> {
        let now = self.env.now();
        let before = now - MEMORY;
        self.store.write(|tx| {
            tx.delete_seen_before(before)?;
            tx.delete_replies_before(now - TimeDelta::days(1), before)?;
            tx.delete_held_before(before)
        })?;
        self.tidy_quarantine()?;
        for _ in 0..MOST_BATCHES {
            if self.delete_delivered(BATCH, 1, None)? < BATCH {
                return Ok(true);
            }
            thread::sleep(PAUSE);
        }
        Ok(false)
    }

    /// Deletes the records of some delivered mails if there are many old ones. So the outbox does
    /// not grow where `send` never runs.
    pub(super) fn tidy_up_a_little(&mut self) -> Result<(), Error> {
        self.delete_delivered(SMALL_BATCH, SMALL_BATCH, Some(LOOKED_AT)).map(drop)
    }

    /// Deletes at most `most` old delivered mails of the first `rows`, if there are at least
    /// `least`. Returns how many it has found.
    fn delete_delivered(
        &mut self,
        most: usize,
        least: usize,
        rows: Option<u32>,
    ) -> Result<usize, Error> {
        let now = self.env.now();
        let old = self.store.read(|db| db.old_mails(now, DELIVERED, most, rows))?;
        if old.len() >= least {
            self.store.write(|tx| old.iter().try_for_each(|&id| tx.delete_mail(id)))?;
        }
        Ok(old.len())
    }
}
