//! The computer player: search, evaluation and exact endings, on the rules in
//! [`game`](crate::game).
//!
//! Everything here is pure. The caller passes in the number of threads, a seed for random choices,
//! and a function that says when a search must stop. With one thread and a limit on nodes, the
//! same position and seed give the same answer.
//!
//! [`Engine`] chooses the board for a position: `general` has every rectangle and the hex lattice.
//! All boards share one search (`search`) and its memory (`table`).

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
pub use solve::{Progress, Resources, Solution, SolvedMove, Value, estimated_nodes, solve};
pub use strength::Score;
