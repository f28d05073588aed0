//! The exact search of the last empty squares of Othello and its misère, on 8×8 and on every smaller
//! rectangle, which lies in the middle of the 8×8 board. It has null windows only.

mod entry;
mod last;
mod scoring;
mod search;
mod squares;
mod stability;

pub(super) use entry::{NO_MOVE, Table};
pub(super) use scoring::{NO_VALUE, Scoring, Squares};
pub(super) use search::Ending;
pub(super) use squares::{QUARTERS, odd_quarters};

/// With this many empty squares or fewer, this search takes over from the one with an evaluation.
pub(super) const MAX_EMPTIES: u32 = 13;
