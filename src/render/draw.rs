use outflank_rules::{Cell, Lattice, Move, Position};

use super::figure::Figure;
use super::mark::{LastMove, Mark, mark};
use super::{boxed, compact, sheared};

/// How much room a figure gives a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// That of the rules' figures: three columns and lines around it, two on the hex lattice.
    Full,
    /// Two columns.
    Compact,
    /// One column.
    Tiny,
}

impl Scale {
    /// All scales, the largest first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Compact, Self::Tiny];
}

/// Draws a position and marks the last move: on rectangles, the placed disc as `[B]` and the
/// flipped discs as `(B)`; on the hex lattice, the placed disc in upper case and the flipped discs
/// as `o'`.
pub fn figure(position: &Position, last: Option<&LastMove>) -> Figure {
    draw(position, Scale::Full, |cell| mark(position, last, cell))
}

/// Draws a position at a scale, as [`figure`] does; the cells of these moves have a role of their
/// own. Smaller figures show the discs that the last move placed or flipped in upper case.
pub fn figure_at(
    scale: Scale,
    position: &Position,
    last: Option<&LastMove>,
    legal: &[Move],
) -> Figure {
    draw(position, scale, |cell| match mark(position, last, cell) {
        Mark::Empty if legal.contains(&Move::Place(cell)) => Mark::Legal,
        mark => mark,
    })
}

pub(super) fn draw(position: &Position, scale: Scale, mark: impl Fn(Cell) -> Mark) -> Figure {
    match (scale, position.rules().lattice) {
        (Scale::Full, Lattice::Rectangle(_)) => boxed::draw(position, mark),
        (Scale::Full, Lattice::Hex) => sheared::draw(position, mark),
        (Scale::Compact, _) => compact::draw(position, 2, mark),
        (Scale::Tiny, _) => compact::draw(position, 1, mark),
    }
}
