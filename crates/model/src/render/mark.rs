use outflank_rules::{Cell, Cells, Color, Direction, Move, Position};

use crate::log::Game;

/// The side of a cell in pictures and HTML, and the gap between two cells, in pixels.
pub(super) const SIDE: usize = 40;
pub(super) const GAP: usize = 2;
/// The width of the edge of a disc of the last move.
pub(super) const EDGE_WIDTH: usize = 3;

/// The board around the cells.
pub(super) const FRAME: u32 = 0x17402b;
/// An empty cell, and the cell under a disc.
pub(super) const FELT: u32 = 0x2c7a51;
/// The labels, and in HTML the cells where a disc can be placed.
pub(super) const LABEL: u32 = 0xd9f2e1;
/// The edge of the last placed disc and of the flipped ones.
pub(super) const EDGE: u32 = 0xffc53d;
/// The discs.
pub(super) const BLACK: u32 = 0x14181a;
pub(super) const WHITE: u32 = 0xf6f5ef;

/// The part of the last move that a figure shows.
#[derive(Debug, Clone)]
pub struct LastMove<'a> {
    /// The cell of the placed disc.
    pub placed: Cell,
    /// The player who placed it.
    pub by: Color,
    /// The flipped discs.
    pub flipped: &'a Cells,
}

impl<'a> LastMove<'a> {
    /// Returns the last placement of a game, even if passes followed; `None` if no disc was placed.
    pub fn of(game: &'a Game) -> Option<Self> {
        game.plies().iter().rev().find_map(|ply| match ply.mv {
            Move::Place(placed) => Some(Self { placed, by: ply.by, flipped: &ply.flipped }),
            Move::Pass => None,
        })
    }

    /// Returns the direction from the placed disc to a cell.
    pub(super) fn direction_of(&self, cell: Cell) -> Direction {
        let Cell { column, row } = self.placed;
        ((cell.column - column).signum(), (cell.row - row).signum())
    }
}

/// How a figure draws one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// An empty cell, or a gap between two cells.
    Empty,
    /// An empty cell where a disc can be placed.
    Legal,
    /// A disc.
    Disc(Color),
    /// The last placed disc.
    Placed(Color),
    /// A disc that the last move flipped.
    Flipped(Color),
    /// An arrow in an empty cell that points to a disc.
    Arrow(char),
}

/// Returns the mark of a cell. `last` is the move that led to the position.
pub(super) fn mark(position: &Position, last: Option<&LastMove>, cell: Cell) -> Mark {
    match (position.disc(cell), last) {
        (None, _) => Mark::Empty,
        (Some(color), Some(last)) if cell == last.placed => Mark::Placed(color),
        (Some(color), Some(last)) if last.flipped.contains(cell) => Mark::Flipped(color),
        (Some(color), _) => Mark::Disc(color),
    }
}
