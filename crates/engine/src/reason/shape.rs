//! Edges and regions of a board.

use crate::glance::{corners, is_beside};
use outflank_rules::{Cell, Color, Lattice, Position};

/// Returns the four edges of a rectangle, each from corner to corner; none on the hex lattice.
pub(super) fn edges(position: &Position) -> Vec<Vec<Cell>> {
    let (Some([a, b, c, _]), Lattice::Rectangle(size)) =
        (corners(position), position.rules().lattice)
    else {
        return Vec::new();
    };
    let row = |from: Cell| (0..i32::from(size.columns())).map(|x| Cell::new(x, from.row)).collect();
    let column =
        |from: Cell| (1..=i32::from(size.rows())).map(|y| Cell::new(from.column, y)).collect();
    vec![row(a), row(c), column(a), column(b)]
}

/// Returns how many discs of a colour on an edge are known to be stable: those in a row from a corner, and
/// all if the edge is full. A disc on an edge can be flipped only along it.
pub(super) fn stable_discs(position: &Position, edge: &[Cell], color: Color) -> usize {
    let is_own = |cell: &&Cell| position.disc(**cell) == Some(color);
    if edge.iter().all(|&cell| position.disc(cell).is_some()) {
        return edge.iter().filter(is_own).count();
    }
    let from_start = edge.iter().take_while(is_own).count();
    from_start + edge.iter().rev().take_while(is_own).count()
}

/// Returns the empty cells of a rectangle connected to this empty one, diagonally too.
pub(super) fn region(position: &Position, cell: Cell) -> Vec<Cell> {
    let mut others: Vec<_> = position.cells().filter(|&it| position.disc(it).is_none()).collect();
    others.retain(|&it| it != cell);
    let mut region = vec![cell];
    let mut done = 0;
    while let Some(&from) = region.get(done) {
        region.extend(others.extract_if(.., |it| is_beside(*it, from)));
        done += 1;
    }
    region
}
