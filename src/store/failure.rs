use chrono::{DateTime, NaiveDate, Utc};

use super::{Db, MailId, Result, Tx, get, kinds, only, seconds};
use outflank_model::PlayerId;
use outflank_model::mail::{MailState, Trait};

/// How often a mail has bounced: it was sent, and a mail server reported later that it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounces {
    /// How often.
    pub count: u32,
    /// When it first bounced.
    pub first_at: DateTime<Utc>,
}

/// Returns the condition that a bounced mail still matters: the start of a game without moves, or the
/// current turn, unless a later mail to the player is about it.
fn still_matters() -> String {
    let kinds = kinds(|kind| kind.has(Trait::SentAgain));
    format!(
        "kind IN ({kinds}) AND events >= (SELECT position_event FROM game
            WHERE game.id = outbox.game AND turn IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM outbox AS later WHERE later.game = outbox.game
            AND later.player = outbox.player AND later.id > outbox.id AND later.events >= outbox.events
            AND later.state <> 'superseded' AND later.kind IN ({kinds}))"
    )
}

impl Tx<'_> {
    /// Records that the last try of a mail bounced; `None` if that was recorded before.
    pub fn mark_bounced(
        &self,
        id: MailId,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<Bounces>> {
        let sql = "UPDATE outbox SET bounces = bounces + 1, bounced_try = tries, last_error = ?2,
                bounced_at = coalesce(bounced_at, ?3)
             WHERE id = ?1 AND bounced_try < tries RETURNING bounces, bounced_at";
        let bounces = self.first(sql, (id.0, why, seconds(now)), |row| {
            Ok(Bounces { count: row.get(0)?, first_at: get(row, 1)? })
        })?;
        if bounces.is_some() {
            self.set_reminders_delivered(id, None)?;
        }
        Ok(bounces)
    }

    /// Queues or pauses a bounced mail again, if it still matters: the start of a game without
    /// moves, or the current turn. Its Message-ID stays. Returns whether it still matters.
    pub fn requeue_bounced(&self, id: MailId, due_at: DateTime<Utc>) -> Result<bool> {
        let sql = format!(
            "UPDATE outbox SET due_at = ?2, state = CASE
                WHEN (SELECT paused_at FROM player WHERE player.id = outbox.player) IS NULL
                THEN 'queued' ELSE 'paused' END
             WHERE id = ?1 AND state IN ('sent', 'failed') AND {}",
            still_matters()
        );
        self.changes(&sql, (id.0, seconds(due_at)))
    }

    /// Queues the bounced mails to a player again, if they still matter as in
    /// [`Tx::requeue_bounced`], and forgets that they bounced.
    pub fn requeue_all_bounced(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = format!(
            "UPDATE outbox SET state = 'queued', bounced_at = NULL, bounces = 0, due_at = ?2
             WHERE player = ?1 AND bounced_at IS NOT NULL AND state <> 'superseded' AND {}",
            still_matters()
        );
        self.run(&sql, (player.0, seconds(now)))
    }

    /// Sets the state of a mail.
    pub fn set_state(&self, id: MailId, state: MailState) -> Result<()> {
        self.run("UPDATE outbox SET state = ?2 WHERE id = ?1", (id.0, state.word()))
    }

    /// Adds a failure of the mail to a player, deletes those before `oldest`, and returns the days of
    /// the others in order.
    pub fn add_failure(
        &self,
        player: PlayerId,
        now: DateTime<Utc>,
        oldest: DateTime<Utc>,
    ) -> Result<Vec<NaiveDate>> {
        let sql = "DELETE FROM failure WHERE player = ?1 AND failed_at < ?2";
        self.execute(sql, (player.0, seconds(oldest)))?;
        let sql = "INSERT INTO failure (player, failed_at) VALUES (?1, ?2)";
        self.execute(sql, (player.0, seconds(now)))?;
        let sql = "SELECT failed_at FROM failure WHERE player = ?1 ORDER BY failed_at";
        let failures: Vec<DateTime<Utc>> = self.all(sql, [player.0], only)?;
        let days: Vec<_> = failures.iter().map(DateTime::date_naive).collect();
        self.execute("UPDATE player SET failures = ?2 WHERE id = ?1", (player.0, days.len()))?;
        Ok(days)
    }

    /// Pauses mail to a player: queued mail, and mail that will be added.
    pub fn pause(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE player SET paused_at = coalesce(paused_at, ?2) WHERE id = ?1";
        self.execute(sql, (player.0, seconds(now)))?;
        // The second condition on the state makes SQLite use the index of unsent mail.
        let sql = "UPDATE outbox SET state = 'paused'
             WHERE player = ?1 AND state = 'queued' AND state IN ('queued', 'paused', 'failed')";
        self.run(sql, [player.0])
    }

    /// Resumes mail to a player: deletes the failures, makes paused mail due and stores when mail
    /// failed.
    pub fn resume(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE player SET failed_until = ?2, failed_from = coalesce(
                (SELECT min(failed_at) FROM failure WHERE failure.player = ?1), paused_at)
             WHERE id = ?1 AND paused_at IS NOT NULL";
        self.execute(sql, (player.0, seconds(now)))?;
        self.execute("DELETE FROM failure WHERE player = ?1", [player.0])?;
        self.execute("UPDATE player SET failures = 0, paused_at = NULL WHERE id = ?1", [player.0])?;
        let sql = "UPDATE outbox SET state = 'queued', due_at = min(due_at, ?2)
             WHERE player = ?1 AND state = 'paused' AND state IN ('queued', 'paused', 'failed')";
        self.run(sql, (player.0, seconds(now)))
    }

    /// Forgets when mail to a player last failed, which an answer reports.
    pub fn forget_failed_span(&self, player: PlayerId) -> Result<()> {
        let sql = "UPDATE player SET failed_from = NULL, failed_until = NULL WHERE id = ?1";
        self.run(sql, [player.0])
    }
}

impl Db<'_> {
    /// Returns when mail to a player first failed and when it was sent again, if no answer has reported
    /// it.
    pub fn failed_span(&self, player: PlayerId) -> Result<Option<(DateTime<Utc>, DateTime<Utc>)>> {
        let sql = "SELECT failed_from, failed_until FROM player
             WHERE id = ?1 AND failed_from IS NOT NULL AND failed_until IS NOT NULL";
        self.first(sql, [player.0], |row| Ok((get(row, 0)?, get(row, 1)?)))
    }

    /// Returns the time of the earliest failure of the mail to a player that still counts.
    pub fn first_failure(&self, player: PlayerId) -> Result<Option<DateTime<Utc>>> {
        self.one("SELECT min(failed_at) FROM failure WHERE player = ?1", [player.0], only)
    }
}
