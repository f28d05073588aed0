use std::time::Duration;

use crate::protocol::Unsuitable;
use outflank_rules::{Illegal, quoted};

/// Why an external program gave no move, as one line for the host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The program cannot be started.
    #[error("cannot run {program}: {reason}")]
    Start {
        /// The program.
        program: String,
        /// The operating system's error, or the error in the settings.
        reason: String,
    },
    /// The program ended before it gave a move.
    #[error("{program} {how}{}", last(.words))]
    Ended {
        /// The program.
        program: String,
        /// Its exit status or the signal that killed it.
        how: String,
        /// The last line that it wrote to standard error; may be empty.
        words: String,
    },
    /// The program gave no move in time.
    #[error("{program} gave no move within {} s{}", limit.as_secs(), last(.words))]
    Silent {
        /// The program.
        program: String,
        /// The time that it had.
        limit: Duration,
        /// The last line that it wrote to standard error; may be empty.
        words: String,
    },
    /// The program wrote too much.
    #[error("{0} wrote more than {most} MB without a move", most = super::MAX_OUTPUT_BYTES >> 20)]
    Flood(String),
    /// The answer of the program was not a move.
    #[error("{program} answered {}, which is not a move", quoted(.answer))]
    Nonsense {
        /// The program.
        program: String,
        /// Its answer.
        answer: String,
    },
    /// The program chose an illegal move.
    #[error("{program} chose {mv}: {illegal}")]
    Illegal {
        /// The program.
        program: String,
        /// The move.
        mv: String,
        /// Why it is illegal.
        illegal: Illegal,
    },
    /// The protocol cannot describe the game.
    #[error(transparent)]
    Unsuitable(#[from] Unsuitable),
    /// The caller asked to stop.
    #[error("{0} was stopped")]
    Stopped(String),
}

fn last(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("; its last error line: {words}") }
}
