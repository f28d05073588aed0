use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, only, seconds};

impl Tx<'_> {
    /// Stores the installation, which must not exist yet, and its first mark.
    pub fn add_installation(
        &self,
        token: &str,
        secret: &[u8; 32],
        mark: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO installation (id, token, secret, created_at) VALUES (1, ?1, ?2, ?3)";
        self.execute(sql, (token, secret, seconds(now)))?;
        self.begin_mark(mark, DateTime::UNIX_EPOCH).map(drop)
    }

    /// Stores when `send` last checked for passed deadlines.
    pub fn set_deadlines_checked_at(&self, at: DateTime<Utc>) -> Result<()> {
        self.run("UPDATE installation SET deadlines_checked_at = ?1", [seconds(at)])
    }
}

impl Db<'_> {
    /// Returns the token of the installation: random letters and digits, part of all its Message-IDs. `None`
    /// when there is no installation yet.
    pub fn installation_token(&self) -> Result<Option<String>> {
        self.first("SELECT token FROM installation", [], only)
    }

    /// Returns when `send` last checked for passed deadlines, to within the interval at which
    /// it stores that; `None` if it never did.
    pub fn deadlines_checked_at(&self) -> Result<Option<DateTime<Utc>>> {
        Ok(self.first("SELECT deadlines_checked_at FROM installation", [], only)?.flatten())
    }

    /// Returns the secret behind the reply tokens of people who are not signed up; `None` while there
    /// is no installation.
    pub fn installation_secret(&self) -> Result<Option<[u8; 32]>> {
        self.first("SELECT secret FROM installation", [], only)
    }
}
