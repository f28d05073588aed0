//! Reports that our own mails bounced.

use crate::app::effects::outbox::Outbox;
use crate::app::receive::intake::Disposition;
use crate::app::receive::intake::Inbound;
use crate::app::receive::screen::Received;
use crate::app::{Error, effects};
use crate::mail::read;
use crate::mail::token::{Claims, Token};
use crate::store::MailId;

/// Processes a mail to the return path of one of our mails, which has this valid token.
pub(crate) fn process(
    mail: &Inbound,
    outbox: &mut Outbox,
    token: &Claims,
) -> Result<Disposition, Error> {
    let Received { env, db, envelope, message, .. } = mail.received;
    let id = MailId(token.number);
    let Some(entry) = db.outbox_entry(id)? else {
        return Ok(Disposition::Ignored("a report about an unknown mail"));
    };
    let has_null_sender = envelope.sender.as_deref().is_some_and(read::is_null_path);
    let sender = env.config.mail.from.email.to_string();
    let Some(failure) = message.failure(has_null_sender, &entry.message_id, &sender) else {
        return Ok(Disposition::Ignored("not a report of a failure"));
    };
    let why = format!("it bounced: {}", Token::redact(&failure.reason));
    let is_new = effects::bounces::record_bounce(outbox, &entry, &why, failure.is_policy)?;
    Ok(if is_new { Disposition::Bounce } else { Disposition::Copy })
}
