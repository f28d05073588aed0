use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, only, seconds};

/// How many replies were queued since a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyCounts {
    /// Replies to the mailbox.
    pub own: u32,
    /// Replies to all mailboxes.
    pub all: u32,
}

impl Tx<'_> {
    /// Records a reply to this mailbox. `is_verified` and `has_command` say whether the mail that it
    /// replies to was verified and had a valid command.
    pub fn add_reply(
        &self,
        mailbox: &str,
        is_verified: bool,
        has_command: bool,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO reply (mailbox, is_verified, has_command, replied_at)
             VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, (mailbox, is_verified, has_command, seconds(now)))
    }

    /// Counts a mail from this mailbox, and returns how many in a row had no valid command, up to this
    /// one; 0 if this one has a valid command.
    pub fn count_idle(
        &self,
        mailbox: &str,
        is_verified: bool,
        has_command: bool,
        now: DateTime<Utc>,
    ) -> Result<u32> {
        if has_command {
            let sql = "DELETE FROM idle WHERE mailbox = ?1 AND is_verified = ?2";
            self.execute(sql, (mailbox, is_verified))?;
            return Ok(0);
        }
        let sql = "INSERT INTO idle (mailbox, is_verified, mails, last_at) VALUES (?1, ?2, 1, ?3)
             ON CONFLICT DO UPDATE SET mails = mails + 1, last_at = ?3 RETURNING mails";
        self.one(sql, (mailbox, is_verified, seconds(now)), only)
    }

    /// Records that the owner of a mailbox has said "no" to a question about unverified mail.
    pub fn add_refusal(&self, mailbox: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO refusal (mailbox, refused_at) VALUES (?1, ?2)";
        self.run(sql, (mailbox, seconds(now)))
    }

    /// Deletes the records of refusals before a time.
    pub fn delete_refusals_before(&self, time: DateTime<Utc>) -> Result<()> {
        self.run("DELETE FROM refusal WHERE refused_at < ?1", [seconds(time)])
    }

    /// Deletes the records of replies before `time`, and the counts of mailboxes without mail since
    /// `last_mail`.
    pub fn delete_replies_before(
        &self,
        time: DateTime<Utc>,
        last_mail: DateTime<Utc>,
    ) -> Result<()> {
        self.execute("DELETE FROM reply WHERE replied_at < ?1", [seconds(time)])?;
        self.run("DELETE FROM idle WHERE last_at < ?1", [seconds(last_mail)])
    }
}

impl Db<'_> {
    /// Counts the replies since a time, either to verified or to unverified mail.
    pub fn replies_since(
        &self,
        time: DateTime<Utc>,
        mailbox: &str,
        is_verified: bool,
    ) -> Result<ReplyCounts> {
        let sql = "SELECT (SELECT count(*) FROM reply
                     WHERE mailbox = ?2 AND is_verified = ?3 AND replied_at > ?1),
                    (SELECT count(*) FROM reply INDEXED BY reply_time
                     WHERE replied_at > ?1 AND is_verified = ?3)";
        self.one(sql, (seconds(time), mailbox, is_verified), |row| {
            Ok(ReplyCounts { own: row.get(0)?, all: row.get(1)? })
        })
    }

    /// Returns whether the owner of a mailbox has said "no" after a time.
    pub fn has_refused_since(&self, time: DateTime<Utc>, mailbox: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM refusal WHERE mailbox = ?2 AND refused_at > ?1)";
        self.one(sql, (seconds(time), mailbox), only)
    }

    /// Returns the time of the first reply to this mailbox since a time, either to verified or to
    /// unverified mail; `None` when there is none.
    pub fn first_reply_since(
        &self,
        time: DateTime<Utc>,
        mailbox: &str,
        is_verified: bool,
    ) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT min(replied_at) FROM reply
             WHERE mailbox = ?2 AND is_verified = ?3 AND replied_at > ?1";
        self.one(sql, (seconds(time), mailbox, is_verified), only)
    }

    /// Counts the replies since a time to mails from this mailbox without a valid command.
    pub fn idle_replies_since(
        &self,
        time: DateTime<Utc>,
        mailbox: &str,
        is_verified: bool,
    ) -> Result<u32> {
        let sql = "SELECT count(*) FROM reply
             WHERE mailbox = ?2 AND is_verified = ?3 AND replied_at > ?1 AND NOT has_command";
        self.one(sql, (seconds(time), mailbox, is_verified), only)
    }
}
