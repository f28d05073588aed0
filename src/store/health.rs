//! Signs of whether a club runs as it should.

use chrono::{DateTime, Utc};
use rusqlite::Params;

use super::{Db, MailId, Result, get, only, seconds};
use outflank_model::log::GameId;

/// A mail that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverdueMail {
    /// Its number.
    pub id: MailId,
    /// When it was first tried, or was due if it was not tried yet.
    pub since: DateTime<Utc>,
    /// Why the last try failed.
    pub last_error: Option<String>,
}

/// Things that failed, with one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failures<T> {
    /// How many there are.
    pub count: u32,
    /// The last one.
    pub last: T,
    /// Why it failed.
    pub error: String,
}

/// The tables with times at which something was recorded, except the events.
const RECORDED: [(&str, &str); 9] = [
    ("player", "created_at"),
    ("game", "created_at"),
    ("challenge", "created_at"),
    ("outbox", "created_at"),
    ("held", "created_at"),
    ("job", "queued_at"),
    ("seen", "seen_at"),
    ("intake", "last_at"),
    ("installation", "deadlines_checked_at"),
];

impl Db<'_> {
    /// Returns the time of the newest event of the active games and of those that ended last, and its game.
    pub fn newest_event(&self) -> Result<Option<(GameId, DateTime<Utc>)>> {
        let sql = "SELECT game, at FROM (
                SELECT id FROM game INDEXED BY game_active WHERE turn IS NOT NULL UNION ALL
                SELECT id FROM (SELECT id FROM game INDEXED BY game_finished
                                WHERE turn IS NULL AND digest IS NULL
                                ORDER BY since DESC, id DESC LIMIT 20)) AS recent
             JOIN event ON game = recent.id
                AND number = (SELECT max(number) FROM event WHERE game = recent.id)
             ORDER BY at DESC, game DESC LIMIT 1";
        self.first(sql, [], |row| Ok((get(row, "game")?, get(row, "at")?)))
    }

    /// Returns each table with a row newer than this time, and its newest time. Events are checked
    /// apart.
    pub fn recorded_after(
        &self,
        time: DateTime<Utc>,
    ) -> Result<Vec<(&'static str, DateTime<Utc>)>> {
        let mut found = Vec::new();
        for (table, column) in RECORDED {
            let sql = format!("SELECT max({column}) FROM {table}");
            let newest: Option<DateTime<Utc>> = self.one(&sql, [], only)?;
            found.extend(newest.filter(|at| *at > time).map(|at| (table, at)));
        }
        Ok(found)
    }

    /// Returns the mail that has waited longest, of those that were tried in vain or are due. One that
    /// bounced waits for its next try on purpose.
    pub fn oldest_overdue_mail(&self, now: DateTime<Utc>) -> Result<Option<OverdueMail>> {
        let sql =
            "SELECT id, iif(tries > 0, coalesce(first_try_at, created_at), due_at) AS waits_since,
                last_error
             FROM outbox INDEXED BY outbox_due
             WHERE state = 'queued' AND bounced_at IS NULL AND (tries > 0 OR due_at <= ?1)
             ORDER BY waits_since, id LIMIT 1";
        self.first(sql, [seconds(now)], |row| {
            let (id, since) = (get(row, "id")?, get(row, "waits_since")?);
            Ok(OverdueMail { id, since, last_error: row.get("last_error")? })
        })
    }

    /// Returns the mails that have failed and were made after this time.
    pub fn failed_mails_since(&self, since: DateTime<Utc>) -> Result<Option<Failures<MailId>>> {
        self.failures(
            "SELECT count(*) AS count, max(id) AS last, last_error AS error FROM outbox
             WHERE state = 'failed' AND coalesce(first_try_at, created_at) >= ?1",
            [seconds(since)],
            MailId,
        )
    }

    /// Returns the jobs, deadlines and reminders that failed and will be tried again, with the game of
    /// the last one.
    pub fn failed_work(&self) -> Result<Option<Failures<GameId>>> {
        self.failures(
            "SELECT count(*) AS count, max(game) AS last, error FROM (
                SELECT game, last_error AS error FROM job WHERE last_error IS NOT NULL
                UNION ALL SELECT id, alarm_error FROM game WHERE alarm_error IS NOT NULL)",
            [],
            GameId,
        )
    }

    /// Returns the failures that a statement counts.
    fn failures<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        last: fn(i64) -> T,
    ) -> Result<Option<Failures<T>>> {
        self.one(sql, parameters, |row| {
            let Some(number) = row.get("last")? else { return Ok(None) };
            let error = row.get::<_, Option<String>>("error")?.unwrap_or_default();
            Ok(Some(Failures { count: row.get("count")?, last: last(number), error }))
        })
    }

    /// Returns the members with paused mail, by name.
    pub fn paused_members(&self) -> Result<Vec<String>> {
        let sql =
            "SELECT name FROM player WHERE paused_at IS NOT NULL AND left_at IS NULL ORDER BY name";
        self.all(sql, [], only)
    }

    /// Returns when the last mail came in, and whether any did.
    pub fn last_arrival(&self) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT max(last_at) FROM intake WHERE disposition <> 'unanswered'";
        self.one(sql, [], only)
    }

    /// Returns when this installation was made; `None` if it was not yet.
    pub fn installed_at(&self) -> Result<Option<DateTime<Utc>>> {
        self.first("SELECT created_at FROM installation", [], only)
    }

    /// Returns whether `send` has something to do sooner or later: a mail, a job, or a game with a
    /// deadline.
    pub fn is_send_needed(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outbox WHERE state = 'queued')
                 OR EXISTS (SELECT 1 FROM job)
                 OR EXISTS (SELECT 1 FROM game WHERE turn IS NOT NULL AND clock <> 'none')";
        self.one(sql, [], only)
    }
}
