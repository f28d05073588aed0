use super::{Db, Result, Tx, get, only};
use outflank_model::log::GameId;
use outflank_model::{Player, PlayerId};

/// The condition that a row of `watcher` counts: both players allow watchers, and neither has blocked
/// this one.
const IS_ALLOWED: &str = "NOT EXISTS (
    SELECT 1 FROM game JOIN player AS playing ON playing.id IN (game.black, game.white)
    WHERE game.id = watcher.game AND (playing.watchers <> 'all' OR EXISTS (
        SELECT 1 FROM blocked WHERE blocked.player = playing.id AND blocked.author = watcher.player)))";

impl Tx<'_> {
    /// Sets whether a player watches a game.
    pub fn set_watching(&self, player: PlayerId, game: GameId, watching: bool) -> Result<()> {
        let sql = if watching {
            "INSERT INTO watcher (game, player) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        } else {
            "DELETE FROM watcher WHERE game = ?1 AND player = ?2"
        };
        self.run(sql, (game.0, player.0))
    }

    /// Ends all that a player watches.
    pub fn delete_watches(&self, player: PlayerId) -> Result<()> {
        self.run("DELETE FROM watcher WHERE player = ?1", [player.0])
    }
}

impl Db<'_> {
    /// Returns those who watch a game and may, by name.
    pub fn watchers(&self, game: GameId) -> Result<Vec<Player>> {
        let sql = format!("SELECT player FROM watcher WHERE game = ?1 AND {IS_ALLOWED}");
        let mut watchers = self.all(&sql, [game.0], |row| self.player(get(row, 0)?))?;
        watchers.sort_by_key(|player| player.name.to_lowercase());
        Ok(watchers)
    }

    /// Returns whether a player watches a game and may.
    pub fn is_watching(&self, player: PlayerId, game: GameId) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM watcher WHERE game = ?1 AND player = ?2 AND {IS_ALLOWED})"
        );
        self.one(&sql, (game.0, player.0), only)
    }

    /// Returns how many people watch a game, also those who may not at present.
    pub fn count_watchers(&self, game: GameId) -> Result<u32> {
        self.one("SELECT count(*) FROM watcher WHERE game = ?1", [game.0], only)
    }
}
