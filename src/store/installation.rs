use chrono::{DateTime, Utc};
use rusqlite::OptionalExtension;

use super::{Db, Error, Tx, seconds};

/// The identity of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// Random letters and digits, part of all its Message-IDs.
    pub token: String,
}

impl Tx<'_> {
    /// Stores the installation, which must not exist yet.
    pub fn add_installation(
        &self,
        token: &str,
        secret: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Installation, Error> {
        self.execute(
            "INSERT INTO installation (id, token, secret, created_at) VALUES (1, ?1, ?2, ?3)",
            (token, secret, seconds(now)),
        )?;
        Ok(Installation { token: token.to_owned() })
    }
}

impl Db<'_> {
    /// Returns the installation; `None` when there is none yet.
    pub fn installation(&self) -> Result<Option<Installation>, Error> {
        let mut select = self.prepare("SELECT token FROM installation")?;
        Ok(select.query_row([], |row| Ok(Installation { token: row.get(0)? })).optional()?)
    }

    /// Returns the secret behind the reply tokens of people who are not signed up; `None` while there
    /// is no installation.
    pub fn installation_secret(&self) -> Result<Option<[u8; 32]>, Error> {
        let mut select = self.prepare("SELECT secret FROM installation")?;
        Ok(select.query_row([], |row| row.get(0)).optional()?)
    }
}
