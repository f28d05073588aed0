use rusqlite::Row;

use super::{Db, Error, Result, get};
use outflank_model::bot::Bot;
use outflank_model::log::GameId;
use outflank_model::{PlayerId, Side};

impl Db<'_> {
    /// Returns a side of a game from these columns of its row: the key of a person, and the name of a
    /// computer player or, in an imported game, of a guest.
    pub(super) fn side(&self, row: &Row, game: GameId, [player, bot]: [&str; 2]) -> Result<Side> {
        if let Some(player) = get::<Option<PlayerId>>(row, player)? {
            return self.player(player).map(Side::from);
        }
        let name = get::<Option<String>>(row, bot)?.unwrap_or_default();
        if row.get("imported")? {
            return Ok(Side::Guest(name));
        }
        name.parse::<Bot>().map(Side::from).map_err(Error::inconsistent(game))
    }
}
