//! What the host is told, and what the host can look up.

mod log;
mod logged;
mod notice;
