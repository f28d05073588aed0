//! Messages of players: their senders, contents, effects and answers.

mod answers;
mod beginners;
mod digests;
mod joining;
mod lines;
mod moves;
mod offers;
mod one_mail;
mod plans;
mod questions;
mod quoted;
mod sender_checks;
mod suggestions;
mod tokens;
mod unseen;
mod unverified;
