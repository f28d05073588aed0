use std::str::FromStr;

use super::{BadMove, Cells, Color, Lattice, Move};

/// One entry of a game's log: who did what.
///
/// A new kind of event is an [`Action`] here, applied in `Game::apply`, and announced in
/// `app/notify.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The author.
    pub by: Color,
    /// What the author did.
    pub action: Action,
}

/// What can happen in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The player makes a move: places a disc or passes.
    Move(Move),
    /// The player cannot place a disc and passes automatically.
    AutoPass,
    /// The player resigns, on turn or not.
    Resign,
}

const AUTO_PASS: &str = "auto-pass";
const RESIGN: &str = "resign";

impl Action {
    /// Returns the move that it is, if it is one, and whether it was automatic.
    pub const fn as_move(self) -> Option<(Move, bool)> {
        match self {
            Self::Move(mv) => Some((mv, false)),
            Self::AutoPass => Some((Move::Pass, true)),
            Self::Resign => None,
        }
    }

    /// Returns it as text that [`str::parse`] reads: a cell, `pass`, `auto-pass` or `resign`.
    pub fn label(self, lattice: Lattice) -> String {
        match self {
            Self::Move(mv) => lattice.move_label(mv),
            Self::AutoPass => AUTO_PASS.to_owned(),
            Self::Resign => RESIGN.to_owned(),
        }
    }
}

impl FromStr for Action {
    type Err = BadMove;

    fn from_str(text: &str) -> Result<Self, BadMove> {
        match text {
            AUTO_PASS => Ok(Self::AutoPass),
            RESIGN => Ok(Self::Resign),
            _ => text.parse().map(Self::Move),
        }
    }
}

/// A move that was made, and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// The number of its event in the game's log, counted from 1.
    pub event: usize,
    /// The player who made it.
    pub by: Color,
    /// The move.
    pub mv: Move,
    /// The discs it flipped.
    pub flipped: Cells,
    /// Whether it is an automatic pass.
    pub auto: bool,
    /// Black discs on the board after it.
    pub black: u32,
    /// White discs on the board after it.
    pub white: u32,
}
