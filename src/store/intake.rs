use chrono::{DateTime, Utc};

use super::{Db, Error, Time, Tx, seconds};

/// The number of incoming mails with one disposition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeCount {
    /// The word for the disposition.
    pub disposition: String,
    /// How many mails.
    pub mails: u32,
    /// When the last one came.
    pub last_at: DateTime<Utc>,
}

impl Tx<'_> {
    /// Counts an incoming mail.
    pub fn count_inbound(&self, disposition: &str, now: DateTime<Utc>) -> Result<(), Error> {
        self.execute(
            "INSERT INTO intake (disposition, mails, last_at) VALUES (?1, 1, ?2)
             ON CONFLICT DO UPDATE SET mails = mails + 1, last_at = ?2",
            (disposition, seconds(now)),
        )
        .map(drop)
    }
}

impl Db<'_> {
    /// Returns the counts of incoming mails, ordered by disposition.
    pub fn intake(&self) -> Result<Vec<IntakeCount>, Error> {
        let mut select =
            self.prepare("SELECT disposition, mails, last_at FROM intake ORDER BY disposition")?;
        let rows = select.query_map([], |row| {
            Ok(IntakeCount {
                disposition: row.get("disposition")?,
                mails: row.get("mails")?,
                last_at: row.get::<_, Time>("last_at")?.0,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
