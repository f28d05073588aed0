use super::MailId;
use crate::store::{Db, Result, Tx, only};
use outflank_model::PlayerId;
use outflank_model::mail::Attachment;

impl Db<'_> {
    /// Returns the files that an unsent mail brings, in order.
    pub fn attachments(&self, mail: MailId) -> Result<Vec<Attachment>> {
        let sql =
            "SELECT name, media_type, content FROM attachment WHERE mail = ?1 ORDER BY number";
        self.all(sql, [mail.0], |row| {
            Ok(Attachment { name: row.get(0)?, media_type: row.get(1)?, content: row.get(2)? })
        })
    }

    /// Returns how many bytes the files have that wait to be sent to a player.
    pub fn attached_bytes(&self, player: PlayerId) -> Result<u64> {
        let sql = "SELECT coalesce(sum(octet_length(content)), 0) FROM outbox
             JOIN attachment ON attachment.mail = outbox.id
             WHERE player = ?1 AND state IN ('queued', 'paused', 'failed')";
        self.one(sql, [player.0], only)
    }
}

impl Tx<'_> {
    pub(super) fn add_attachments(&self, mail: MailId, attachments: &[Attachment]) -> Result<()> {
        (1_i64..).zip(attachments).try_for_each(|(number, attachment)| {
            let Attachment { name, media_type, content } = attachment;
            let sql = "INSERT INTO attachment (mail, number, name, media_type, content)
                 VALUES (?1, ?2, ?3, ?4, ?5)";
            self.run(sql, (mail.0, number, name, media_type, content))
        })
    }

    /// Deletes the files of a mail that was sent.
    pub(super) fn delete_attachments(&self, mail: MailId) -> Result<()> {
        self.run("DELETE FROM attachment WHERE mail = ?1", [mail.0])
    }
}
