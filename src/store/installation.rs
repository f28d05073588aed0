use chrono::{DateTime, Utc};

use super::{Db, Error, Tx, only, seconds};

/// The identity of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// Random letters and digits, part of all its Message-IDs.
    pub token: String,
}

impl Tx<'_> {
    /// Stores the installation, which must not exist yet, and its first mark.
    pub fn add_installation(
        &self,
        token: &str,
        secret: &[u8; 32],
        mark: &str,
        now: DateTime<Utc>,
    ) -> Result<Installation, Error> {
        let sql = "INSERT INTO installation (id, token, secret, created_at) VALUES (1, ?1, ?2, ?3)";
        self.execute(sql, (token, secret, seconds(now)))?;
        self.begin_mark(mark, DateTime::UNIX_EPOCH)?;
        Ok(Installation { token: token.to_owned() })
    }

    /// Stores when `send` last checked for passed deadlines.
    pub fn set_deadlines_checked_at(&self, at: DateTime<Utc>) -> Result<(), Error> {
        self.run("UPDATE installation SET deadlines_checked_at = ?1", [seconds(at)])
    }
}

impl Db<'_> {
    /// Returns the installation; `None` when there is none yet.
    pub fn installation(&self) -> Result<Option<Installation>, Error> {
        self.first("SELECT token FROM installation", [], |row| {
            Ok(Installation { token: row.get(0)? })
        })
    }

    /// Returns when `send` last checked for passed deadlines, to within the interval at which
    /// it stores that; `None` if it never did.
    pub fn deadlines_checked_at(&self) -> Result<Option<DateTime<Utc>>, Error> {
        Ok(self.first("SELECT deadlines_checked_at FROM installation", [], only)?.flatten())
    }

    /// Returns the secret behind the reply tokens of people who are not signed up; `None` while there
    /// is no installation.
    pub fn installation_secret(&self) -> Result<Option<[u8; 32]>, Error> {
        self.first("SELECT secret FROM installation", [], only)
    }
}
