//! What makes the engine and measures it: training, the opening book, matches, known values.
//!
//! `cargo run --release -p outflank-tools -- help` lists the tools. A tool is a file with arguments and
//! a function `run`, and a line in [`Tool`] and in its `run`.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use clap::Parser;

use failure::Failure;

mod book;
mod endings;
mod failure;
mod ffo;
mod levels;
mod lines;
mod openings;
pub mod pairs;
mod parallel;
mod perft;
mod prob_cut;
pub mod rules;
mod simple;
mod small_boards;
mod soak;
mod train;
mod wthor;

/// Make and measure the engine of Outflank
#[derive(Parser)]
#[command(name = "outflank-tools")]
enum Tool {
    Book(book::Book),
    Endings(endings::Endings),
    Ffo(ffo::Ffo),
    Levels(levels::Levels),
    Lines(lines::Lines),
    Openings(openings::Openings),
    Perft(perft::Perft),
    ProbCut(prob_cut::ProbCut),
    SmallBoards(small_boards::SmallBoards),
    Soak(soak::Soak),
    Train(train::Train),
}

impl Tool {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Book(tool) => tool.run(),
            Self::Endings(tool) => tool.run(),
            Self::Ffo(tool) => tool.run(),
            Self::Levels(tool) => tool.run(),
            Self::Lines(tool) => tool.run(),
            Self::Openings(tool) => tool.run(),
            Self::Perft(tool) => tool.run(),
            Self::ProbCut(tool) => tool.run(),
            Self::SmallBoards(tool) => tool.run(),
            Self::Soak(tool) => tool.run(),
            Self::Train(tool) => tool.run(),
        }
    }
}

/// Runs the tool that the command line names.
pub fn run() -> ExitCode {
    match Tool::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if is_broken_pipe(&*failure) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("outflank-tools: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether a tool has failed because the reader of its output has gone.
fn is_broken_pipe(failure: &(dyn Error + 'static)) -> bool {
    let error = failure.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
