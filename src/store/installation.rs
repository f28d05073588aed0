use chrono::{DateTime, Utc};
use rusqlite::OptionalExtension;

use super::{Db, Error, seconds};

/// What tells this installation from all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// Random letters and digits that stand in all its Message-IDs.
    pub token: String,
}

impl Db<'_> {
    /// The installation; `None` when there is none yet.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn installation(&self) -> Result<Option<Installation>, Error> {
        let mut select = self.0.prepare_cached("SELECT token FROM installation")?;
        Ok(select.query_row([], |row| Ok(Installation { token: row.get(0)? })).optional()?)
    }

    /// Makes the installation, which must not be there yet, with this token and secret.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn add_installation(
        &self,
        token: &str,
        secret: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Installation, Error> {
        self.0
            .prepare_cached(
                "INSERT INTO installation (id, token, secret, created_at) VALUES (1, ?1, ?2, ?3)",
            )?
            .execute((token, secret, seconds(now)))?;
        Ok(Installation { token: token.to_owned() })
    }

    /// What the codes are made with that go to somebody who is no player yet; `None` while there
    /// is no installation.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn own_secret(&self) -> Result<Option<[u8; 32]>, Error> {
        let mut select = self.0.prepare_cached("SELECT secret FROM installation")?;
        Ok(select.query_row([], |row| row.get(0)).optional()?)
    }
}
