//! Nothing is lost or half done: many processes at once, killed processes, broken databases, full
//! disks, and queued mail.

mod backup;
mod bad_database;
mod contention;
mod cost;
mod creation;
mod housekeeping;
mod killed;
mod log;
mod migration;
mod outbox;
pub mod small_disk;
pub mod state;
mod synced;
mod watch;
