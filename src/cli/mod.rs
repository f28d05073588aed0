//! The doors: how commands come in and how their answers go out.

mod args;
mod environment;
mod output;
mod pipe;
mod shell;

pub use shell::run;
