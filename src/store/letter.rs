//! The players with letters of the club, when these are due, and new members.

use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, get, only, seconds};
use outflank_model::PlayerId;

impl Db<'_> {
    /// Returns the first `most` members whose next letter is due at this time, or only after `latest`.
    pub fn players_with_due_letters(
        &self,
        now: DateTime<Utc>,
        latest: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<PlayerId>> {
        let sql = "SELECT id FROM player WHERE letter = 1 AND left_at IS NULL AND letter_at <= ?1
             UNION ALL
             SELECT id FROM player WHERE letter = 1 AND left_at IS NULL AND letter_at > ?2 LIMIT ?3";
        self.all(sql, (seconds(now), seconds(latest), most), only)
    }

    /// Returns when the next letter to a player is due; `None` for one who never wanted any.
    pub fn letter_at(&self, player: PlayerId) -> Result<Option<DateTime<Utc>>> {
        self.one("SELECT letter_at FROM player WHERE id = ?1", [player.0], |row| Ok(get(row, 0)?))
    }

    /// Returns the first `most` members who have joined between these times and stand in letters.
    pub fn new_members(
        &self,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<(PlayerId, String)>> {
        let sql = "SELECT id, name FROM player WHERE created_at >= ?1 AND created_at < ?2
             AND left_at IS NULL AND named = 'on' ORDER BY created_at, id LIMIT ?3";
        let params = (seconds(from), seconds(until), most);
        self.all(sql, params, |row| Ok((get(row, 0)?, row.get(1)?)))
    }
}

impl Tx<'_> {
    /// Stores when the next letter to a player is due.
    pub fn set_letter_at(&self, player: PlayerId, at: DateTime<Utc>) -> Result<()> {
        self.run("UPDATE player SET letter_at = ?2 WHERE id = ?1", (player.0, seconds(at)))
    }

    /// Supersedes the unsent letters to a player.
    pub fn supersede_letters(&self, player: PlayerId) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'superseded'
             WHERE player = ?1 AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             AND kind = 'letter'";
        self.run(sql, [player.0])
    }
}
