use clap::Args;
use serde::Serialize;

use super::reply::json_time;
use super::table::{Column, Table};
use super::view::{MoveJson, names};
use super::{Error, Reply, Session, UseCase, look_up};
use crate::game::{GameId, Move};
use crate::render::words;

/// List the moves of a game
#[derive(Debug, Clone, Args)]
pub struct History {
    /// The number of the game
    pub(super) game: GameId,
}

#[derive(Serialize)]
struct Json {
    game: i64,
    moves: Vec<PlyJson>,
}

#[derive(Serialize)]
struct PlyJson {
    ply: usize,
    #[serde(flatten)]
    made: MoveJson,
    black: u32,
    white: u32,
    at: String,
    auto: bool,
}

impl UseCase for History {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let stored = session.app.store.read(|db| look_up::game(db, self.game))?;
        let names = names(&stored.black, &stored.white);
        let lattice = stored.game.start().rules().lattice;
        let mut moves = Vec::new();
        let mut rows = Vec::new();
        for (number, (ply, &at)) in (1..).zip(stored.game.plies().iter().zip(&stored.times)) {
            let mut played = lattice.move_label(ply.played);
            if ply.auto {
                played.push_str(" (by itself)");
            }
            let flipped = match ply.played {
                Move::Pass => String::new(),
                Move::Place(_) => words::list(lattice, ply.flipped.iter().map(Move::Place)),
            };
            rows.push(vec![
                number.into(),
                names.with_color(ply.by).into(),
                played.into(),
                flipped.into(),
                ply.black.into(),
                ply.white.into(),
                super::table::Entry::Time(at),
            ]);
            moves.push(PlyJson {
                ply: number,
                made: MoveJson::of(lattice, ply),
                black: ply.black,
                white: ply.white,
                at: json_time(at),
                auto: ply.auto,
            });
        }
        let columns = vec![
            Column::Number("#"),
            Column::Prose("Player"),
            Column::Text("Move"),
            Column::Prose("Flipped"),
            Column::Number("Black"),
            Column::Number("White"),
            Column::Prose("When"),
        ];
        let reply = Reply::new(&Json { game: stored.id.0, moves })
            .table(Table { columns, rows }, "No move has been made.");
        Ok(match words::result(&stored.game, names) {
            Some(result) => reply.text(result),
            None => reply,
        })
    }
}
