//! Simple players, against which the levels for beginners are measured.

use std::fmt;
use std::str::FromStr;

use fastrand::Rng;
use outflank_rules::{Cell, Lattice, Move, Position};

/// A player with a few rules. Among moves that these do not tell apart, it plays at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Simple {
    /// Flips as many discs as it can.
    Greedy,
    /// Takes a corner if it can, else it is greedy.
    Corners,
    /// Takes a corner, or else avoids the squares beside empty corners, or else it is greedy.
    Neighbours,
}

const NAMES: [(&str, Simple); 3] =
    [("greedy", Simple::Greedy), ("corners", Simple::Corners), ("neighbours", Simple::Neighbours)];

impl Simple {
    /// Returns its move; `None` if the game is over.
    pub(crate) fn choose(self, position: &Position, rng: &mut Rng) -> Option<Move> {
        let moves = position.legal();
        let score = |mv: Move| {
            let Move::Place(cell) = mv else { return (false, false, 0) };
            let nearest = nearest_corner(position, cell);
            let is_corner = nearest == Some(cell);
            let opens = nearest.is_some_and(|corner| {
                position.disc(corner).is_none()
                    && (corner.column - cell.column).abs() <= 1
                    && (corner.row - cell.row).abs() <= 1
            });
            (
                self != Self::Greedy && is_corner,
                self != Self::Neighbours || is_corner || !opens,
                position.flips(cell).len(),
            )
        };
        let best = moves.iter().map(|&mv| score(mv)).max()?;
        let best: Vec<_> = moves.into_iter().filter(|&mv| score(mv) == best).collect();
        rng.choice(best)
    }
}

/// Returns the corner of the same quarter of a rectangle; `None` on the hex lattice.
fn nearest_corner(position: &Position, cell: Cell) -> Option<Cell> {
    let Lattice::Rectangle(size) = position.rules().lattice else { return None };
    let (right, bottom) = (i32::from(size.columns()) - 1, i32::from(size.rows()));
    let column = if 2 * cell.column > right { right } else { 0 };
    Some(Cell::new(column, if 2 * cell.row > bottom { bottom } else { 1 }))
}

impl FromStr for Simple {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        NAMES.iter().find(|(name, _)| *name == text).map(|(_, simple)| *simple).ok_or(())
    }
}

impl fmt::Display for Simple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, simple)| simple == self).map_or("", |(name, _)| name);
        f.pad(name)
    }
}
