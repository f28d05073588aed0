//! What a club is about: the types with their rules, pure. Nothing here knows a database or a mail server,
//! and callers pass in the time.
//!
//! | module | contents |
//! |---|---|
//! | [`log`] | the record of a game: [`Game`](log::Game), a log of [`Event`](log::Event)s; plans and offers |
//! | [`bot`] | the names of computer players |
//! | [`time_control`] | time controls and clocks: when a player's time ends, from the log of a game |
//! | [`rating`] | ratings of players: [`List`](rating::List), [`Rating`](rating::Rating) |
//! | [`preferences`] | the settings of players, a row each |
//! | [`tournament`] | tournaments: pairings, scores and tables |
//! | [`render`] | positions as text figures, HTML, SVG and PNG; sentences about a game |
//! | [`mail`] | mails: their kinds with the properties of each, their contents, why they are sent |
//! | [`Player`], [`Side`], [`StoredGame`], [`Agreement`], [`Opening`], [`StoredChallenge`], [`HeldCommands`] | members, games and challenges as the database has them |
//! | [`words`](mod@words) | enums of words, and lists of words in sentences |

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

mod agreement;
pub mod bot;
mod challenge;
mod game;
mod held;
pub mod log;
pub mod mail;
mod moment;
mod opening;
mod player;
pub mod preferences;
pub mod rating;
pub mod render;
mod side;
pub mod time_control;
pub mod tournament;
pub mod words;

pub use agreement::Agreement;
pub use challenge::{ChallengeState, Challenged, StoredChallenge};
pub use game::StoredGame;
pub use held::{About, HeldCommands, HeldId, HeldKind, HeldLine};
pub use moment::Moment;
pub use opening::Opening;
pub use player::{Player, PlayerId};
pub use side::Side;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
