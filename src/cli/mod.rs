//! The front ends: how commands come in and how their replies go out.

mod args;
mod complete;
mod completions;
mod dialogue;
mod environment;
mod failure;
mod invocation;
mod log;
mod output;
mod pipe;
mod play;
mod progress;
#[cfg(feature = "tui")]
mod screen;
mod shell;
mod streams;
#[cfg(feature = "web")]
mod web;

pub use args::{CompletionShell, program};
pub use completions::script;
pub use shell::run;
