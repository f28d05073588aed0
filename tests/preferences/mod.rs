//! The settings of players and their effects.

mod decided;
mod due;
mod mute;
mod settings;
mod words;
