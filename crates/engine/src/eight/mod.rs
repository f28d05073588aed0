//! The engine for Othello on 8×8: bitboards, an evaluation by patterns that a small network corrects, and a
//! search of its own. The search of the other boards visits about a third fewer nodes a second in the middle game of
//! 8×8. Both leave the last squares to [`ending`](super::ending).

mod alpha_beta;
pub mod book;
mod evaluator;
mod features;
mod move_ordering;
mod network;
mod node;
mod pattern;
mod pattern_table;
mod prob_cut;
mod root;
mod search;
mod split;
mod stage;
mod threads;
mod weights;

pub use evaluator::Evaluator;
pub use features::Features;
pub use network::{LAYER_UNIT, NEURONS, ROW, ROW_UNIT};
pub use stage::{STAGES, stage_of};
pub use weights::{DEVIATIONS, UNIT, Weights, network_start};

pub(super) use root::{ScoredTable, place, plays, search};
