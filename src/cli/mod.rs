//! The front ends: how commands come in and how their replies go out.

mod args;
mod environment;
mod failure;
mod invocation;
mod output;
mod pipe;
mod progress;
mod shell;

pub use shell::run;
