//! The rules of the Othello family: pure, without I/O, clock or randomness.
//!
//! There is one engine with parameters. A [`Lattice`] says where discs may lie, [`Rules`] say
//! how they are placed and who wins, and a named [`Variant`] is a value of these. A [`Position`]
//! is one moment of a game; a [`Game`] is a start and the moves made from it. A [`Setup`] is a
//! position from outside that has not been checked yet.
//!
//! ```
//! use outflank::game::{Color, Game, Overrides, Position, Transcript, Variant};
//!
//! let rules = Variant::named("mini")?.rules(&Overrides::default())?;
//! let mut game = Game::new(Position::start(rules));
//! let transcript: Transcript = "b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2".parse()?;
//! for played in transcript.0 {
//!     game.play(played)?;
//! }
//! // Black could not place a disc after d2, and passed by itself.
//! assert_eq!(game.plies().len(), 13);
//! let outcome = game.outcome().expect("it is over");
//! assert_eq!((outcome.winner, outcome.black, outcome.white), (Some(Color::White), 4, 12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bitboard;
mod board;
mod cell;
mod color;
mod event;
mod grid;
mod id;
mod lattice;
mod notation;
mod perft;
mod position;
mod replay;
mod rules;
mod setup;
mod variant;

pub use bitboard::Bitboard;
pub use board::{Cells, Frame};
pub use cell::{BadCell, Cell};
pub use color::Color;
pub use event::{Action, Event, Ply};
pub use id::{BadGameId, GameId};
pub use lattice::{BadSize, Direction, Lattice, Size};
pub use notation::{BadMove, Move, Transcript};
pub use perft::perft;
pub use position::{Illegal, Position, State};
pub use replay::Game;
pub use rules::{Goal, Outcome, Placement, Reason, Rules, Stuck};
pub use setup::{BadSetup, Fault, Faults, Setup};
pub use variant::{NotOnThisLattice, Overrides, UnknownVariant, VARIANTS, Variant};
