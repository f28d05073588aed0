//! The rules of the Othello family: pure, without I/O, clock or randomness.
//!
//! There is one engine with parameters. A [`Lattice`] says where discs may lie, [`Rules`] say
//! how they are placed and who wins, and a named [`Variant`] is a value of these. A [`Position`]
//! is one moment of a game; a [`Game`] is a start and the moves made from it. A [`Setup`] is a
//! position from outside that has not been checked yet.

mod bitboard;
mod board;
mod cell;
mod color;
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
pub use id::{BadGameId, GameId};
pub use lattice::{BadSize, Direction, Lattice, Size};
pub use notation::{BadMove, Move, Transcript};
pub use perft::perft;
pub use position::{Illegal, Position, State};
pub use replay::{Game, Ply};
pub use rules::{Goal, Outcome, Placement, Reason, Rules, Stuck};
pub use setup::{BadSetup, Fault, Setup};
pub use variant::{NotOnThisLattice, Overrides, UnknownVariant, VARIANTS, Variant};
