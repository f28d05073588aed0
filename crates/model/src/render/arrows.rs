//! Moves shown as in the rules: arrows in empty cells or in the margin point to the placed disc
//! and to the flipped discs.

use std::cmp::Reverse;

use super::draw::draw;
use super::figure::{DOWN, LEFT, RIGHT, UP};
use super::mark::Mark;
use super::{Figure, LastMove, Scale};
use outflank_rules::{Cell, Color, Direction, Lattice, Position};

/// Draws a move in two figures: first the placed disc with an arrow and nothing flipped yet, then
/// the flipped discs, each with an arrow. A disc without a free side is marked as in
/// [`figure`](super::figure). `position` is the position after the move.
pub fn arrow_figures(scale: Scale, position: &Position, last: &LastMove) -> [Figure; 2] {
    let before = |cell| match last.flipped.contains(cell) {
        true => Some(!last.by),
        false => position.disc(cell),
    };
    let after = |cell| position.disc(cell);

    let lines: Vec<Direction> = last.flipped.iter().map(|cell| last.direction_of(cell)).collect();
    let placed = point_at(
        position,
        &before,
        [(last.placed, |side: Side| {
            let along = lines.iter().any(|&line| side.is_along(line));
            (along, lines.contains(&side.step()), Reverse(0), side)
        })],
    );

    // The centre of the flipped discs, multiplied by their number to avoid fractions.
    let count = i32::try_from(last.flipped.len()).unwrap_or(0);
    let sum = |sum: Direction, cell: Cell| (sum.0 + cell.column, sum.1 + cell.row);
    let (columns, rows) = last.flipped.iter().fold((0, 0), sum);
    let away_from_centre = |cell: Cell, side: Side| {
        let (right, down) = side.step();
        right * (cell.column * count - columns) + down * (cell.row * count - rows)
    };
    let flipped = point_at(
        position,
        &after,
        last.flipped.iter().map(|cell| {
            let line = last.direction_of(cell);
            (cell, move |side: Side| {
                (side.is_along(line), false, Reverse(away_from_centre(cell, side)), side)
            })
        }),
    );

    [
        draw(position, scale, marks(&before, &placed, Mark::Placed)),
        draw(position, scale, marks(&after, &flipped, Mark::Flipped)),
    ]
}

/// A side of a cell, in order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Above,
    Right,
    Below,
}

impl Side {
    const ALL: [Self; 4] = [Self::Left, Self::Above, Self::Right, Self::Below];

    const fn step(self) -> Direction {
        match self {
            Self::Left => (-1, 0),
            Self::Above => (0, -1),
            Self::Right => (1, 0),
            Self::Below => (0, 1),
        }
    }

    const fn of(self, cell: Cell) -> Cell {
        let (columns, rows) = self.step();
        Cell::new(cell.column + columns, cell.row + rows)
    }

    /// Returns whether the side continues a line of discs in this direction or the opposite one.
    const fn is_along(self, line: Direction) -> bool {
        let (columns, rows) = self.step();
        (line.0 == columns && line.1 == rows) || (line.0 == -columns && line.1 == -rows)
    }

    /// Returns the arrow that points to the cell from this side.
    const fn arrow(self) -> char {
        match self {
            Self::Left => RIGHT,
            Self::Above => DOWN,
            Self::Right => LEFT,
            Self::Below => UP,
        }
    }
}

/// The arrows, and the discs without an arrow.
struct Arrows {
    placed: Vec<(Cell, Side)>,
    without: Vec<Cell>,
}

/// Gives each disc an arrow at its free side with the lowest rank.
fn point_at<R: Ord, F: Fn(Side) -> R>(
    position: &Position,
    disc: &impl Fn(Cell) -> Option<Color>,
    discs: impl IntoIterator<Item = (Cell, F)>,
) -> Arrows {
    let mut arrows = Arrows { placed: Vec::new(), without: Vec::new() };
    for (cell, rank) in discs {
        let free = |side: &Side| {
            let beside = side.of(cell);
            disc(beside).is_none() && arrows.placed.iter().all(|&(taken, _)| taken != beside)
        };
        match Side::ALL.into_iter().filter(free).min_by_key(|&side| rank(side)) {
            Some(side) if shows(position, side.of(cell)) => {
                arrows.placed.push((side.of(cell), side))
            }
            _ => arrows.without.push(cell),
        }
    }
    arrows
}

/// Returns whether a figure has room for an arrow in this cell. A rectangle has a margin around its
/// frame; a hex frame includes its margin.
fn shows(position: &Position, cell: Cell) -> bool {
    let frame = position.frame();
    match position.rules().lattice {
        Lattice::Rectangle(_) => true,
        Lattice::Hex => {
            frame.column_range().contains(&cell.column) && frame.row_range().contains(&cell.row)
        }
    }
}

fn marks<'a>(
    disc: &'a impl Fn(Cell) -> Option<Color>,
    arrows: &'a Arrows,
    without_arrow: fn(Color) -> Mark,
) -> impl Fn(Cell) -> Mark + 'a {
    move |cell| match disc(cell) {
        Some(color) if arrows.without.contains(&cell) => without_arrow(color),
        Some(color) => Mark::Disc(color),
        None => match arrows.placed.iter().find(|&&(at, _)| at == cell) {
            Some((_, side)) => Mark::Arrow(side.arrow()),
            None => Mark::Empty,
        },
    }
}
