//! Makes the opening book of the engine for 8×8. It searches each position with the same number of
//! nodes, so the same weights give the same book.
//!
//! `cargo run --release -p outflank-tools -- book [POSITIONS [NODES [THREADS]]]`

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use clap::Args;
use outflank_engine::book::{children, key};
use outflank_engine::{Engine, Limits};
use outflank_rules::{Cell, Overrides, Rules, Setup, Variant};

use crate::failure::Failure;
use crate::parallel::in_parallel;

/// Make the opening book
#[derive(Args)]
pub(crate) struct Book {
    /// How many positions to evaluate, at least
    #[arg(default_value_t = 6_000)]
    positions: usize,
    /// The nodes for each position
    #[arg(default_value_t = 150_000)]
    nodes: u64,
    /// The number of threads
    #[arg(default_value_t = 2)]
    threads: usize,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = BOOK)]
    output: PathBuf,
}

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/eight/book.bin");
/// The bytes of an engine's table.
const MAX_BYTES: usize = 16 << 20;
/// The book follows moves that are at most this many discs worse than the best.
const MAX_LOSS: i32 = 2;

/// The discs of the player to move, bit `8 · column + row` from 0, and of the other player.
pub(crate) type Opening = (u64, u64);
pub(crate) const START: Opening = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);

impl Book {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let rules = Variant::named("othello")?.rules(&Overrides::default())?;
        let evaluate = |openings: &[Opening]| {
            let value =
                |number: usize| value(&rules, openings[number], self.nodes).unwrap_or_default();
            let values = in_parallel(openings.len(), self.threads, value);
            eprintln!("{} positions evaluated", openings.len());
            values
        };
        let mut values = Values::default();
        let plies = values.explore(self.positions, &evaluate);
        values.back_up(&plies);
        let book = values.file();
        fs::write(&self.output, &book)?;
        println!("{} positions, {} bytes", book.len() / 9, book.len());
        Ok(())
    }
}

/// The values of positions for the player to move, in discs, by their keys.
#[derive(Default)]
struct Values(HashMap<u64, i32>);

impl Values {
    /// Returns the value of a position for the player who moved to it.
    fn after(&self, (own, other): Opening) -> Option<i32> {
        self.0.get(&key(own, other)).map(|value| -value)
    }

    /// Evaluates the moves of all positions that good moves lead to, ply by ply from the start, until
    /// this many positions are evaluated. Returns the positions of each ply. `evaluate` returns the
    /// value of each position.
    fn explore(
        &mut self,
        count: usize,
        evaluate: &dyn Fn(&[Opening]) -> Vec<i32>,
    ) -> Vec<Vec<Opening>> {
        let mut known = HashSet::from([key(START.0, START.1)]);
        let mut plies = vec![vec![START]];
        while let Some(ply) = plies.last().filter(|ply| !ply.is_empty() && self.0.len() < count) {
            let moves = ply.iter().flat_map(|&opening| positions_after(opening));
            let new: Vec<_> = moves.filter(|&(own, other)| known.insert(key(own, other))).collect();
            let found = evaluate(&new);
            self.0.extend(new.iter().zip(found).map(|(new, value)| (key(new.0, new.1), value)));
            let next = self.good_moves(ply);
            plies.push(next);
        }
        plies
    }

    /// Returns the positions after the good moves of these positions.
    fn good_moves(&self, ply: &[Opening]) -> Vec<Opening> {
        let mut good = Vec::new();
        for &opening in ply {
            let moves = positions_after(opening);
            let best = moves.iter().filter_map(|&after| self.after(after)).max();
            for after in moves {
                let is_good = self.after(after) >= best.map(|best| best - MAX_LOSS);
                if is_good && !good.contains(&after) {
                    good.push(after);
                }
            }
        }
        good
    }

    /// Gives each position the value of its best move, from the last ply back.
    fn back_up(&mut self, plies: &[Vec<Opening>]) {
        for &opening in plies.iter().rev().flatten() {
            let moves: Option<Vec<_>> =
                positions_after(opening).into_iter().map(|after| self.after(after)).collect();
            if let Some(best) = moves.and_then(|values| values.into_iter().max()) {
                self.0.insert(key(opening.0, opening.1), best);
            }
        }
    }

    /// Returns the book as a file.
    fn file(self) -> Vec<u8> {
        let mut entries: Vec<_> = self.0.into_iter().collect();
        entries.sort_unstable();
        let bytes = |(key, value): (u64, i32)| {
            let value = i8::try_from(value).unwrap_or(0).cast_unsigned();
            key.to_le_bytes().into_iter().chain([value])
        };
        entries.into_iter().flat_map(bytes).collect()
    }
}

fn positions_after((own, other): Opening) -> Vec<Opening> {
    children(own, other).into_iter().map(|(_, own, other)| (own, other)).collect()
}

/// Returns the value of an opening for the player to move; `None` for a position without moves.
pub(crate) fn value(rules: &Rules, (own, other): Opening, nodes: u64) -> Option<i32> {
    let letter = |row: u64, column: u64| {
        let bit = 8 * column + row;
        match (own >> bit & 1, other >> bit & 1) {
            (1, _) => 'b',
            (_, 1) => 'w',
            _ => '-',
        }
    };
    let rows: Vec<String> =
        (0..8).map(|row| (0..8).map(|column| letter(row, column)).collect()).collect();
    let setup: Setup = format!("(b {})", rows.join(" ")).parse().ok()?;
    let position = setup.position(rules, Cell::new(0, 1)).ok()?;
    let limits = Limits { nodes, ..Limits::until(&|| false) };
    Some(Engine::new(MAX_BYTES, 1).best(&position, &limits)?.value)
}
