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
        [(last.placed, |side: Direction| {
            let along = lines.iter().any(|&line| is_along(side, line));
            (along, lines.contains(&side), Reverse(0))
        })],
    );

    // The centre of the flipped discs, multiplied by their number to avoid fractions.
    let count = i32::try_from(last.flipped.len()).unwrap_or(0);
    let sum = |sum: Direction, cell: Cell| (sum.0 + cell.column, sum.1 + cell.row);
    let (columns, rows) = last.flipped.iter().fold((0, 0), sum);
    let away_from_centre = |cell: Cell, (right, down): Direction| {
        right * (cell.column * count - columns) + down * (cell.row * count - rows)
    };
    let flipped = point_at(
        position,
        &after,
        last.flipped.iter().map(|cell| {
            let line = last.direction_of(cell);
            (cell, move |side: Direction| {
                (is_along(side, line), false, Reverse(away_from_centre(cell, side)))
            })
        }),
    );

    [
        draw(position, scale, marks(&before, &placed, Mark::Placed)),
        draw(position, scale, marks(&after, &flipped, Mark::Flipped)),
    ]
}

/// The sides of a cell as directions, in order of preference, each with the arrow that points from
/// there to the cell.
const SIDES: [(Direction, char); 4] =
    [((-1, 0), RIGHT), ((0, -1), DOWN), ((1, 0), LEFT), ((0, 1), UP)];

/// Returns whether a side continues a line of discs in this direction or the opposite one.
fn is_along(side: Direction, (columns, rows): Direction) -> bool {
    side == (columns, rows) || side == (-columns, -rows)
}

/// The arrows in their cells, and the discs without an arrow.
struct Arrows {
    placed: Vec<(Cell, char)>,
    without: Vec<Cell>,
}

/// Gives each disc an arrow at its free side with the lowest rank.
fn point_at<R: Ord, F: Fn(Direction) -> R>(
    position: &Position,
    disc: &impl Fn(Cell) -> Option<Color>,
    discs: impl IntoIterator<Item = (Cell, F)>,
) -> Arrows {
    let mut arrows = Arrows { placed: Vec::new(), without: Vec::new() };
    for (cell, rank) in discs {
        let beside = |(column, row): Direction| Cell::new(cell.column + column, cell.row + row);
        let is_free = |&(side, _): &(Direction, char)| {
            let is_taken = |&(taken, _): &(Cell, char)| taken == beside(side);
            disc(beside(side)).is_none() && !arrows.placed.iter().any(is_taken)
        };
        let best = SIDES.into_iter().filter(is_free).min_by_key(|&(side, _)| rank(side));
        match best.filter(|&(side, _)| shows(position, beside(side))) {
            Some((side, arrow)) => arrows.placed.push((beside(side), arrow)),
            None => arrows.without.push(cell),
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
            Some(&(_, arrow)) => Mark::Arrow(arrow),
            None => Mark::Empty,
        },
    }
}
