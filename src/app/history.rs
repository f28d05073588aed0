use clap::Args;
use serde::Serialize;

use super::reply::json_time;
use super::session::Reading;
use super::table::{Column, Entry, Table};
use super::view::{MoveJson, names};
use super::{Concerns, Error, Reply, Session, UseCase, find};
use crate::game::{GameId, Move};
use crate::render::words;

/// List the moves of a game
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: history 12")]
pub struct History {
    /// The number of the game
    game: GameId,
}

#[derive(Serialize)]
struct HistoryJson {
    game: i64,
    moves: Vec<PlyJson>,
}

#[derive(Serialize)]
struct PlyJson {
    ply: usize,
    #[serde(flatten)]
    mv: MoveJson,
    black: u32,
    white: u32,
    at: String,
    auto: bool,
}

impl UseCase for History {
    fn concerns(&self) -> Concerns {
        Concerns::Reads(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let stored = session.read(|Reading { db, .. }| find::game(db, self.game))?;
        let names = names(&stored.black, &stored.white);
        let lattice = stored.game.start().rules().lattice;
        let mut moves = Vec::new();
        let mut rows = Vec::new();
        for (number, ply) in (1..).zip(stored.game.plies()) {
            let Some(&at) = stored.times.get(ply.event - 1) else { continue };
            let automatic = if ply.auto { " (automatic)" } else { "" };
            let flipped = match ply.mv {
                Move::Pass => String::new(),
                Move::Place(_) => words::list(lattice, ply.flipped.iter().map(Move::Place)),
            };
            rows.push(vec![
                number.into(),
                names.with_color(ply.by).into(),
                format!("{}{automatic}", lattice.move_label(ply.mv)).into(),
                flipped.into(),
                ply.black.into(),
                ply.white.into(),
                Entry::Time(at),
            ]);
            moves.push(PlyJson {
                ply: number,
                mv: MoveJson::of(lattice, ply),
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
        let reply = Reply::new(&HistoryJson { game: stored.id.0, moves })
            .table(Table { columns, rows }, "No move has been made.");
        Ok(match words::result(&stored.game, names) {
            Some(result) => reply.text(result),
            None => reply,
        })
    }
}
