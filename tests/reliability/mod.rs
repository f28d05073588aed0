//! Nothing is lost and nothing is half-done: many processes at once, processes that are killed,
//! databases and disks that do not work, and mail that waits.

mod backup;
mod bad_database;
mod contention;
mod killed;
mod migration;
mod outbox;
pub mod small_disk;
mod state;
