use super::{Db, Error, PlayerId};
use crate::game::GameId;

impl Db<'_> {
    /// Has a player get turn mails of a game, or no longer. Whether that is a change.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn set_subscribed(
        &self,
        player: PlayerId,
        game: GameId,
        wanted: bool,
    ) -> Result<bool, Error> {
        let sql = if wanted {
            "DELETE FROM unsubscribed WHERE game = ?1 AND player = ?2"
        } else {
            "INSERT INTO unsubscribed (game, player) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        };
        Ok(self.0.prepare_cached(sql)?.execute((game.0, player))? > 0)
    }

    /// Whether a player gets turn mails of a game.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn is_subscribed(&self, player: PlayerId, game: GameId) -> Result<bool, Error> {
        let mut select = self.0.prepare_cached(
            "SELECT NOT EXISTS (SELECT 1 FROM unsubscribed WHERE game = ?1 AND player = ?2)",
        )?;
        Ok(select.query_row((game.0, player), |row| row.get(0))?)
    }
}
