use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{Db, Error, Result, Tx, seconds};
use outflank_model::StoredGame;
use outflank_model::log::GameId;
use outflank_rules::{BadMove, Move};

/// The analysis of one move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalyzedPly {
    /// The best move.
    pub best: Move,
    /// How many moves were legal.
    pub choices: usize,
    /// The expected margin in discs for the player after the move that was made.
    pub value: i32,
    /// The same after the best move.
    pub best_value: i32,
    /// The depth of the search in plies.
    pub depth: u32,
    /// Whether both values are proven.
    pub exact: bool,
    /// Whether it is proved who wins, but not by how many discs.
    pub decided: bool,
    /// The best move and the replies to it; nothing if none is better than the move that was made.
    pub line: Vec<Move>,
}

impl AnalyzedPly {
    fn of(row: &Row, game: GameId) -> Result<Self> {
        let (best, line): (String, String) = (row.get("best")?, row.get("line")?);
        let inconsistent = Error::inconsistent(game);
        let bad = |bad: BadMove| inconsistent(format!("its analysis is not valid: {bad}"));
        Ok(Self {
            best: best.parse().map_err(bad)?,
            choices: row.get("choices")?,
            value: row.get("value")?,
            best_value: row.get("best_value")?,
            depth: row.get("depth")?,
            exact: row.get("exact")?,
            decided: row.get("decided")?,
            line: line.split_whitespace().map(str::parse).collect::<Result<_, _>>().map_err(bad)?,
        })
    }
}

impl Db<'_> {
    /// Returns the analysis of a game: its moves in order; `None` if there is no analysis yet.
    pub fn analysis(&self, game: GameId) -> Result<Option<Vec<AnalyzedPly>>> {
        if !self.exists("SELECT 1 FROM analysis WHERE game = ?1", [game.0])? {
            return Ok(None);
        }
        let sql = "SELECT best, choices, value, best_value, depth, exact, decided, line
             FROM analysis_ply WHERE game = ?1 ORDER BY ply";
        self.all(sql, [game.0], |row| AnalyzedPly::of(row, game)).map(Some)
    }
}

impl Tx<'_> {
    /// Stores the analysis of a game. It replaces an earlier one.
    pub fn set_analysis(
        &self,
        stored: &StoredGame,
        plies: &[AnalyzedPly],
        now: DateTime<Utc>,
    ) -> Result<()> {
        let (game, lattice) = (stored.id, stored.game.lattice());
        self.execute("DELETE FROM analysis_ply WHERE game = ?1", [game.0])?;
        let sql = "INSERT INTO analysis (game, created_at) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET created_at = excluded.created_at";
        self.execute(sql, (game.0, seconds(now)))?;
        for (number, ply) in (1..).zip(plies) {
            let AnalyzedPly { best, choices, value, best_value, depth, exact, decided, ref line } =
                *ply;
            let best = lattice.move_label(best);
            let line: Vec<_> = line.iter().map(|&mv| lattice.move_label(mv)).collect();
            let line = line.join(" ");
            let sql = "INSERT INTO analysis_ply
                     (game, ply, best, choices, value, best_value, depth, exact, line, decided)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
            self.execute(
                sql,
                (game.0, number, best, choices, value, best_value, depth, exact, line, decided),
            )?;
        }
        Ok(())
    }
}
