use chrono::{DateTime, TimeDelta, Utc};

use super::MailId;
use crate::store::{Db, Error, Time, Tx, seconds};

impl Db<'_> {
    /// Returns the first of the mails that were delivered or superseded so long ago, oldest first,
    /// at most `most` of them. Reads at most `rows` of the table. Mails that bounced are among them
    /// after the time `bounced`, because their failure still counts until then.
    pub fn old_mails(
        &self,
        now: DateTime<Utc>,
        [delivered, bounced]: [TimeDelta; 2],
        most: usize,
        rows: Option<u32>,
    ) -> Result<Vec<MailId>, Error> {
        let mut select = self.prepare(
            "SELECT id, created_at, state IN ('sent', 'superseded') AND due_at < ?1
                AND coalesce(bounced_at < ?2, TRUE) AS is_old
             FROM outbox NOT INDEXED ORDER BY id LIMIT ?3",
        )?;
        let limit = rows.map_or(-1, i64::from);
        let before = now - delivered;
        let mut rows = select.query((seconds(before), seconds(now - bounced), limit))?;
        let mut old = Vec::new();
        while old.len() < most
            && let Some(row) = rows.next()?
        {
            if row.get("is_old")? {
                old.push(MailId(row.get("id")?));
                continue;
            }
            // All further mails are newer, unless the clock was ahead.
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
