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
    /// The installation; when there is none yet, it gets this token.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn installation(
        &self,
        now: DateTime<Utc>,
        token: impl FnOnce() -> String,
    ) -> Result<Installation, Error> {
        let known = self
            .0
            .prepare_cached("SELECT token FROM installation")?
            .query_row([], |row| row.get(0))
            .optional()?;
        let token = match known {
            Some(token) => token,
            None => {
                let token = token();
                self.0
                    .prepare_cached(
                        "INSERT INTO installation (id, token, created_at) VALUES (1, ?1, ?2)",
                    )?
                    .execute((&token, seconds(now)))?;
                token
            }
        };
        Ok(Installation { token })
    }
}
