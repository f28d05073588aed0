//! The tests of the library's parts, and of the binary as people, mail servers and sshd run it.

mod analysis;
mod bots;
mod browser;
mod challenges;
mod clocks;
mod commands;
mod doctor;
mod end_to_end;
#[cfg(feature = "web")]
mod exchange;
mod figures;
mod harness;
mod host;
mod intake;
mod links;
mod log;
mod mails;
mod members;
mod messages;
mod outgoing;
mod package;
#[cfg(feature = "web")]
mod pages;
mod play;
mod portable;
mod preferences;
mod protocols;
mod ratings;
mod receive;
mod reliability;
mod replies;
#[cfg(feature = "tui")]
mod screen;
#[cfg(feature = "web")]
mod simulator;
mod ssh;
mod terminal;
mod time;
mod tournaments;
mod transports;
mod watching;
#[cfg(feature = "web")]
mod web;
