//! The users of the system, each with the player that the user last played as.

use super::{Db, Result, Tx, get};
use outflank_model::{Player, PlayerId};

impl Db<'_> {
    /// Returns the player that a user of the system last played as; `None` if there is none or the player has
    /// left.
    pub fn player_of_user(&self, user: u32) -> Result<Option<Player>> {
        let sql = "SELECT player FROM system_user WHERE id = ?1";
        self.first(sql, [user], |row| self.player(get(row, 0)?))
    }
}

impl Tx<'_> {
    /// Stores the player that a user of the system plays as.
    pub fn set_player_of_user(&self, user: u32, player: PlayerId) -> Result<()> {
        let sql = "INSERT INTO system_user (id, player) VALUES (?1, ?2)
             ON CONFLICT (id) DO UPDATE SET player = excluded.player";
        self.run(sql, (user, player.0))
    }
}
