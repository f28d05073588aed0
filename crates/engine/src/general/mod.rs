//! Every board: rectangles with all options, and the hex lattice.

mod bits;
mod board;
mod dispatch;
mod evaluation;
mod geometry;
mod node;
mod remoteness;
mod sparse;

pub(super) use dispatch::{Prove, discs_left, search};
pub(super) use remoteness::score;
