//! Tournaments: the commands, and what `send` does for them.

mod days;
pub(crate) mod house;
pub(crate) mod join;
pub(crate) mod list;
pub(crate) mod mails;
pub(crate) mod make;
mod seeding;
pub(crate) mod show;
pub(crate) mod withdraw;
