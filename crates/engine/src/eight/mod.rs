//! The engine for Othello on 8×8: bitboards, an evaluation by patterns, and a search of its own. The one of the
//! other boards would search a third fewer nodes a second here, and leave out fewer. Both leave the last squares
//! to [`ending`](super::ending).

mod alpha_beta;
pub mod book;
mod evaluator;
mod features;
mod move_ordering;
mod node;
mod pattern;
mod prob_cut;
mod root;
mod search;
mod split;
mod threads;
mod weights;

pub use evaluator::Evaluator;
pub use features::Features;
pub use weights::{DEVIATIONS, STAGES, UNIT, Weights, stage_of};

pub(super) use root::{ScoredTable, place, plays, search};
