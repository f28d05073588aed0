use outflank_rules::{Cell, Lattice, Move, Position};

use super::figure::Figure;
use super::mark::{LastMove, Mark, mark};
use super::{boxed, compact, sheared};

/// The size of a cell in a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Three columns in a box, as in the rules; on the hex lattice, two columns without a box.
    Full,
    /// Two columns. On the hex lattice the same as full.
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
/// as `o'`. Smaller figures show the placed and flipped discs in upper case. The cells of `legal` are
/// [`Mark::Legal`].
pub fn figure(
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
        (Scale::Compact, Lattice::Rectangle(_)) => compact::draw(position, 2, mark),
        (Scale::Tiny, Lattice::Rectangle(_)) => compact::draw(position, 1, mark),
        (Scale::Full | Scale::Compact, Lattice::Hex) => sheared::draw(position, 2, mark),
        (Scale::Tiny, Lattice::Hex) => sheared::draw(position, 1, mark),
    }
}
