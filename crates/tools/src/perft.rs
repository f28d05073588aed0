//! Counts the games of 1, 2, 3, … plies from the start of a variant.
//!
//! `cargo run --release -p outflank-tools -- perft othello 9`
//!
//! A pass counts as a ply; a game that ends earlier is one leaf at every greater depth.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::Args;
use outflank_rules::{Position, perft};

use crate::failure::Failure;
use crate::rules::RuleOptions;

/// Count the games of 1 to DEPTH plies from the start of a variant
#[derive(Args)]
pub(crate) struct Perft {
    /// The variant
    variant: String,
    /// The maximum number of plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    #[command(flatten)]
    options: RuleOptions,
}

impl Perft {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let start = Position::start(self.options.rules(&self.variant)?);
        let mut out = io::stdout().lock();
        let (mut nodes, mut time) = (0, Duration::ZERO);
        for depth in 1..=self.depth {
            let begun = Instant::now();
            let leaves = perft(&start, depth);
            time += begun.elapsed();
            nodes += leaves;
            writeln!(out, "depth {depth} nodes {leaves}")?;
        }
        writeln!(out, "{:.0} nodes/s", nodes as f64 / time.as_secs_f64())?;
        Ok(())
    }
}
