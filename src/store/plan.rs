use super::{Db, Error, Result, Tx, get};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_rules::Move;

/// The stored plan of a player for a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPlan {
    /// Its owner.
    pub player: PlayerId,
    /// The number of the last event before its moves.
    pub event: usize,
    /// Its lines of moves.
    pub branches: Vec<Vec<Move>>,
}

impl Tx<'_> {
    /// Stores the plan of a player for a game. It replaces an earlier one. `branches` are lines of
    /// moves, separated by slashes; `event` is the number of the last event before them.
    pub fn set_plan(
        &self,
        game: GameId,
        player: PlayerId,
        event: usize,
        branches: &str,
    ) -> Result<()> {
        let sql = "INSERT INTO plan (game, player, event, branches) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET event = excluded.event, branches = excluded.branches";
        self.run(sql, (game.0, player.0, event, branches))
    }

    /// Deletes the plan of a player for a game.
    pub fn delete_plan(&self, game: GameId, player: PlayerId) -> Result<()> {
        self.run("DELETE FROM plan WHERE game = ?1 AND player = ?2", (game.0, player.0))
    }
}

impl Db<'_> {
    /// Returns the plans of the players of a game.
    pub fn plans(&self, game: GameId) -> Result<Vec<StoredPlan>> {
        let sql = "SELECT player, event, branches FROM plan WHERE game = ?1";
        self.all(sql, [game.0], |row| {
            let branches: String = row.get("branches")?;
            let branches = branches.split('/').map(|branch| {
                branch.split_whitespace().map(str::parse).collect::<Result<Vec<Move>, _>>()
            });
            let branches = branches.collect::<Result<_, _>>();
            let branches = branches
                .map_err(|bad| Error::inconsistent(game)(format!("a plan is not valid: {bad}")))?;
            Ok(StoredPlan { player: get(row, "player")?, event: row.get("event")?, branches })
        })
    }
}
