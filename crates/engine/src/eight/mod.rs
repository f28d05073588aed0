//! The engine for Othello on 8×8: two words for the board, an evaluation by patterns, and a fast
//! search of endings. It has a search of its own, because what it gains there comes from how closely
//! the two are tied to the board: moves are sorted by the evaluation, unlikely ones cut off
//! ([`prob_cut`]), and the last squares searched by special code ([`ending`](super::ending)).

pub mod book;
mod crew;
mod order;
mod pattern;
mod prob_cut;
mod root;
mod search;
pub mod train;
mod weights;

pub(super) use root::{Memory, place, plays, run, search};
