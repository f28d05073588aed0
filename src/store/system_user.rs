//! The users of the system, and as which player each of them played last.

use super::{Db, Error, Tx, get};
use outflank_model::{Player, PlayerId};

impl Db<'_> {
    /// Returns the player as whom a user of the system played last; `None` if the player has left.
    pub fn player_of_user(&self, user: u32) -> Result<Option<Player>, Error> {
        let sql = "SELECT player FROM system_user WHERE id = ?1";
        self.first(sql, [user], |row| self.player(get(row, 0)?))
    }
}

impl Tx<'_> {
    /// Stores as which player a user of the system plays.
    pub fn set_player_of_user(&self, user: u32, player: PlayerId) -> Result<(), Error> {
        let sql = "INSERT INTO system_user (id, player) VALUES (?1, ?2)
             ON CONFLICT (id) DO UPDATE SET player = excluded.player";
        self.run(sql, (user, player.0))
    }
}
