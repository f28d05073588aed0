use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{Db, Result, Tx, get, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::time_control::ClockSettings;

/// A time away of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// When it begins.
    pub from: DateTime<Utc>,
    /// The first second after it.
    pub until: DateTime<Utc>,
}

fn absence(row: &Row) -> Result<Absence> {
    Ok(Absence { from: get(row, "from_at")?, until: get(row, "until_at")? })
}

/// A player who is away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsentPlayer {
    /// The player's name.
    pub name: String,
    /// The player's time zone and other settings of clocks.
    pub clock: ClockSettings,
    /// The present absence.
    pub absence: Absence,
}

impl Db<'_> {
    /// Returns the players who are away at this time.
    pub fn absent_players(&self, now: DateTime<Utc>) -> Result<Vec<AbsentPlayer>> {
        let sql = "SELECT name, clock, from_at, until_at
             FROM absence INDEXED BY absence_until JOIN player ON player.id = absence.player
             WHERE until_at > ?1 AND from_at <= ?1 ORDER BY name";
        self.all(sql, [seconds(now)], |row| {
            let clock = parsed(row, "clock")?;
            Ok(AbsentPlayer { name: row.get("name")?, clock, absence: absence(row)? })
        })
    }

    /// Returns the absences of a player that end after this time, the earliest first.
    pub fn absences(&self, player: PlayerId, after: DateTime<Utc>) -> Result<Vec<Absence>> {
        let sql = "SELECT from_at, until_at FROM absence WHERE player = ?1 AND until_at > ?2
             ORDER BY from_at";
        self.all(sql, (player.0, seconds(after)), absence)
    }
}

impl Tx<'_> {
    /// Adds an absence of a player, which overlaps no other.
    pub fn add_absence(&self, player: PlayerId, absence: Absence) -> Result<()> {
        let sql = "INSERT INTO absence (player, from_at, until_at) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET until_at = excluded.until_at";
        self.run(sql, (player.0, seconds(absence.from), seconds(absence.until)))
    }

    /// Ends an absence of a player at this time, or deletes it if it has not begun before.
    pub fn end_absence(
        &self,
        player: PlayerId,
        absence: Absence,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let parameters = (player.0, seconds(absence.from), seconds(now));
        let sql = "DELETE FROM absence WHERE player = ?1 AND from_at = ?2 AND from_at >= ?3";
        self.execute(sql, parameters)?;
        self.run("UPDATE absence SET until_at = ?3 WHERE player = ?1 AND from_at = ?2", parameters)
    }
}
