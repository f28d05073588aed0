//! Counts the games of 1, 2, 3, … plies from the start of a variant.
//!
//! `cargo run --release -p outflank-rules --example perft -- othello 9 [--size 6x6] [--misere]
//! [--anywhere] [--pass auto|explicit]`
//!
//! A pass counts as a ply; a game that ends earlier is one leaf at every greater depth.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use outflank_rules::{Overrides, Position, Stuck, Variant, perft};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe.
        Err(failure) if is_broken_pipe(&*failure) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("perft: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(failure: &(dyn Error + 'static)) -> bool {
    let error = failure.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run() -> Result<(), Box<dyn Error>> {
    let (start, depth) = arguments()?;
    let mut out = io::stdout().lock();
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for depth in 1..=depth {
        let begun = Instant::now();
        let leaves = perft(&start, depth);
        time += begun.elapsed();
        nodes += leaves;
        writeln!(out, "depth {depth} nodes {leaves}")?;
    }
    writeln!(out, "{:.0} nodes/s", nodes as f64 / time.as_secs_f64())?;
    Ok(())
}

/// Returns the start of the game and the greatest depth.
fn arguments() -> Result<(Position, u32), Box<dyn Error>> {
    const USAGE: &str = "usage: perft VARIANT DEPTH [--size ROWSxCOLUMNS] [--misere] [--anywhere] \
                         [--pass auto|explicit]";
    let mut words = env::args().skip(1);
    let (Some(variant), Some(depth)) = (words.next(), words.next()) else {
        return Err(USAGE.into());
    };
    let mut overrides = Overrides::default();
    while let Some(option) = words.next() {
        match option.as_str() {
            "--misere" => overrides.misere = true,
            "--anywhere" => overrides.anywhere = true,
            "--size" => overrides.size = Some(words.next().ok_or(USAGE)?.parse()?),
            "--pass" => {
                overrides.stuck = Some(match words.next().as_deref() {
                    Some("auto") => Stuck::AutoPass,
                    Some("explicit") => Stuck::MustPass,
                    _ => return Err(USAGE.into()),
                });
            }
            _ => return Err(USAGE.into()),
        }
    }
    let rules = Variant::named(&variant)?.rules(&overrides)?;
    Ok((Position::start(rules), depth.parse()?))
}
