//! Outflank.
pub mod app;
pub mod cli;
pub mod clock;
pub mod command;
pub mod config;
pub mod game;
pub mod mail;
pub mod render;
pub mod store;
