use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Row, named_params};

use super::content::suggested_lines;
use super::{MailId, OutboxEntry};
use crate::store::{Db, Result, Tx, get, only, seconds};
use outflank_model::PlayerId;
use outflank_model::mail::{MailState, MessageKind};

/// An outbox entry that only this process may send while its [`Lease`](crate::store::Lease) lasts.
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

/// Which mails to claim, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct ClaimRequest<'a> {
    /// The name of a [`Lease`](crate::store::Lease) of this process.
    pub lease: &'a str,
    /// The current time.
    pub now: DateTime<Utc>,
    /// When the claims end, if the lease has no lock.
    pub until: DateTime<Utc>,
    /// How long such a claim can last at most. One that ends later was made by a clock that was ahead.
    pub longest: TimeDelta,
}

impl ClaimRequest<'_> {
    /// Returns the time after which no valid claim ends.
    pub(in crate::store) fn latest(&self) -> i64 {
        seconds(self.now + self.longest)
    }
}

impl Db<'_> {
    /// Returns whether a mail is due that no process has claimed.
    pub fn is_mail_due(&self, request: &ClaimRequest) -> Result<bool> {
        Ok(!self.due_mails(request, 1)?.is_empty())
    }

    /// Returns the mails that are due and that no process has claimed, the longest due first.
    fn due_mails(&self, request: &ClaimRequest, most: usize) -> Result<Vec<MailId>> {
        // Without the hint SQLite reads all queued mails and sorts them.
        let sql = "SELECT id, lease, lease_until FROM outbox INDEXED BY outbox_due
             WHERE state = 'queued' AND due_at <= ?1 AND NOT for_digest ORDER BY due_at, id";
        let mut select = self.prepare(sql)?;
        let mut rows = select.query([seconds(request.now)])?;
        let mut due = Vec::new();
        while due.len() < most
            && let Some(row) = rows.next()?
        {
            if !self.is_claimed(row, request)? {
                due.push(get(row, "id")?);
            }
        }
        Ok(due)
    }

    /// Returns whether the claim of this row of the outbox holds.
    fn is_claimed(&self, row: &Row, request: &ClaimRequest) -> Result<bool> {
        let lease: Option<String> = row.get("lease")?;
        Ok(self.holds(lease.as_deref(), row.get("lease_until")?, request))
    }

    /// Returns whether a process is sending a mail.
    pub(in crate::store) fn is_any_mail_claimed(&self, request: &ClaimRequest) -> Result<bool> {
        let sql = "SELECT lease, lease_until FROM outbox INDEXED BY outbox_due
             WHERE state = 'queued' AND lease IS NOT NULL";
        let claimed = self.all(sql, [], |row| self.is_claimed(row, request))?;
        Ok(claimed.contains(&true))
    }

    /// Returns whether a mail is queued, claimed or not.
    pub fn is_mail_queued(&self, id: MailId) -> Result<bool> {
        let sql = "SELECT state = 'queued' FROM outbox WHERE id = ?1";
        Ok(self.first(sql, [id.0], only)?.unwrap_or(false))
    }

    /// Returns whether a process has claimed this mail.
    fn is_mail_claimed(&self, request: &ClaimRequest, id: MailId) -> Result<bool> {
        let sql = "SELECT lease, lease_until FROM outbox WHERE id = ?1";
        let is_claimed = self.first(sql, [id.0], |row| self.is_claimed(row, request))?;
        Ok(is_claimed.unwrap_or(false))
    }
}

