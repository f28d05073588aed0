use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, named_params};

use super::{MailId, MailState, OutboxEntry};
use crate::store::{Error, Tx, seconds};

/// An outbox entry that only this process may send until its lease ends.
#[derive(Debug)]
pub struct Claim {
    /// The entry.
    pub entry: OutboxEntry,
    lease: String,
}

/// The result of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Handed over.
    Sent,
    /// To be tried again.
    Deferred {
        /// When.
        due_at: DateTime<Utc>,
        /// Why it was not handed over.
        error: String,
    },
    /// Not to be tried again automatically.
    Failed {
        /// Why.
        error: String,
    },
}

impl Tx<'_> {
    /// Claims a due mail until a time, one of `first` if any of those is due; `None` when no mail
    /// is due. `lease` names this process.
    pub fn claim_mail(
        &self,
        first: &[MailId],
        lease: &str,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Claim>, Error> {
        for &id in first {
            if let Some(claim) = self.claim_this_mail(id, lease, now, until)? {
                return Ok(Some(claim));
            }
        }
        let next = self
            .prepare(
                // Without the hint SQLite reads all queued mails and sorts them.
                "SELECT id FROM outbox INDEXED BY outbox_due
                 WHERE state = 'queued' AND due_at <= ?1 AND lease_until <= ?1
                 ORDER BY due_at, id LIMIT 1",
            )?
            .query_row([seconds(now)], |row| row.get(0).map(MailId))
            .optional()?;
        match next {
            Some(id) => self.claim_this_mail(id, lease, now, until),
            None => Ok(None),
        }
    }

    /// Claims this mail until a time, if it is due and no other process has claimed it.
    pub fn claim_this_mail(
        &self,
        id: MailId,
        lease: &str,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Claim>, Error> {
        let claimed = self.execute(
            "UPDATE outbox SET lease = ?2, lease_until = ?3, tries = tries + 1,
                sent_to = coalesce(address,
                    (SELECT address FROM player WHERE player.id = outbox.player))
             WHERE id = ?1 AND state = 'queued' AND due_at <= ?4 AND lease_until <= ?4",
            (id.0, lease, seconds(until), seconds(now)),
        )?;
        if claimed == 0 {
            return Ok(None);
        }
        let entry = self.outbox_entry(id)?;
        Ok(entry.map(|entry| Claim { entry, lease: lease.to_owned() }))
    }

    /// Stores the result of a try and ends the claim. A mail that was superseded meanwhile stays
    /// so unless it was sent; one that another process has claimed is left to that process.
    pub fn settle_mail(
        &self,
        claim: &Claim,
        settled: &Settled,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let (state, due_at, error) = match settled {
            Settled::Sent => (MailState::Sent, now, None),
            Settled::Deferred { due_at, error } => (MailState::Queued, *due_at, Some(error)),
            Settled::Failed { error } => (MailState::Failed, now, Some(error)),
        };
        self.execute(
            "UPDATE outbox SET lease = NULL, lease_until = 0, due_at = :due_at, last_error = :error,
                state = CASE WHEN state = 'queued' OR :state = 'sent' THEN :state ELSE state END
             WHERE id = :id AND lease = :lease",
            named_params! {
                ":id": claim.entry.id.0,
                ":lease": claim.lease,
                ":state": state,
                ":due_at": seconds(due_at),
                ":error": error,
            },
        )
        .map(drop)
    }

    /// Makes an unsent mail due at once, unless a process has claimed it. Returns whether there
    /// was such a mail.
    pub fn requeue_mail(&self, id: MailId, now: DateTime<Utc>) -> Result<bool, Error> {
        let changed = self.execute(
            "UPDATE outbox SET state = 'queued', due_at = ?2
             WHERE id = ?1 AND state IN ('queued', 'failed', 'paused') AND lease_until <= ?2",
            (id.0, seconds(now)),
        )?;
        Ok(changed > 0)
    }

    /// Records why these mails could not be tried.
    pub fn note_error(&self, mails: &[MailId], error: &str) -> Result<(), Error> {
        mails.iter().try_for_each(|id| {
            let sql = "UPDATE outbox SET last_error = ?2 WHERE id = ?1 AND state = 'queued'";
            self.execute(sql, (id.0, error)).map(drop)
        })
    }
}
