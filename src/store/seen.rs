use chrono::{DateTime, Utc};

use super::{Db, Error, seconds};

impl Db<'_> {
    /// Writes down that a mail of this digest is acted upon. False when it was before: it is a
    /// copy.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn see(&self, digest: &[u8], sender: &str, now: DateTime<Utc>) -> Result<bool, Error> {
        let added = self
            .0
            .prepare_cached(
                "INSERT INTO seen (digest, sender, seen_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO NOTHING",
            )?
            .execute((digest, sender, seconds(now)))?;
        Ok(added > 0)
    }

    /// Whether a mail of this digest was acted upon.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn has_seen(&self, digest: &[u8]) -> Result<bool, Error> {
        let mut select =
            self.0.prepare_cached("SELECT EXISTS (SELECT 1 FROM seen WHERE digest = ?1)")?;
        Ok(select.query_row([digest], |row| row.get(0))?)
    }

    /// How many mails were acted upon since a time: of this sender, and of all.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn seen_since(&self, time: DateTime<Utc>, sender: &str) -> Result<(u32, u32), Error> {
        let mut select = self.0.prepare_cached(
            "SELECT (SELECT count(*) FROM seen WHERE sender = ?2 AND seen_at > ?1),
                    (SELECT count(*) FROM seen WHERE seen_at > ?1)",
        )?;
        Ok(select.query_row((seconds(time), sender), |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Forgets the mails that were acted upon before a time.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn forget_seen(&self, before: DateTime<Utc>) -> Result<(), Error> {
        self.0.prepare_cached("DELETE FROM seen WHERE seen_at < ?1")?.execute([seconds(before)])?;
        Ok(())
    }
}
