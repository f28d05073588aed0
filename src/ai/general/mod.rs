//! Every board: rectangles with all options, and the hex lattice.

mod bits;
mod board;
mod evaluation;
mod geometry;

use bits::{Bits, Wide};
use board::{Board, DISC};

use super::engine::Evaluated;
use super::search::{self, Found, Options, PASS};
use super::table::Table;
use crate::game::{Frame, Lattice, Move, Position};

/// How many empty cells around the discs of the hex lattice are searched.
const MARGIN: i32 = 7;

/// Returns the legal moves with their values, as [`search::search`] does.
pub(super) fn search(position: &Position, table: &Table, options: &Options) -> Vec<Evaluated> {
    let mut frame = position.frame();
    if position.rules().lattice == Lattice::Hex {
        frame = widened(frame, MARGIN - 1);
    }
    let cells = frame.rows * frame.columns;
    let search = match cells {
        ..=64 => search_with::<u64>,
        ..=128 => search_with::<u128>,
        ..=256 => search_with::<Wide<4>>,
        ..=640 => search_with::<Wide<10>>,
        _ => search_with::<Wide<42>>,
    };
    search(position, frame, table, options)
}

/// Returns the frame with so many more cells on each side.
fn widened(frame: Frame, margin: i32) -> Frame {
    let more = 2 * margin.unsigned_abs() as usize;
    let Frame { mut first, rows, columns } = frame;
    first.column -= margin;
    first.row -= margin;
    Frame { first, rows: rows + more, columns: columns + more }
}

fn search_with<B: Bits>(
    position: &Position,
    frame: Frame,
    table: &Table,
    options: &Options,
) -> Vec<Evaluated> {
    let board = Board::<B>::new(*position.rules(), frame);
    let found = search::search(&board, &board.node(position), table, options);
    let mv = |mv| match mv {
        PASS => Move::Pass,
        mv => Move::Place(board.geometry.cell(mv)),
    };
    let evaluated = |found: Found| Evaluated {
        line: found.line.into_iter().map(mv).collect(),
        value: rounded(found.value),
        depth: found.depth,
        exact: found.exact,
    };
    found.into_iter().map(evaluated).collect()
}

/// Returns the nearest number of discs.
fn rounded(value: i32) -> i32 {
    (value + DISC / 2).div_euclid(DISC)
}
