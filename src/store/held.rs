use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row};

use super::{Db, Error, PlayerId, Time, key, seconds};

key! {
    /// The key of what is held.
    HeldId
}

/// Commands that wait until it is said that they were really given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The key.
    pub id: HeldId,
    /// In whose name they were given; `None` for somebody who is no player yet.
    pub player: Option<PlayerId>,
    /// Who is asked.
    pub address: String,
    /// The commands, a line each.
    pub commands: String,
    /// When they came in.
    pub created_at: DateTime<Utc>,
    /// Whether they wait no more.
    pub is_done: bool,
}

fn held(row: &Row) -> rusqlite::Result<Held> {
    Ok(Held {
        id: row.get("id")?,
        player: row.get("player")?,
        address: row.get("address")?,
        commands: row.get("commands")?,
        created_at: row.get::<_, Time>("created_at")?.0,
        is_done: row.get("is_done")?,
    })
}

impl Db<'_> {
    /// Holds commands back.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn hold(
        &self,
        player: Option<PlayerId>,
        address: &str,
        commands: &str,
        now: DateTime<Utc>,
    ) -> Result<HeldId, Error> {
        self.0
            .prepare_cached(
                "INSERT INTO held (player, address, commands, created_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute((player, address, commands, seconds(now)))?;
        Ok(HeldId(self.0.last_insert_rowid()))
    }

    /// What is held under this key, whether it waits still or not; `None` when there is nothing.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn held(&self, id: HeldId) -> Result<Option<Held>, Error> {
        let mut select = self.0.prepare_cached(
            "SELECT id, player, address, commands, created_at, done_at IS NOT NULL AS is_done
             FROM held WHERE id = ?1",
        )?;
        Ok(select.query_row([id], held).optional()?)
    }

    /// Forgets what came in before a time, and the questions about it.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn forget_held(&self, before: DateTime<Utc>) -> Result<(), Error> {
        let before = seconds(before);
        self.0
            .prepare_cached(
                "UPDATE outbox SET held = NULL
                 WHERE held IN (SELECT id FROM held WHERE created_at < ?1)",
            )?
            .execute([before])?;
        self.0.prepare_cached("DELETE FROM held WHERE created_at < ?1")?.execute([before])?;
        Ok(())
    }

    /// Holds commands no more about which nobody could be asked.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn drop_held(&self, id: HeldId) -> Result<(), Error> {
        self.0.prepare_cached("DELETE FROM held WHERE id = ?1")?.execute([id])?;
        Ok(())
    }

    /// Holds these commands no more.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn release(&self, id: HeldId, now: DateTime<Utc>) -> Result<(), Error> {
        self.0
            .prepare_cached("UPDATE held SET done_at = ?2 WHERE id = ?1")?
            .execute((id, seconds(now)))?;
        Ok(())
    }
}
