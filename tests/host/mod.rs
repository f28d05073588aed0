//! The notices to the host, and the host's own queries.

mod club;
mod imported;
mod log;
mod logged;
mod notice;
