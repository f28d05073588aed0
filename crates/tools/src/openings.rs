//! Makes the table of balanced openings for 8×8: positions after eight plies that are about even, each by the
//! plies that lead to it. Images under the symmetries of the board are one position. Each is searched with the
//! same number of nodes, so the same weights give the same table.
//!
//! `cargo run --release -p outflank-tools -- openings [ENTRIES [THREADS]]`

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

use clap::Args;
use outflank_engine::book::{children, key};
use outflank_rules::{Cell, Overrides, Rules, Variant};

use crate::book::{Opening, START, value};
use crate::failure::Failure;
use crate::parallel::in_parallel;

/// Make the table of balanced openings
#[derive(Args)]
pub(crate) struct Openings {
    /// How many openings to find
    #[arg(default_value_t = 2_600)]
    entries: usize,
    /// The number of threads
    #[arg(default_value_t = 2)]
    threads: usize,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = TABLE)]
    output: PathBuf,
}

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../model/src/openings.txt");
const PLIES: usize = 8;
/// Black's first move in all lines; the others are its images.
const FIRST: &str = "f5";
/// The first search of all lines: its nodes, and the most discs by which a line may differ from even.
const FIRST_SEARCH: (u64, i32) = (130_000, 2);
/// The searches of the lines that are left, one after the other.
const SEARCHES: [(u64, i32); 2] = [(1_500_000, 1), (16_000_000, 1)];
/// How many lines go through these searches together.
const CHUNK: usize = 500;
/// The seed of the order in which lines are searched, so that a part of them is like all.
const SEED: u64 = 8;

/// The plies that lead to a position, and the position.
type Line = (String, Opening);

impl Openings {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let rules = Variant::named("othello")?.rules(&Overrides::default())?;
        let mut values = BTreeMap::new();
        let mut lines = self.near_even(&rules, lines(), FIRST_SEARCH, &mut values);
        fastrand::Rng::with_seed(SEED).shuffle(&mut lines);
        let mut found = Vec::new();
        for chunk in lines.chunks(CHUNK) {
            let mut left = chunk.to_vec();
            for search in SEARCHES {
                left = self.near_even(&rules, left, search, &mut values);
            }
            found.extend(left);
            if found.len() >= self.entries {
                break;
            }
        }
        found.sort_unstable();
        for ((nodes, value), count) in values {
            println!("{nodes} nodes: {value:+} discs, {count} lines");
        }
        let text: String = found.iter().map(|(plies, _)| format!("{plies}\n")).collect();
        fs::write(&self.output, &text)?;
        println!("{} openings, {} bytes", found.len(), text.len());
        Ok(())
    }

    /// Returns the lines whose values, found in searches of so many nodes, are at most `margin` discs from even.
    /// Counts the lines with each number of nodes and value.
    fn near_even(
        &self,
        rules: &Rules,
        lines: Vec<Line>,
        (nodes, margin): (u64, i32),
        counts: &mut BTreeMap<(u64, i32), usize>,
    ) -> Vec<Line> {
        let value = |number: usize| value(rules, lines[number].1, nodes);
        let values = in_parallel(lines.len(), self.threads, value);
        let with_value = lines.into_iter().zip(values);
        let valued = with_value.filter_map(|(line, value)| Some((line, value?)));
        let is_near = |&(_, value): &(Line, i32)| {
            *counts.entry((nodes, value)).or_default() += 1;
            value.abs() <= margin
        };
        valued.filter(is_near).map(|(line, _)| line).collect()
    }
}

/// Returns a line to each position after eight plies, in alphabetical order.
fn lines() -> Vec<Line> {
    let mut ply = vec![(String::new(), START)];
    for number in 0..PLIES {
        let mut known = HashSet::new();
        let mut next = Vec::new();
        for (plies, (own, other)) in &ply {
            for (square, own, other) in children(*own, *other) {
                let cell = name(square);
                if (number > 0 || cell == FIRST) && known.insert(key(own, other)) {
                    next.push((format!("{plies}{cell}"), (own, other)));
                }
            }
        }
        ply = next;
    }
    ply
}

/// Returns the name of a square of the engine.
fn name(square: usize) -> String {
    let [column, row] = [square / 8, square % 8].map(|number| i32::try_from(number).unwrap_or(0));
    Cell::new(column, row + 1).label().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_67245_positions_after_eight_plies() {
        assert_eq!(lines().len(), 67_245);
    }

    #[test]
    fn no_two_openings_lead_to_images_of_one_position() {
        let lines: BTreeMap<_, _> = lines().into_iter().collect();
        let table = fs::read_to_string(TABLE).unwrap();
        assert!(table.lines().count() >= 2_500 && table.len() <= 100_000);
        for opening in table.lines() {
            assert!(lines.contains_key(opening), "{opening}");
        }
    }
}
