//! The signed blocks of imported games.

use super::{Db, Result, Tx, only};
use outflank_model::log::GameId;

impl Tx<'_> {
    /// Stores the letters of the signed block that an imported game came in.
    pub fn add_signed_game(&self, game: GameId, letters: &str) -> Result<()> {
        self.run("INSERT INTO signed_game (game, letters) VALUES (?1, ?2)", (game.0, letters))
    }
}

impl Db<'_> {
    /// Returns the letters of the signed block that an imported game came in; `None` if it came in none.
    pub fn signed_game(&self, game: GameId) -> Result<Option<String>> {
        self.first("SELECT letters FROM signed_game WHERE game = ?1", [game.0], only)
    }
}
