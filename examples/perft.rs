//! Counts the games of 1, 2, 3, … plies from the start of a variant.
//!
//! `cargo run --release --example perft -- othello 9`
//!
//! A pass counts as a ply; a game that ends earlier is one leaf at every greater depth.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use outflank::command::RuleOptions;
use outflank_rules::{FixedRules, Overrides, Position, UnknownVariant, Variant, perft};

/// Counts the games of 1 to DEPTH plies from the start of a variant
#[derive(Parser)]
#[command(name = "perft")]
struct Arguments {
    /// The variant
    variant: String,
    /// The maximum number of plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    #[command(flatten)]
    options: RuleOptions,
}

/// Why the count failed or stopped.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    #[error(transparent)]
    Options(#[from] FixedRules),
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("perft: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let rules = Variant::named(&arguments.variant)?.rules(&Overrides::from(&arguments.options))?;
    let start = Position::start(rules);
    let mut out = io::stdout().lock();
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for depth in 1..=arguments.depth {
        let begun = Instant::now();
        let leaves = perft(&start, depth);
        time += begun.elapsed();
        nodes += leaves;
        writeln!(out, "depth {depth} nodes {leaves}")?;
    }
    writeln!(out, "{:.0} nodes/s", nodes as f64 / time.as_secs_f64())?;
    Ok(())
}
