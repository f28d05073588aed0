use chrono::{DateTime, Utc};

use super::{Db, Error, Time, seconds};
use crate::game::{Game, GameId};

impl Db<'_> {
    /// Writes down the moves of a game from this one on, counted from 0, all made at this time.
    pub(super) fn add_moves(
        &self,
        id: GameId,
        game: &Game,
        from: usize,
        at: DateTime<Utc>,
    ) -> Result<(), Error> {
        let lattice = game.start().rules().lattice;
        let mut insert = self.0.prepare_cached(
            "INSERT INTO move (game, ply, move, auto, made_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (ply, made) in (1_i64..).zip(game.plies()).skip(from) {
            let label = lattice.move_label(made.played);
            insert.execute((id.0, ply, label, made.auto, seconds(at)))?;
        }
        Ok(())
    }

    /// Makes the stored moves in a restored game and returns when each was made.
    pub(super) fn replay_moves(
        &self,
        id: GameId,
        game: &mut Game,
    ) -> Result<Vec<DateTime<Utc>>, Error> {
        let nonsense = |reason: String| Error::Nonsense { game: id, reason };
        let mut select = self
            .0
            .prepare_cached("SELECT move, auto, made_at FROM move WHERE game = ?1 ORDER BY ply")?;
        let mut rows = select.query([id.0])?;
        let mut times = Vec::new();
        while let Some(row) = rows.next()? {
            let played =
                row.get_ref("move")?.as_str().map_err(|e| nonsense(e.to_string()))?.parse();
            let played = played.map_err(|e: crate::game::BadMove| nonsense(e.to_string()))?;
            game.replay(played, row.get("auto")?).map_err(|e| nonsense(e.to_string()))?;
            times.push(row.get::<_, Time>("made_at")?.0);
        }
        Ok(times)
    }
}