impl Tx<'_> {
    /// Claims at most `most` due mails: those of `first` before the others.
    pub fn claim_mails(
        &self,
        request: &ClaimRequest,
        first: &[MailId],
        most: usize,
    ) -> Result<Vec<Claim>> {
        let mut claims = Vec::new();
        for id in first.iter().copied().chain(self.due_mails(request, most)?) {
            if claims.len() < most {
                claims.extend(self.claim_mail(request, id)?);
            }
        }
        Ok(claims)
    }

    /// Claims this mail, if it is due and no other process has claimed it.
    pub fn claim_mail(&self, request: &ClaimRequest, id: MailId) -> Result<Option<Claim>> {
        if self.is_mail_claimed(request, id)? {
            return Ok(None);
        }
        let sql = "UPDATE outbox SET lease = ?2, lease_until = ?3, tries = tries + 1,
                sent_to = coalesce(address,
                    (SELECT address FROM player WHERE player.id = outbox.player))
             WHERE id = ?1 AND state = 'queued' AND due_at <= ?4 AND NOT for_digest";
        let params = (id.0, request.lease, seconds(request.until), seconds(request.now));
        if !self.changes(sql, params)? {
            return Ok(None);
        }
        let entry = self.outbox_entry(id)?;
        Ok(entry.map(|entry| Claim { entry, lease: request.lease.to_owned() }))
    }

    /// Ends the claim of a mail that was not tried.
    pub fn release_mail(&self, claim: &Claim) -> Result<()> {
        let sql = "UPDATE outbox SET lease = NULL, lease_until = 0, tries = tries - 1,
                first_try_at = iif(tries = 1, NULL, first_try_at)
             WHERE id = ?1 AND lease = ?2";
        self.run(sql, (claim.entry.id.0, &claim.lease))
    }

    /// Ends the claim of a mail that is not to be tried yet, and holds it back like
    /// [`Tx::hold_mail`].
    pub fn postpone_mail(
        &self,
        claim: &Claim,
        due_at: DateTime<Utc>,
        for_digest: bool,
    ) -> Result<()> {
        self.release_mail(claim)?;
        self.hold_mail(claim.entry.id, due_at, for_digest)
    }

    /// Ends the claim of a mail that is no longer to be sent.
    pub fn withdraw_mail(&self, claim: &Claim) -> Result<()> {
        self.release_mail(claim)?;
        self.set_state(claim.entry.id, MailState::Superseded)
    }

    /// Freezes content and Message-ID of a claimed mail at its first try, with a fingerprint that later
    /// tries compare.
    pub fn fix_mail(&self, claim: &Claim) -> Result<()> {
        let OutboxEntry { id, content, message_id, first_try_at, shown, says_turn, .. } =
            &claim.entry;
        let game = content.game;
        let sql = "UPDATE outbox SET message_id = :message_id,
                game = coalesce(:game, game), ply = :ply, events = :events, text = :text,
                suggested = :suggested, first_try_at = :first_try_at, shown = :shown,
                says_turn = :says_turn
             WHERE id = :id";
        self.execute(
            sql,
            named_params! {
                ":id": id.0,
                ":message_id": message_id,
                ":game": game.map(|game| game.game.0),
                ":ply": game.map(|game| game.ply),
                ":events": game.map(|game| game.events),
                ":text": content.text,
                ":suggested": suggested_lines(content),
                ":first_try_at": first_try_at.map(seconds),
                ":shown": shown,
                ":says_turn": says_turn,
            },
        )?;
        self.set_digest_games(*id, &content.games)
    }

    /// Makes the queued mails of a player due, so that it is decided anew when they go. Bounced ones
    /// keep waiting.
    pub fn reconsider_mails(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = ?2
             WHERE player = ?1 AND state IN ('queued', 'paused', 'failed') AND state = 'queued'
             AND due_at > ?2 AND bounced_at IS NULL";
        self.run(sql, (player.0, seconds(now)))
    }

    /// Stores the result of a try and ends the claim. A mail that was superseded meanwhile stays
    /// so unless it was sent; one that another process has claimed is left to that process.
    pub fn settle_mail(&self, claim: &Claim, settled: &Settled, now: DateTime<Utc>) -> Result<()> {
        let (state, due_at, error) = match settled {
            Settled::Sent => (MailState::Sent, now, None),
            Settled::Deferred { due_at, error } => (MailState::Queued, *due_at, Some(error)),
            Settled::Failed { error } => (MailState::Failed, now, Some(error)),
        };
        let sql = "UPDATE outbox SET lease = NULL, lease_until = 0, due_at = :due_at, last_error = :error,
                state = CASE WHEN state = 'queued' OR :state = 'sent' THEN :state ELSE state END
             WHERE id = :id AND lease = :lease";
        self.execute(
            sql,
            named_params! {
                ":id": claim.entry.id.0,
                ":lease": claim.lease,
                ":state": state.word(),
                ":due_at": seconds(due_at),
                ":error": error,
            },
        )?;
        match state {
            MailState::Sent if claim.entry.content.kind == MessageKind::Reminder => {
                self.set_reminders_delivered(claim.entry.id, Some(now))
            }
            MailState::Sent if claim.entry.content.kind == MessageKind::Answer => {
                self.delete_attachments(claim.entry.id)
            }
            _ => Ok(()),
        }
    }

    /// Makes an unsent mail due at once, unless a process has claimed it; no setting holds it back any
    /// more. Returns whether there was such a mail.
    pub fn requeue_mail(&self, request: &ClaimRequest, id: MailId) -> Result<bool> {
        if self.is_mail_claimed(request, id)? {
            return Ok(false);
        }
        let sql = "UPDATE outbox SET state = 'queued', due_at = ?2, for_digest = 0, is_prompt = 1
             WHERE id = ?1 AND state IN ('queued', 'failed', 'paused')";
        self.changes(sql, (id.0, seconds(request.now)))
    }

    /// Stores the times of a queued mail anew, and whether it waits for a digest.
    pub fn correct_mail(&self, mail: &OutboxEntry) -> Result<()> {
        let OutboxEntry { id, created_at, first_try_at, not_before, due_at, for_digest, .. } = mail;
        let sql =
            "UPDATE outbox SET created_at = ?2, first_try_at = ?3, not_before = ?4, due_at = ?5,
                for_digest = ?6
             WHERE id = ?1";
        self.run(
            sql,
            (
                id.0,
                seconds(*created_at),
                first_try_at.map(seconds),
                not_before.map(seconds),
                seconds(*due_at),
                for_digest,
            ),
        )
    }

    /// Records why these mails could not be tried.
    pub fn note_error(&self, mails: &[MailId], error: &str) -> Result<()> {
        mails.iter().try_for_each(|id| {
            let sql = "UPDATE outbox SET last_error = ?2 WHERE id = ?1 AND state = 'queued'";
            self.run(sql, (id.0, error))
        })
    }
}
