//! The binary as people, mail servers and sshd run it.

mod analysis;
mod bots;
mod commands;
mod end_to_end;
mod harness;
mod intake;
mod outgoing;
mod preferences;
mod receive;
mod reliability;
mod ssh;
mod time;
