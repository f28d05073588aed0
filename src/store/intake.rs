use chrono::{DateTime, Utc};

use super::{Db, Error, Time, seconds};

/// How many mails came to one end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intake {
    /// The word for it.
    pub fate: String,
    /// How many.
    pub mails: u32,
    /// When the last one came.
    pub last_at: DateTime<Utc>,
}

impl Db<'_> {
    /// Counts a mail that came to this end.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn count_mail(&self, fate: &str, now: DateTime<Utc>) -> Result<(), Error> {
        self.0
            .prepare_cached(
                "INSERT INTO intake (fate, mails, last_at) VALUES (?1, 1, ?2)
                 ON CONFLICT DO UPDATE SET mails = mails + 1, last_at = ?2",
            )?
            .execute((fate, seconds(now)))?;
        Ok(())
    }

    /// How many mails came to which end, by its word.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn intake(&self) -> Result<Vec<Intake>, Error> {
        let mut select =
            self.0.prepare_cached("SELECT fate, mails, last_at FROM intake ORDER BY fate")?;
        let rows = select.query_map([], |row| {
            Ok(Intake {
                fate: row.get("fate")?,
                mails: row.get("mails")?,
                last_at: row.get::<_, Time>("last_at")?.0,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
