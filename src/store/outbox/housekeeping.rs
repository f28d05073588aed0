use chrono::{DateTime, Utc};

use super::MailId;
use crate::store::{Db, Result, Tx, get, parsed, seconds};
use outflank_model::mail::{DELIVERED_KEPT_FOR, MailState};

impl Db<'_> {
    /// Returns the mails with records that are no longer kept, oldest first, at most `most` of them.
    /// Reads at most `rows` rows of the table.
    pub fn old_mails(
        &self,
        now: DateTime<Utc>,
        most: usize,
        rows: Option<u32>,
    ) -> Result<Vec<(MailId, MailState)>> {
        let sql =
            "SELECT id, created_at, state, due_at FROM outbox NOT INDEXED ORDER BY id LIMIT ?1";
        let mut select = self.prepare(sql)?;
        let limit = rows.map_or(-1, i64::from);
        let mut rows = select.query([limit])?;
        let mut old = Vec::new();
        while old.len() < most
            && let Some(row) = rows.next()?
        {
            let state: MailState = parsed(row, "state")?;
            let due_at: i64 = row.get("due_at")?;
            if state.kept_for().is_some_and(|kept_for| due_at < seconds(now - kept_for)) {
                old.push((get(row, "id")?, state));
                continue;
            }
            // The mails behind one that is not old are newer, unless the clock was ahead.
            if (now - DELIVERED_KEPT_FOR..=now).contains(&get(row, "created_at")?) {
                break;
            }
        }
        Ok(old)
    }
}

impl Tx<'_> {
    /// Deletes the record of a mail if it is still in that state. Comments of a superseded mail can go with
    /// a later one.
    pub fn delete_mail(&self, (id, state): (MailId, MailState)) -> Result<()> {
        if state == MailState::Superseded {
            let sql = "UPDATE comment SET mail = NULL
                 WHERE mail = ?1 AND game IN (SELECT game FROM outbox
                    WHERE id = ?1 AND state = 'superseded'
                    UNION ALL SELECT game FROM digest_game WHERE mail = ?1)";
            self.execute(sql, [id.0])?;
        }
        self.run("DELETE FROM outbox WHERE id = ?1 AND state = ?2", (id.0, state.word()))
    }
}
