//! The log of a game: which events can happen, what follows from them, and plans.

mod events;
mod plans;
mod plies;
