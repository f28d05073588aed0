//! Outflank: Othello and its family, played by mail.
//!
//! This is the page to begin with. A command comes in by a door, and goes through these rooms:
//!
//! ```text
//!  shell --+                                              +-- stdout: figure, table, JSON
//!  mail  --+--> one grammar --> one application layer ----+
//!  ssh   --+    (command/)      (app/: a command a file)  +-- outbox row --> SMTP | sendmail | Maildir
//!                                |            |
//!                            rules (game/)  SQLite (store/)
//! ```
//!
//! | room | who should enter |
//! |---|---|
//! | [`game`] | who changes the rules: [`Lattice`](game::Lattice), [`Rules`](game::Rules), the table [`VARIANTS`](game::VARIANTS), [`Position`](game::Position), [`Game`](game::Game). Pure. |
//! | [`render`] | who changes how a position is drawn, or what is said of a game in words |
//! | [`command`] | who changes how a game, a move, a player or rules are named |
//! | [`store`] | who changes what is kept: a file per table over `migrations/*.sql` |
//! | [`mail`] | who changes what a mail says or how it leaves: composer, templates, transports; or how mail that came in is [read](mail::read); or the codes that answers bear |
//! | [`app`] | who changes what a command does, or adds one: a file per command |
//! | [`cli`] | who changes how answers look on a terminal, or adds a door |
//! | [`config`], [`clock`] | settings; the time |
//!
//! A move is one transaction ([`store::Store::write`]): the move, the new state of the game and
//! the mail that it causes, as a row of the outbox; for a move that came by mail, also the record
//! that this mail was seen, and the answer to it. Delivery comes after the commit, and is
//! repeated until it worked. Which room may import which is in the README and held by
//! `tests/layout.rs`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
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
pub mod game;
pub mod mail;
pub mod render;
pub mod store;
