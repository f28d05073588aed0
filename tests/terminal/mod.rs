//! The board on a terminal, as people see and use it.

#[cfg(feature = "tui")]
mod games;
#[cfg(feature = "tui")]
mod leaving;
mod looks;
mod pty;

pub use pty::Terminal;
