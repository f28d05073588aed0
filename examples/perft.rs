//! Counts the games of so many plies from a variant's start.
//!
//! `cargo run --release --example perft -- othello 9`
//!
//! A pass counts as a ply; a game that ended earlier is one leaf at every greater depth.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use outflank::command::RuleOptions;
use outflank::game::{NotOnThisLattice, Overrides, Position, UnknownVariant, Variant, perft};

/// Counts the games of 1 to DEPTH plies from the start of a variant
#[derive(Parser)]
#[command(name = "perft")]
struct Arguments {
    /// Which variant
    variant: String,
    /// The greatest number of plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    #[command(flatten)]
    options: RuleOptions,
}

/// Why nothing was counted, or nothing more.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    #[error(transparent)]
    Options(#[from] NotOnThisLattice),
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("perft: {failure}");
            ExitCode::from(1)
        }
    }
}

/// Prints help as it is, and what is wrong with the arguments on one line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nobody is left to be told that help could not be printed.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    // What is missing stands on the lines after the first, as far as an empty one.
    let words = text.lines().take_while(|line| !line.is_empty()).flat_map(str::split_whitespace);
    let line = words.collect::<Vec<_>>().join(" ");
    eprintln!("perft: {}", line.trim_start_matches("error: "));
    // A value that was given and is refused, like a size out of range, is no error of usage.
    let refused = matches!(
        error.get(ContextKind::InvalidValue),
        Some(ContextValue::String(value)) if !value.is_empty()
    );
    ExitCode::from(if refused { 1 } else { 2 })
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let rules = Variant::named(&arguments.variant)?.rules(&Overrides::from(&arguments.options))?;
    let start = Position::start(rules);
    let mut out = io::stdout().lock();
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for depth in 1..=arguments.depth {
        let begun = Instant::now();
        let leaves = perft(&start, depth).leaves;
        time += begun.elapsed();
        nodes += leaves;
        writeln!(out, "depth {depth} nodes {leaves}")?;
    }
    writeln!(out, "{:.0} nodes/s", nodes as f64 / time.as_secs_f64())?;
    Ok(())
}
