//! Deletes records that are no longer needed.

use std::thread;
use std::time::Duration;

use chrono::TimeDelta;

use crate::app::effects::quota::REFUSED_FOR;
use crate::app::{App, Error};

/// The most records that `send` deletes in one transaction. Other processes can write between two of
/// these.
const MAX_DELETED: usize = 500;
/// The most such transactions in a row.
const MAX_TRANSACTIONS: usize = 100;
/// The records that a command deletes after it has delivered its mail. It waits until as many are
/// old, so that most commands need no transaction for this.
const DELETED_BY_COMMAND: usize = 50;
/// The most records that such a command reads.
const MAX_READ_BY_COMMAND: u32 = 1000;
/// The pause in which other processes can write.
const PAUSE_BETWEEN_TRANSACTIONS: Duration = Duration::from_millis(10);
/// How long copies of a mail and late confirmations are recognised.
const SEEN_KEPT_FOR: TimeDelta = TimeDelta::days(90);

/// How long a question of `doctor` and its address are kept.
pub(crate) const PROBES_KEPT_FOR: TimeDelta = TimeDelta::days(30);

impl App {
    /// Deletes old records of received mails, replies, held commands and mails. Returns false
    /// when old mails may be left.
    pub(crate) fn tidy_up(&mut self) -> Result<bool, Error> {
        let now = self.env.now();
        let before = now - SEEN_KEPT_FOR;
        self.store.write(|tx| {
            tx.delete_seen_before(before)?;
            tx.delete_old_received(now)?;
            tx.delete_replies_before(now - TimeDelta::days(1), before)?;
            tx.delete_refusals_before(now - REFUSED_FOR)?;
            tx.delete_probes_before(now - PROBES_KEPT_FOR)?;
            tx.delete_held_before(before)
        })?;
        self.tidy_quarantine()?;
        self.erase_addresses()?;
        for _ in 0..MAX_TRANSACTIONS {
            if self.delete_old_mails(MAX_DELETED, 1, None)? < MAX_DELETED {
                return Ok(true);
            }
            thread::sleep(PAUSE_BETWEEN_TRANSACTIONS);
        }
        Ok(false)
    }

    /// Deletes the records of some old mails if there are many, so that the outbox
    /// does not grow where `send` never runs.
    pub(crate) fn tidy_up_a_little(&mut self) -> Result<(), Error> {
        self.erase_addresses()?;
        let count = DELETED_BY_COMMAND;
        self.delete_old_mails(count, count, Some(MAX_READ_BY_COMMAND)).map(drop)
    }

    /// Finds at most `most` old mails in the first `rows` of the outbox, and deletes their
    /// records if there are at least `least`. Returns how many it has found.
    fn delete_old_mails(
        &mut self,
        most: usize,
        least: usize,
        rows: Option<u32>,
    ) -> Result<usize, Error> {
        let now = self.env.now();
        let old = self.store.read(|db| db.old_mails(now, most, rows))?;
        if old.len() >= least {
            self.store.write(|tx| old.iter().try_for_each(|&mail| tx.delete_mail(mail)))?;
        }
        Ok(old.len())
    }
}
