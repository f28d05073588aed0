use super::{InReplyTo, MailId};
use crate::store::held::HELD;
use crate::store::{Db, Result, Tx, get};
use outflank_model::{HeldCommands, HeldId, PlayerId};

/// A mail that asks a player about held commands and that no process has tried to send yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntriedQuestion {
    /// The mail.
    pub mail: MailId,
    /// The key of the commands.
    pub id: HeldId,
    /// The commands.
    pub held: HeldCommands,
}

impl Tx<'_> {
    /// Lets a question ask about other held commands, as a reply to another mail or to none. Has no effect once
    /// a process has tried to send it.
    pub fn change_question(
        &self,
        mail: MailId,
        held: HeldId,
        message_id: &str,
        in_reply_to: Option<InReplyTo>,
    ) -> Result<()> {
        let sql = "UPDATE outbox SET held = ?2, message_id = ?3, is_reply = ?4, in_reply_to = ?5
             WHERE id = ?1 AND tries = 0";
        let answered = in_reply_to.and_then(|mail| mail.message_id);
        self.run(sql, (mail.0, held.0, message_id, in_reply_to.is_some(), answered))
    }
}

impl Db<'_> {
    /// Returns the last question to a player that no process has tried to send yet.
    pub fn untried_question(&self, player: PlayerId) -> Result<Option<UntriedQuestion>> {
        let sql = format!(
            "{HELD}, outbox.id AS mail FROM outbox JOIN held ON held.id = outbox.held
             WHERE outbox.player = ?1 AND kind = 'confirm' AND tries = 0 AND done_at IS NULL
             AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             ORDER BY outbox.id DESC LIMIT 1"
        );
        self.first(&sql, [player.0], |row| {
            Ok(UntriedQuestion {
                mail: get(row, "mail")?,
                id: get(row, "id")?,
                held: self.held_in(row)?,
            })
        })
    }
}
