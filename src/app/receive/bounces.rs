//! Reports that our own mails bounced.

use super::super::notify::Outbox;
use super::super::{Env, Error};
use super::intake::Disposition;
use crate::mail::read::InboundMessage;
use crate::mail::token::{Claims, Token};
use crate::store::{MailId, Tx};

/// Processes a mail to the return path of one of our mails, which has this valid token.
pub(super) fn process(
    env: &Env,
    tx: &Tx,
    outbox: &mut Outbox,
    token: &Claims,
    message: &InboundMessage,
) -> Result<Disposition, Error> {
    let Some(report) = message.report.as_ref().filter(|report| report.permanent) else {
        return Ok(Disposition::Ignored("not a report of a failure"));
    };
    let id = MailId(token.number);
    let Some(entry) = tx.outbox_entry(id)? else {
        return Ok(Disposition::Ignored("a report about an unknown mail"));
    };
    let reason = match report.diagnostic.as_str() {
        "" => report.status.as_deref().unwrap_or("no reason given"),
        diagnostic => diagnostic,
    };
    let why = format!("it bounced: {}", Token::redact(reason));
    if !tx.mark_bounced(id, &why, env.now())? {
        return Ok(Disposition::Copy);
    }
    outbox.record_failure(&entry)?;
    Ok(Disposition::Bounce)
}
