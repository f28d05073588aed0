//! Solves endings of tournament games and prints the nodes and the time.
//!
//! `cargo run --release -p outflank-tools -- endings FILE EMPTY GAMES`

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use outflank_engine::{Engine, Evaluated, Limits};
use outflank_rules::Position;

use crate::failure::Failure;
use crate::wthor;

/// Solve endings of tournament games
#[derive(Args)]
pub(crate) struct Endings {
    /// A file of games in WTHOR format
    file: PathBuf,
    /// The number of empty squares
    empty: u32,
    /// How many games to take, spread evenly over the file
    games: usize,
}

/// The bytes of the engine's table.
const MAX_BYTES: usize = 32 << 20;

impl Endings {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let bytes = fs::read(&self.file)?;
        let games = wthor::games(&bytes)?;
        let step = (games.len() / self.games.max(1)).max(1);
        let is_wanted = |position: &Position| {
            let empty = position.bitboards().map(|(own, other)| (own | other).count_zeros());
            empty == Some(self.empty) && position.legal().len() > 1
        };
        let mut engine = Engine::new(MAX_BYTES, 1);
        let (mut count, mut nodes, begun) = (0, 0, Instant::now());
        let taken = games.step_by(step).take(self.games);
        for position in taken.filter_map(|game| game.into_iter().find(is_wanted)) {
            let best = engine.best(&position, &Limits::until(&|| false));
            best.filter(Evaluated::is_exact).ok_or("an ending was not solved")?;
            count += 1;
            nodes += engine.nodes();
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!("{count} endings, {:.1} million nodes, {seconds:.2} s", nodes as f64 / 1e6);
        Ok(())
    }
}
