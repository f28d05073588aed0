//! What holds of the mails that are delivered.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension as _};

use super::violated;
use crate::simulator::server::{Accepted, Difference};
use crate::simulator::{Violation, sentence};

/// A mail comes once; again only if the sender could not know that it was accepted, and then the same.
pub fn mails_come_once(accepted: &[Accepted], checked: usize) -> Result<(), Violation> {
    for (at, mail) in accepted.iter().enumerate().skip(checked) {
        let id = &mail.id;
        let Some(first) = accepted[..at].iter().rfind(|it| it.id == *id) else { continue };
        // A mail that bounced goes to the address that the host gives, too, if it was tried again before, also if that
        // is no other one.
        let has_bounced = || {
            let earlier = accepted[..at].iter().filter(|it| it.id == *id);
            let bounced = earlier.clone().filter(|it| it.may_come_again).count();
            earlier.count() <= 2 * bounced
        };
        if !first.may_come_again && !has_bounced() {
            return violated("mails_come_once", format!("{id} came twice to {}", mail.to));
        }
        let is_same = match first.may_differ {
            Difference::Nothing => first.text == mail.text && first.to == mail.to,
            Difference::Tokens => first.without_tokens() == mail.without_tokens(),
            Difference::All => true,
        };
        if !is_same {
            let lines = first.text.lines().zip(mail.text.lines());
            let differs = lines.into_iter().find(|(one, other)| one != other);
            return violated(
                "mails_come_once",
                format!("{id} came again with other bytes: {differs:?}"),
            );
        }
    }
    Ok(())
}

/// A process sends mail only with the configuration of the club.
pub fn only_the_club_sends_mail(
    words: &[String],
    is_club: bool,
    sent: usize,
) -> Result<(), Violation> {
    match sent {
        1.. if !is_club => {
            let found = format!("`{}` sent {sent} with another configuration", words.join(" "));
            violated("only_the_club_sends_mail", found)
        }
        _ => Ok(()),
    }
}

/// The sentences of a mail read well.
pub fn mails_are_well_formed(mails: &[Accepted]) -> Result<(), Violation> {
    for mail in mails {
        let lines = mail.text.lines().filter(|line| !line.starts_with('>'));
        let fault = lines.filter(|line| sentence::is_sentence(line)).find_map(sentence::fault);
        if let Some(fault) = fault {
            return violated("mails_are_well_formed", format!("{} says {fault}", mail.id));
        }
    }
    Ok(())
}

/// A mail that the server refuses temporarily is tried for days before it has failed.
pub fn deferred_mail_is_tried_for_days(sqlite: &Connection) -> Result<(), Violation> {
    let failed = "SELECT kind || ' ' || id || ': ' || last_error FROM outbox
                  WHERE state = 'failed' AND last_error LIKE '%: 451 %' AND due_at < created_at + 4 * 86400
                  LIMIT 1";
    let failed: Option<String> = sqlite.query_row(failed, [], |row| row.get(0)).optional().unwrap();
    failed.map_or(Ok(()), |found| violated("deferred_mail_is_tried_for_days", found))
}

/// When the mail server has worked for some days, no mail is left that is due.
pub fn everything_is_delivered(sqlite: &Connection, now: DateTime<Utc>) -> Result<(), Violation> {
    let due = "SELECT group_concat(kind || ' ' || id || ': ' || coalesce(last_error, 'not tried')) FROM outbox
               WHERE state = 'queued' AND due_at < ?1 AND coalesce(not_before, 0) < ?1 AND NOT for_digest";
    let due: Option<String> =
        sqlite.query_row(due, [now.timestamp() - 86_400], |row| row.get(0)).unwrap();
    due.map_or(Ok(()), |due| violated("everything_is_delivered", due))
}
