//! What the host is told, and what the host can look up.

mod club;
mod log;
mod logged;
mod notice;
