//! The answer to one command of a mail.

use crate::app::Reply;
use crate::app::views::text::mail_text;
use outflank_model::Player;
use outflank_model::mail::Attachment;

/// The answer to one command of a mail.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub text: String,
    /// The file that a mail with the answer brings.
    pub attachment: Option<Attachment>,
}

impl Answer {
    /// Returns the answer that this reply gives to its reader.
    pub(crate) fn of(mut reply: Reply, reader: &Player) -> Self {
        let attachment = reply.attachment.take();
        Self { text: mail_text(&reply, reader), attachment }
    }
}
