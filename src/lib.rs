//! Outflank: a play-by-mail server for Othello and its family.
//!
//! A command comes from a front end and passes through these modules:
//!
//! ```text
//!  shell --+                                              +-- stdout: figure, table, JSON
//!  board --+--> one grammar --> one application layer ----+-- screen: the board, while it is open
//!  mail  --+    (command/)      (app/: a command a file)  +-- outbox --> SMTP | sendmail | Maildir
//!  ssh   --+                     |            |
//!              rules, engine, model (pure)  SQLite (store/)
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`outflank_rules`] | the rules, pure: [`Lattice`](outflank_rules::Lattice), [`Rules`](outflank_rules::Rules), [`Position`](outflank_rules::Position) |
//! | [`outflank_engine`] | the computer player: search, evaluation, exact endings |
//! | [`outflank_model`] | what a club is about, pure: games as logs of events, clocks, ratings, players, challenges, kinds of mail; figures and sentences |
//! | [`program`] | external programs that play: starts, limits and asks them |
//! | [`protocol`] | protocols between programs that play: lines in, lines out |
//! | [`portable`] | games as signed blocks of text, which outlive their server |
//! | [`command`] | the vocabulary of commands: game numbers, moves, names, addresses, rules |
//! | [`store`] | the database, a file per table: [`Db`](store::Db) reads, [`Tx`](store::Tx) writes |
//! | [`mail`] | composes messages ([`MessageContext`](mail::MessageContext)), delivers them ([`transport`](mail::transport)), parses incoming ones ([`read`](mail::read)); reply tokens |
//! | [`app`] | `commands`, a file each, in a folder for each heading of `help`; `effects`, what a change brings about; `views`, replies and tables; `receive`, incoming mail; `jobs`, computer players and analyses; `delivery`, the outbox; `doctor`, the checks of an installation; `live`, a [`Seat`](app::Seat) at a board that stays open; `run`, how a command runs; `line`, lines as commands; `access`, who may act; `disarm`, mails without accidental commands; `text`, texts of others made safe |
//! | [`cli`] | the front ends shell, mail pipe and ssh; the board as a dialogue in lines |
//! | `tui` | the board that fills the terminal, a feature of the build |
//! | `web` | the front end for browsers, a feature of the build: the server and its pages |
//! | [`config`], [`clock`], `files`, `lines` | the configuration; the time; files that survive a crash; lines of a stream |
//!
//! `CONTRIBUTING.md` lists the files to edit, in order, for a new command, event, mail, variant,
//! transport, job or migration.
//!
//! A move is one transaction ([`Store::write`](store::Store::write)): the events, the state that is derived
//! from them, and the outbox entries for the mails they cause. For a move that came by mail, the record that
//! this mail was processed and the reply to it belong to the same transaction. An outbox entry says what a
//! mail carries. Before each try, after the commit, it is decided whether and when it goes; then it becomes a
//! message context, which the composer turns into a message. Delivery is retried until it succeeds. Work that
//! takes time, such as a computer player's move, is queued in the same way: a job is part of the transaction
//! that causes it, and its result is one of its own. `tests/layout.rs` checks which module imports which.

#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::too_many_lines,
        clippy::unimplemented,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

pub mod app;
pub mod cli;
pub mod clock;
pub mod command;
pub mod config;
mod files;
mod lines;
pub mod mail;
pub mod portable;
pub mod program;
pub mod protocol;
pub mod store;
#[cfg(feature = "tui")]
pub mod tui;
#[cfg(feature = "web")]
pub mod web;
