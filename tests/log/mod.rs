//! The log of a game: its events, the states that result from them, and plans.

mod events;
mod plans;
mod plies;
