use chrono::{DateTime, TimeDelta, Utc};

use super::MailId;
use crate::store::{Db, Error, Time, Tx, seconds};

impl Db<'_> {
    /// Returns the mails that were delivered or superseded at least `age` ago, oldest first, at most
    /// `most` of them. Reads at most `rows` rows of the table.
    pub fn old_mails(
        &self,
        now: DateTime<Utc>,
        age: TimeDelta,
        most: usize,
        rows: Option<u32>,
    ) -> Result<Vec<MailId>, Error> {
        let mut select = self.prepare(
            "SELECT id, created_at, state IN ('sent', 'superseded') AND due_at < ?1 AS is_old
             FROM outbox NOT INDEXED ORDER BY id LIMIT ?2",
        )?;
        let limit = rows.map_or(-1, i64::from);
        let before = now - age;
        let mut rows = select.query((seconds(before), limit))?;
        let mut old = Vec::new();
        while old.len() < most
            && let Some(row) = rows.next()?
        {
            if row.get("is_old")? {
                old.push(MailId(row.get("id")?));
                continue;
            }
            // The mails behind one that is not old are newer, unless the clock was ahead.
            if (before..=now).contains(&row.get::<_, Time>("created_at")?.0) {
                break;
            }
        }
        Ok(old)
    }
}

impl Tx<'_> {
    /// Deletes the record of a mail that was delivered or superseded.
    pub fn delete_mail(&self, id: MailId) -> Result<(), Error> {
        self.execute("DELETE FROM outbox WHERE id = ?1 AND state IN ('sent', 'superseded')", [id.0])
            .map(drop)
    }
}
