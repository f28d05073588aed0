//! The computer player: search, evaluation and exact endings, on the rules in [`outflank_rules`].
//!
//! Everything here is pure. The caller passes in the number of threads, a seed for random choices,
//! and a function that says when a search must stop. With one thread and a limit on nodes, the
//! same position and seed give the same answer.
//!
//! [`Engine`] chooses the board for a position: `general` has every rectangle and the hex lattice with
//! one search for all of them (`search`), `eight` has Othello on 8×8 with a search of its own. Both leave
//! the last squares to `ending`, if it knows the rules.

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::too_many_lines,
        clippy::unimplemented,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

mod analysis;
mod candidates;
mod database;
mod eight;
mod ending;
mod engine;
mod evaluated;
mod general;
mod glance;
mod hash;
mod level;
mod limits;
mod prob_cut;
mod reason;
mod root;
mod search;
mod solve;
mod symmetry;
mod transposition_table;
mod window;

pub use analysis::{Effort, Judgement, accuracy, analyze, turning_point};
pub use database::{BadDatabase, Database, Unbuildable, build_database};
pub use eight::book;
pub use engine::Engine;
pub use evaluated::{Evaluated, Proof};
pub use hash::mix;
pub use level::{BadLevel, Level, Score};
pub use limits::Limits;
pub use reason::{MAX_COMPARED, Reason, reason};
pub use solve::{Progress, Resources, Solution, SolvedMove, Value, Wanted, estimated_nodes, solve};

/// The evaluation of Othello on 8×8 by itself, and files of weights for it.
pub mod evaluation {
    pub use crate::eight::{
        DEVIATIONS, Evaluator, Features, LAYER_UNIT, NEURONS, ROW, ROW_UNIT, STAGES, UNIT, Weights,
        network_start, stage_of,
    };
    pub use crate::prob_cut::shallow_depth;
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
