use std::fmt;
use std::str::FromStr;

use outflank_model::log::{BadGameId, GameId};
use outflank_rules::{BadMove, Lattice, Move, parse_digits, quoted};

/// A text is not a reference to a game or a move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadReference {
    /// The game number is not valid.
    #[error(transparent)]
    Game(#[from] BadGameId),
    /// The move number is not valid.
    #[error("{} is not a move number; use one such as #4", quoted(&format!("#{}", .0)))]
    Ply(String),
    /// The move is not valid.
    #[error(transparent)]
    Move(#[from] BadMove),
}

/// A game, optionally after a number of moves: `12` or `12#4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameAt {
    /// The game.
    pub game: GameId,
    /// The number of moves made.
    pub ply: Option<usize>,
}

/// Writes `GAME` or `GAME#PLY`.
impl fmt::Display for GameAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.game, suffix(self.ply))
    }
}

/// Parses `GAME` or `GAME#PLY`.
impl FromStr for GameAt {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Self, BadReference> {
        let (game, ply) = split_ply(text)?;
        Ok(Self { game: game.parse()?, ply })
    }
}

/// A move, optionally with its number in the game: `d3` or `d3#4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveAt {
    /// The move.
    pub mv: Move,
    /// The number that the move must have, counted from 1.
    pub ply: Option<usize>,
}

impl MoveAt {
    /// Returns the label of the move on this lattice, with its number if it has one.
    pub fn label(&self, lattice: Lattice) -> String {
        lattice.move_label(self.mv) + &suffix(self.ply)
    }
}

/// Returns `#PLY`, or an empty text.
fn suffix(ply: Option<usize>) -> String {
    ply.map(|ply| format!("#{ply}")).unwrap_or_default()
}

/// Parses `MOVE` or `MOVE#PLY`.
impl FromStr for MoveAt {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Self, BadReference> {
        let (mv, ply) = split_ply(text)?;
        Ok(Self { mv: mv.parse()?, ply })
    }
}

fn split_ply(text: &str) -> Result<(&str, Option<usize>), BadReference> {
    let Some((head, ply)) = text.split_once('#') else { return Ok((text, None)) };
    match parse_digits(ply) {
        Some(number) => Ok((head, Some(number))),
        None => Err(BadReference::Ply(ply.to_owned())),
    }
}
