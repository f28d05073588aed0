use chrono::{DateTime, Utc};
use rusqlite::named_params;

use super::{Db, Result, Tx, get, seconds};

/// A mail in the quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The name of its file.
    pub file: String,
    /// Why it could not be processed.
    pub reason: String,
    /// Its sender, as the mail says.
    pub sender: Option<String>,
    /// Its subject, as the mail says.
    pub subject: Option<String>,
    /// Its Message-ID, as the mail says.
    pub message_id: Option<String>,
    /// Its date, as the mail says.
    pub date: Option<String>,
    /// The size of the whole mail in bytes, even if only a part is kept.
    pub bytes: u64,
    /// When it first came in.
    pub came_at: DateTime<Utc>,
}

impl Tx<'_> {
    /// Adds a mail to the list of the quarantine, unless it is listed already.
    pub fn add_quarantined(&self, mail: &Quarantined) -> Result<()> {
        let sql = "INSERT INTO quarantine (file, reason, sender, subject, message_id, date, bytes, came_at)
             VALUES (:file, :reason, :sender, :subject, :message_id, :date, :bytes, :came_at)
             ON CONFLICT DO NOTHING";
        self.run(
            sql,
            named_params! {
                ":file": mail.file,
                ":reason": mail.reason,
                ":sender": mail.sender,
                ":subject": mail.subject,
                ":message_id": mail.message_id,
                ":date": mail.date,
                ":bytes": i64::try_from(mail.bytes).unwrap_or(i64::MAX),
                ":came_at": seconds(mail.came_at),
            },
        )
    }

    /// Removes a mail from the list of the quarantine.
    pub fn delete_quarantined(&self, file: &str) -> Result<()> {
        self.run("DELETE FROM quarantine WHERE file = ?1", [file])
    }
}

impl Db<'_> {
    /// Returns the list of the quarantine, oldest first.
    pub fn quarantined(&self) -> Result<Vec<Quarantined>> {
        let sql = "SELECT file, reason, sender, subject, message_id, date, bytes, came_at
             FROM quarantine ORDER BY came_at, file";
        self.all(sql, [], |row| {
            Ok(Quarantined {
                file: row.get("file")?,
                reason: row.get("reason")?,
                sender: row.get("sender")?,
                subject: row.get("subject")?,
                message_id: row.get("message_id")?,
                date: row.get("date")?,
                bytes: row.get::<_, i64>("bytes")?.unsigned_abs(),
                came_at: get(row, "came_at")?,
            })
        })
    }
}
