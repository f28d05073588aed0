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
        clippy::unimplemented,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

mod analysis;
mod database;
mod eight;
mod ending;
mod engine;
mod general;
mod level;
mod search;
mod solve;
mod strength;
mod symmetry;
mod table;

pub use analysis::{Effort, Judgement, accuracy, analyze, turning_point};
pub use database::{BadDatabase, Database, Unbuildable, build_database};
pub use eight::{book, train as training};
pub use engine::{Engine, Evaluated, Limits};
pub use level::Level;
pub use solve::{Progress, Resources, Solution, SolvedMove, Value, Wanted, estimated_nodes, solve};
pub use strength::Score;
