//! Times set by a clock that was ahead. Once it is right again, whatever lies further ahead than its
//! own longest delay comes due.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::effects::bounces::MAX_BOUNCE_PAUSE;
use crate::app::effects::digests::mail_due;
use crate::app::effects::due::Due;
use crate::app::run::retry::BEYOND_PAUSES;
use crate::app::{App, Error, contain};
use crate::store::{Db, OutboxEntry};

/// Clocks may differ by less than this.
const MAX_DIFFERENCE: TimeDelta = TimeDelta::minutes(10);
/// The longest hold: a grace, or a limit per day.
const MAX_HOLD: TimeDelta = TimeDelta::days(1);

impl App {
    /// Makes mails and jobs due that a clock that was ahead had put off. If `send` ran with that clock,
    /// all alarms that it had set come due, too.
    pub(crate) fn correct_times(&mut self) -> Result<(), Error> {
        let now = self.env.now();
        let after = now + BEYOND_PAUSES;
        let (is_any, was_ahead) = self.store.read(|db| {
            let checked_at = db.deadlines_checked_at()?;
            let is_any = db.is_job_due_after(after)? || !put_off(db, now)?.is_empty();
            Ok::<_, Error>((is_any, checked_at.is_some_and(|at| at > now + MAX_DIFFERENCE)))
        })?;
        if !is_any && !was_ahead {
            return Ok(());
        }
        self.store.write(|tx| {
            put_off(tx, now)?.iter().try_for_each(|mail| tx.correct_mail(mail))?;
            tx.hasten_jobs(after, now)?;
            if was_ahead {
                tx.correct_times(now)?;
            }
            Ok(())
        })
    }
}

/// Returns the queued mails that such a clock had put off, with the times that they should have.
fn put_off(db: &Db, now: DateTime<Utc>) -> Result<Vec<OutboxEntry>, Error> {
    let mut mails = Vec::new();
    for mut mail in db.mails_due_after(now + BEYOND_PAUSES)? {
        if mail.bounced_at.is_some() && mail.due_at <= now + MAX_BOUNCE_PAUSE {
            continue;
        }
        mail.created_at = mail.created_at.min(now);
        mail.first_try_at = mail.first_try_at.map(|at| at.min(now));
        mail.not_before = mail.not_before.map(|at| if at > now + MAX_HOLD { now } else { at });
        let due = contain(|| match &mail.player {
            Some(player) => mail_due(db, &mail, player, now),
            None => Ok(Due::alone(now)),
        });
        // What is wrong with a mail is recorded when it is tried.
        if let Ok(Due { at, in_digest, .. }) = due
            && at < mail.due_at
        {
            mails.push(OutboxEntry { due_at: at, for_digest: in_digest, ..mail });
        }
    }
    Ok(mails)
}
