//! The front ends: shell, ssh, and the pipe of a mail server.

mod args;
mod complete;
mod completions;
mod dialogue;
mod environment;
mod failure;
mod invocation;
mod log;
mod man;
mod output;
mod pipe;
mod play;
mod progress;
#[cfg(feature = "tui")]
mod screen;
mod shell;
mod size;
mod streams;
#[cfg(feature = "web")]
mod web;

pub use args::program;
pub use shell::run;
