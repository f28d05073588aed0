//! The notices to the host, and the host's own queries.

mod club;
mod log;
mod logged;
mod notice;
