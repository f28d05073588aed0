use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, only, seconds};

impl Tx<'_> {
    /// Records that a mail with this digest was processed.
    pub fn add_seen(&self, digest: &[u8], sender: &str, now: DateTime<Utc>) -> Result<()> {
        let sql =
            "INSERT INTO seen (digest, sender, seen_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        self.run(sql, (digest, sender, seconds(now)))
    }

    /// Deletes the records of mails that were processed before a time.
    pub fn delete_seen_before(&self, time: DateTime<Utc>) -> Result<()> {
        self.run("DELETE FROM seen WHERE seen_at < ?1", [seconds(time)])
    }
}

impl Db<'_> {
    /// Returns whether a mail with this digest was processed.
    pub fn has_seen(&self, digest: &[u8]) -> Result<bool> {
        self.one("SELECT EXISTS (SELECT 1 FROM seen WHERE digest = ?1)", [digest], only)
    }

    /// Counts the mails of this sender that were processed since a time.
    pub fn seen_since(&self, time: DateTime<Utc>, sender: &str) -> Result<u32> {
        let sql = "SELECT count(*) FROM seen WHERE sender = ?2 AND seen_at > ?1";
        self.one(sql, (seconds(time), sender), only)
    }

    /// Returns whether at least `count` mails of unverified senders were processed since a time. Their
    /// addresses have an `@`; the keys of verified players have none.
    pub fn has_seen_addresses(&self, time: DateTime<Utc>, count: u32) -> Result<bool> {
        let sql = "SELECT count(*) >= ?2 FROM (SELECT 1 FROM seen INDEXED BY seen_time
             WHERE seen_at > ?1 AND sender LIKE '%@%' LIMIT ?2)";
        self.one(sql, (seconds(time), count), only)
    }
}
