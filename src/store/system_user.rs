//! The users of the system, and as which player each of them played last.

use rusqlite::OptionalExtension;

use super::{Db, Error, Player, PlayerId, Tx};

impl Db<'_> {
    /// Returns the player as whom a user of the system played last; `None` if the player has left.
    pub fn player_of_user(&self, user: u32) -> Result<Option<Player>, Error> {
        let mut select = self.prepare("SELECT player FROM system_user WHERE id = ?1")?;
        let player = select.query_row([user], |row| row.get(0)).optional()?;
        player.map(|player| self.player(player)).transpose()
    }
}

impl Tx<'_> {
    /// Stores as which player a user of the system plays.
    pub fn set_player_of_user(&self, user: u32, player: PlayerId) -> Result<(), Error> {
        self.execute(
            "INSERT INTO system_user (id, player) VALUES (?1, ?2)
             ON CONFLICT (id) DO UPDATE SET player = excluded.player",
            (user, player),
        )
        .map(drop)
    }
}
