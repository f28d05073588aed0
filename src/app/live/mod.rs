//! Support for front ends with a board that stays open: a seat at it, and the game as it stands.

pub(crate) mod board;
pub(crate) mod open;
pub(crate) mod seat;
pub(crate) mod served;
pub(crate) mod typed;
pub(crate) mod visit;
