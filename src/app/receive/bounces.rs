//! Reports that our own mails bounced.

use crate::app::Error;
use crate::app::effects::bounces::record_bounce;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::screen::mail_digest;
use crate::mail::token::{Claims, Token};
use crate::store::MailId;

/// The sender of all reports in the record of mails that were seen. No limit counts them.
const SENDER: &str = "report";

/// Processes a mail to the return path of one of our mails, which has this valid token.
pub(crate) fn process(intake: &mut Intake, token: &Claims) -> Result<Disposition, Error> {
    let id = MailId(token.number);
    let Some(entry) = intake.tx.outbox_entry(id)? else {
        return Ok(Disposition::UNKNOWN_MAIL);
    };
    let has_null_sender = intake.mail.envelope.has_null_sender();
    let sender = intake.env.config.mail.from.email.to_string();
    let message = &intake.mail.message;
    let Some(failure) = message.failure(has_null_sender, &entry.message_id, &sender) else {
        return Ok(Disposition::Ignored("not a report of a failure"));
    };
    // A copy can come after the mail was sent again. Reports of two tries without Message-IDs may look alike.
    let digest = message.message_id.as_ref().map(|_| mail_digest(intake.mail));
    if let Some(digest) = &digest {
        if intake.tx.has_seen(digest)? {
            return Ok(Disposition::Copy);
        }
        intake.tx.add_seen(digest, SENDER, intake.env.now())?;
    }
    intake.findings.player = entry.player.as_ref().map(|player| player.id);
    let why = format!("it bounced: {}", Token::redact(&failure.reason));
    let is_new = record_bounce(&mut intake.outbox, &entry, &why, failure.is_policy)?;
    intake.findings.because(format!("mail {} of ours: {why}", entry.id));
    Ok(if is_new { Disposition::Bounce } else { Disposition::Copy })
}
