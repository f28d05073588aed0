//! Outflank.
pub mod clock;
pub mod command;
pub mod game;
