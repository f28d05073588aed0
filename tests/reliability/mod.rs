//! Many processes at once, killed processes, broken databases, full disks, and queued mail: every
//! command is done completely or not at all.

mod backup;
mod bad_database;
mod clock;
mod contention;
mod cost;
mod creation;
mod faults;
mod handover;
mod history;
mod housekeeping;
mod import;
mod killed;
mod log;
mod migration;
mod outbox;
mod replica;
pub mod small_disk;
mod standby;
pub mod state;
mod synced;
mod verify;
mod watch;
