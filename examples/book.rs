//! Makes the opening book of the engine for 8×8. It searches each position with the same number of
//! nodes, so the same weights give the same book.
//!
//! ```sh
//! cargo run --release --example book -- [POSITIONS [NODES [THREADS]]]
//! ```

use std::{env, fs};

use outflank_engine::book::{self, Opening};
use outflank_engine::training::in_parallel;
use outflank_engine::{Engine, Limits};
use outflank_rules::{Cell, Overrides, Rules, Setup, Variant};

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ai/eight/book.bin");
const MEMORY: usize = 16 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let mut number = |default| arguments.next().map_or(Ok(default), |text| text.parse());
    let (positions, nodes, threads) = (number(6_000)?, number(150_000)?, number(2)?);
    let rules = Variant::named("othello")?.rules(&Overrides::default())?;
    let evaluate = |openings: &[Opening]| {
        let value = |number: usize| value(&rules, openings[number], nodes as u64).unwrap_or(0);
        let values = in_parallel(openings.len(), threads, value);
        eprintln!("{} positions evaluated", openings.len());
        values
    };
    let book = book::make(positions, &evaluate);
    fs::write(BOOK, &book)?;
    println!("{} positions, {} bytes", book.len() / 9, book.len());
    Ok(())
}

/// Returns the value of an opening for the player to move; `None` for a position without moves.
fn value(rules: &Rules, opening: Opening, nodes: u64) -> Option<i32> {
    let letter = |row: u64, column: u64| {
        let bit = 8 * column + row;
        match (opening.own >> bit & 1, opening.other >> bit & 1) {
            (1, _) => 'b',
            (_, 1) => 'w',
            _ => '-',
        }
    };
    let rows: Vec<String> =
        (0..8).map(|row| (0..8).map(|column| letter(row, column)).collect()).collect();
    let setup: Setup = format!("(b {})", rows.join(" ")).parse().ok()?;
    let position = setup.position(rules, Cell::new(0, 1)).ok()?;
    let limits = Limits { nodes, depth: u32::MAX, stop: &|| false };
    Some(Engine::new(MEMORY, 1).best(&position, &limits)?.value)
}
