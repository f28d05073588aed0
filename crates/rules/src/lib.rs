//! The rules of the Othello family: pure, without I/O, clock or randomness.
//!
//! One parametric engine plays every variant. A [`Lattice`] defines the cells and their neighbours,
//! [`Rules`] define how discs are placed and who wins, and a [`Variant`] is a named set of rules.
//! A [`Position`] is one moment of a game. A [`Setup`] is a position string that has not been
//! validated.
//!
//! ```
//! use outflank_rules::{Color, Move, Overrides, Position, State, Transcript, Variant};
//!
//! let rules = Variant::named("mini")?.rules(&Overrides::default())?;
//! let mut position = Position::start(rules);
//! let transcript: Transcript = "b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2".parse()?;
//! for mv in transcript.0 {
//!     if position.passes_automatically() {
//!         position.play(Move::Pass)?;
//!     }
//!     position.play(mv)?;
//! }
//! let State::Over(outcome) = position.state() else { panic!("the game is over") };
//! assert_eq!((outcome.winner, outcome.black, outcome.white), (Some(Color::White), 4, 12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

mod bitboard;
mod board;
mod cell;
mod cells;
mod color;
mod grid;
pub mod kernel;
mod lattice;
mod notation;
mod perft;
mod position;
mod quoted;
mod rules;
mod setup;
mod variant;

pub use cell::{BadCell, Cell};
pub use cells::{Cells, Frame};
pub use color::Color;
pub use lattice::{BadSize, Direction, Lattice, Size};
pub use notation::{BadMove, Move, Transcript, parse_digits};
pub use perft::perft;
pub use position::{Illegal, Position, State};
pub use quoted::{quoted, shortened};
pub use rules::{Goal, Outcome, Placement, Reason, Rules, Stuck};
pub use setup::{BadSetup, Fault, Faults, Setup};
pub use variant::{FixedRules, Overrides, UnknownVariant, VARIANTS, Variant};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
