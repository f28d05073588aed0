use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, get, seconds};

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
    pub fn count_inbound(&self, disposition: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO intake (disposition, mails, last_at) VALUES (?1, 1, ?2)
             ON CONFLICT DO UPDATE SET mails = mails + 1, last_at = ?2";
        self.run(sql, (disposition, seconds(now)))
    }
}

impl Db<'_> {
    /// Returns the counts of incoming mails, ordered by disposition.
    pub fn intake(&self) -> Result<Vec<IntakeCount>> {
        self.all("SELECT disposition, mails, last_at FROM intake ORDER BY disposition", [], |row| {
            Ok(IntakeCount {
                disposition: row.get("disposition")?,
                mails: row.get("mails")?,
                last_at: get(row, "last_at")?,
            })
        })
    }
}
