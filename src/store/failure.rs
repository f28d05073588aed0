use chrono::{DateTime, NaiveDate, Utc};

use super::{Db, Error, MailId, MailState, PlayerId, Time, Tx, seconds};

/// How often a mail has come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returns {
    /// How often.
    pub count: u32,
    /// When it did so first.
    pub first_at: DateTime<Utc>,
}

impl Tx<'_> {
    /// Records that the last try of a mail came back or was refused for ever; `None` when that is
    /// known already.
    pub fn mark_returned(
        &self,
        id: MailId,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<Returns>, Error> {
        let marked = self.execute(
            "UPDATE outbox SET returns = returns + 1, returned_try = tries, last_error = ?2,
                bounced_at = coalesce(bounced_at, ?3)
             WHERE id = ?1 AND returned_try < tries",
            (id.0, why, seconds(now)),
        )?;
        if marked == 0 {
            return Ok(None);
        }
        let mut select = self.prepare("SELECT returns, bounced_at FROM outbox WHERE id = ?1")?;
        let returns = select.query_row([id.0], |row| {
            Ok(Returns { count: row.get(0)?, first_at: row.get::<_, Time>(1)?.0 })
        })?;
        Ok(Some(returns))
    }

    /// Queues a mail that came back again, if it still matters: the start of a game without moves,
    /// or the current turn. Its Message-ID stays. Returns whether it was queued.
    pub fn requeue_returned(&self, id: MailId, due_at: DateTime<Utc>) -> Result<bool, Error> {
        let queued = self.execute(
            "UPDATE outbox SET state = 'queued', due_at = ?2
             WHERE id = ?1 AND state IN ('sent', 'failed') AND kind IN ('started', 'turn')
             AND ply = (SELECT ply FROM game WHERE game.id = outbox.game AND turn IS NOT NULL)",
            (id.0, seconds(due_at)),
        )?;
        Ok(queued > 0)
    }

    /// Sets the state of a mail.
    pub fn set_state(&self, id: MailId, state: MailState) -> Result<(), Error> {
        self.execute("UPDATE outbox SET state = ?2 WHERE id = ?1", (id.0, state)).map(drop)
    }

    /// Adds a failure of the mail to a player, forgets those before a time, and returns the days of
    /// those that are left, the days of several failures several times.
    pub fn add_failure(
        &self,
        player: PlayerId,
        now: DateTime<Utc>,
        forgotten: DateTime<Utc>,
    ) -> Result<Vec<NaiveDate>, Error> {
        self.execute(
            "DELETE FROM failure WHERE player = ?1 AND failed_at < ?2",
            (player, seconds(forgotten)),
        )?;
        self.execute(
            "INSERT INTO failure (player, failed_at) VALUES (?1, ?2)",
            (player, seconds(now)),
        )?;
        let mut select =
            self.prepare("SELECT failed_at FROM failure WHERE player = ?1 ORDER BY failed_at")?;
        let days = select.query_map([player], |row| Ok(row.get::<_, Time>(0)?.0.date_naive()))?;
        let days: Vec<_> = days.collect::<Result<_, _>>()?;
        self.execute("UPDATE player SET bounces = ?2 WHERE id = ?1", (player, days.len()))?;
        Ok(days)
    }

    /// Pauses mail to a player from now on: what is queued, and what will be.
    pub fn pause(&self, player: PlayerId, now: DateTime<Utc>) -> Result<(), Error> {
        self.execute(
            "UPDATE player SET paused_at = coalesce(paused_at, ?2) WHERE id = ?1",
            (player, seconds(now)),
        )?;
        self.change_state(player, MailState::Queued, MailState::Paused)
    }

    /// Ends the pause of a player, and forgets the failures.
    pub fn resume(&self, player: PlayerId) -> Result<(), Error> {
        self.execute("DELETE FROM failure WHERE player = ?1", [player])?;
        self.execute("UPDATE player SET bounces = 0, paused_at = NULL WHERE id = ?1", [player])?;
        self.change_state(player, MailState::Paused, MailState::Queued)
    }
}

impl Db<'_> {
    /// Returns when the first failure of the mail to a player that still counts happened.
    pub fn first_failure(&self, player: PlayerId) -> Result<Option<DateTime<Utc>>, Error> {
        let mut select = self.prepare("SELECT min(failed_at) FROM failure WHERE player = ?1")?;
        let first = select.query_row([player], |row| row.get::<_, Option<Time>>(0))?;
        Ok(first.map(|first| first.0))
    }
}
