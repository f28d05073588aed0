use rusqlite::Row;

use super::{Db, Error};
use outflank_model::PlayerId;
use outflank_model::Side;
use outflank_model::bot::Bot;
use outflank_model::log::GameId;
use outflank_rules::Color;

/// A side as it is stored: the key of a person, or the name of a computer player.
pub(super) struct SideRow {
    player: Option<PlayerId>,
    bot: Option<String>,
}

impl SideRow {
    /// Returns the side of this colour from a row of the table of games.
    pub(super) fn of(row: &Row, color: Color) -> rusqlite::Result<Self> {
        let (player, bot) = match color {
            Color::Black => ("black", "black_bot"),
            Color::White => ("white", "white_bot"),
        };
        Ok(Self { player: row.get::<_, Option<i64>>(player)?.map(PlayerId), bot: row.get(bot)? })
    }

    /// Looks up the person, or parses the name of the computer player.
    pub(super) fn read(self, db: &Db, game: GameId) -> Result<Side, Error> {
        match (self.player, self.bot) {
            (Some(player), _) => db.player(player).map(Side::from),
            (None, bot) => bot
                .unwrap_or_default()
                .parse::<Bot>()
                .map(Side::from)
                .map_err(|bad| Error::Inconsistent { game, reason: bad.to_string() }),
        }
    }
}
