//! The engine for Othello on 8×8: bitboards, an evaluation by patterns, and a fast search of endings. It has
//! a search of its own, which gains strength from being tied to the evaluation and the board: moves are
//! ordered by the evaluation, unlikely ones cut off (ProbCut), and the last squares searched by special code
//! ([`ending`](super::ending)).

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
