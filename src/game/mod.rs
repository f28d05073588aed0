//! The rules of the Othello family: pure, without I/O, clock or randomness.
//!
//! One parametric engine plays every variant. A [`Lattice`] defines the cells and their neighbours,
//! [`Rules`] define how discs are placed and who wins, and a [`Variant`] is a named set of rules.
//! A [`Position`] is one moment of a game; a [`Game`] is a start position with the moves made from
//! it. A [`Setup`] is a position string that has not been validated.
//!
//! ```
//! use outflank::game::{Color, Game, Overrides, Position, Transcript, Variant};
//!
//! let rules = Variant::named("mini")?.rules(&Overrides::default())?;
//! let mut game = Game::new(Position::start(rules));
//! let transcript: Transcript = "b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2".parse()?;
//! for mv in transcript.0 {
//!     game.play(mv)?;
//! }
//! // After d2, Black could not place a disc and passed automatically.
//! assert_eq!(game.plies().len(), 13);
//! let outcome = game.outcome().expect("the game is over");
//! assert_eq!((outcome.winner, outcome.black, outcome.white), (Some(Color::White), 4, 12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bitboard;
mod board;
mod bot;
mod cell;
mod color;
mod event;
mod grid;
mod id;
pub(crate) mod kernel;
mod lattice;
mod notation;
mod perft;
mod plan;
mod position;
mod quoted;
mod replay;
mod rules;
mod setup;
mod variant;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use board::{Cells, Frame};
pub use bot::{BadBot, Bot, Level};
pub use cell::{BadCell, Cell};
pub use color::Color;
pub use event::{Action, BadAction, Event, Offer, Ply};
pub use id::{BadGameId, GameId};
pub use lattice::{BadSize, Direction, Lattice, Size};
pub(crate) use notation::parse_digits;
pub use notation::{BadMove, Move, Transcript};
pub use perft::perft;
pub use plan::{BadPlan, Plan, Planned};
pub use position::{Illegal, Position, State};
pub use quoted::{quoted, shortened};
pub use replay::{Game, TakenBack};
pub use rules::{Goal, Outcome, Placement, Reason, Rules, Stuck};
pub use setup::{BadSetup, Fault, Faults, Setup};
pub use variant::{FixedRules, Overrides, UnknownVariant, VARIANTS, Variant};
