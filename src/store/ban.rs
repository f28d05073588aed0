use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, only, seconds};

impl Tx<'_> {
    /// Bans a mailbox, given as its keyed hash.
    pub fn add_ban(&self, mailbox: &[u8], now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO ban (mailbox, banned_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.run(sql, (mailbox, seconds(now)))
    }

    /// Lifts the ban of a mailbox, if there is one.
    pub fn lift_ban(&self, mailbox: &[u8]) -> Result<()> {
        self.run("DELETE FROM ban WHERE mailbox = ?1", [mailbox])
    }
}

impl Db<'_> {
    /// Returns whether the mailbox with this keyed hash is banned.
    pub fn has_ban(&self, mailbox: &[u8]) -> Result<bool> {
        self.one("SELECT EXISTS (SELECT 1 FROM ban WHERE mailbox = ?1)", [mailbox], only)
    }
}
