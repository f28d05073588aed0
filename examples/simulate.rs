//! Lets made-up worlds run, each from a seed, and checks what must hold in them.
//!
//! ```text
//! cargo run --release --example simulate -- --seed 7 --steps 2000
//! cargo run --release --example simulate -- --minutes 60
//! ```
//!
//! On a violation it prints the seed and the shortest trail that still shows it; `--trail FILE` repeats one.

#[path = "../tests/simulator/mod.rs"]
mod simulator;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use mimalloc::MiMalloc;
use simulator::{Outcome, Tally};

/// Worlds take less time with it than with the allocator of the C library, for SQLite too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The last one of so many worlds is repeated without one of its plans.
const TWINS_EVERY: u64 = 10;

/// Lets made-up worlds run, and checks what must hold in them
#[derive(Parser)]
#[command(name = "simulate")]
struct Arguments {
    /// The seed of the first world
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many steps each world has
    #[arg(long, default_value_t = 1000)]
    steps: usize,
    /// How long to run, one world after the other [default: one world]
    #[arg(long)]
    minutes: Option<u64>,
    /// How many seconds to look for a shorter trail
    #[arg(long, default_value_t = 60)]
    shrink: u64,
    /// The built program, which runs some of the processes [default: `outflank` beside the folder of the examples]
    #[arg(long)]
    program: Option<PathBuf>,
    /// Repeat the trail in this file instead
    #[arg(long)]
    trail: Option<PathBuf>,
    /// Keep the files and the mails of the last world in this folder
    #[arg(long)]
    keep: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Arguments { seed, steps, minutes, shrink, program, trail, keep } = Arguments::parse();
    let keep = keep.as_deref();
    let program = program.or_else(built);
    let program = program.as_deref();
    if program.is_none() {
        println!("without the built program: `cargo build --release` builds it");
    }
    if let Some(file) = trail {
        return repeat(&file, program, keep);
    }
    let limit = minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let (begun, mut total) = (Instant::now(), Tally::default());
    for seed in seed.. {
        let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
        let mut outcome = simulator::simulate(seed, steps, left, program);
        total += outcome.tally;
        if outcome.violation.is_none() && seed % TWINS_EVERY == TWINS_EVERY - 1 {
            outcome.violation = simulator::plans_are_hidden(&outcome.trail).err();
        }
        if outcome.violation.is_some() {
            println!("seed {seed}, after {:.0} s", begun.elapsed().as_secs_f64());
            keep_files(&outcome, keep);
            report(&outcome, Duration::from_secs(shrink), program);
            return ExitCode::FAILURE;
        }
        if limit.is_none_or(|limit| begun.elapsed() >= limit) {
            keep_files(&outcome, keep);
            break;
        }
    }
    let rate = total.steps as f64 / begun.elapsed().as_secs_f64();
    println!("{total}; {rate:.0} steps a second; nothing was violated");
    ExitCode::SUCCESS
}

/// Returns the program that was built with this example, if it was.
fn built() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.parent()?.parent()?.join("outflank");
    program.exists().then_some(program)
}

/// Prints the violation and the shortest trail that shows it.
fn report(outcome: &Outcome, shrinking: Duration, program: Option<&Path>) {
    if let Some(violation) = &outcome.violation {
        println!("{violation}");
    }
    println!("the shortest trail:");
    for step in simulator::shortest(outcome, shrinking, program) {
        println!("{step}");
    }
}

/// Keeps the files and the mails of a world in a folder.
fn keep_files(outcome: &Outcome, folder: Option<&Path>) {
    let Some(folder) = folder else { return };
    if let Err(error) = outcome.keep(folder) {
        eprintln!("simulate: {}: {error}", folder.display());
    }
}

fn repeat(file: &Path, program: Option<&Path>, keep: Option<&Path>) -> ExitCode {
    let read = fs::read_to_string(file).map_err(|error| error.to_string());
    let parse = |text: String| {
        let steps = text.lines().map(|line| line.parse().map_err(|error| format!("{error}")));
        steps.collect::<Result<Vec<_>, _>>()
    };
    match read.and_then(parse) {
        Ok(trail) => {
            let outcome = simulator::repeat(&trail, program);
            keep_files(&outcome, keep);
            match outcome.violation {
                Some(violation) => println!("{violation}"),
                None => println!("{}; nothing was violated; {:x}", outcome.tally, outcome.hash),
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("simulate: {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}
