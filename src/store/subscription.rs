use super::{Db, Result, Tx, only};
use outflank_model::PlayerId;
use outflank_model::log::GameId;

impl Tx<'_> {
    /// Sets whether a player gets turn mails of a game, and returns whether that is a change.
    pub fn set_subscribed(&self, player: PlayerId, game: GameId, wanted: bool) -> Result<bool> {
        let sql = if wanted {
            "DELETE FROM unsubscribed WHERE game = ?1 AND player = ?2"
        } else {
            "INSERT INTO unsubscribed (game, player) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        };
        self.changes(sql, (game.0, player.0))
    }
}

impl Db<'_> {
    /// Returns whether a player gets turn mails of a game.
    pub fn is_subscribed(&self, player: PlayerId, game: GameId) -> Result<bool> {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM unsubscribed WHERE game = ?1 AND player = ?2)";
        self.one(sql, (game.0, player.0), only)
    }
}
