//! Every board: rectangles with all options, and the hex lattice.

mod bits;
mod board;
mod evaluation;
mod geometry;
mod sparse;

use bits::{Bits, Wide};
use board::{Board, DISC};
use sparse::Sparse;

use super::engine::Evaluated;
use super::search::{self, Found, Options, PASS};
use super::table::Table;
use crate::game::{Color, Frame, Lattice, Move, Position};

/// How many empty cells around the discs of the hex lattice are searched at most at first.
const MARGIN: i32 = 7;

/// Returns the legal moves with their values, as [`search::search`] does.
pub(super) fn search(position: &Position, table: &Table, options: &Options) -> Vec<Evaluated> {
    let frame = position.frame();
    if position.rules().lattice != Lattice::Hex {
        return search_frame(position, frame, table, options);
    }
    let discs: u32 = Color::BOTH.iter().map(|&color| position.count(color)).sum();
    let left = position.rules().supply.map_or(0, |each| (2 * each).saturating_sub(discs));
    let needed = left.cast_signed().max(1);
    // The frame of the hex lattice has one empty cell around the discs.
    let found = search_frame(position, widened(frame, needed.min(MARGIN) - 1), table, options);
    let is_cut_off = |found: &Evaluated| !found.exact && found.depth >= left;
    if needed > MARGIN && found.first().is_some_and(is_cut_off) {
        // Nothing could be proved beyond the frame.
        return search_frame(position, widened(frame, needed - 1), table, options);
    }
    found
}

fn search_frame(
    position: &Position,
    frame: Frame,
    table: &Table,
    options: &Options,
) -> Vec<Evaluated> {
    let search = match frame.rows * frame.columns {
        ..=64 => search_bits::<u64>,
        ..=128 => search_bits::<u128>,
        ..=256 => search_bits::<Wide<4>>,
        ..=640 => search_bits::<Wide<10>>,
        ..=2688 => search_bits::<Wide<42>>,
        _ => search_sparse,
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

fn search_bits<B: Bits>(
    position: &Position,
    frame: Frame,
    table: &Table,
    options: &Options,
) -> Vec<Evaluated> {
    let board = Board::<B>::new(*position.rules(), frame);
    let mv = |mv| match mv {
        PASS => Move::Pass,
        mv => Move::Place(board.geometry.cell(mv)),
    };
    let line = |line: &[u16]| line.iter().map(|&number| mv(number)).collect();
    let found = search::search(&board, &board.node(position), table, options);
    found.iter().map(|found| evaluated(found, line(&found.line))).collect()
}

fn search_sparse(
    position: &Position,
    _: Frame,
    table: &Table,
    options: &Options,
) -> Vec<Evaluated> {
    let root = sparse::Node::new(position.clone());
    let line = |line: &[u16]| {
        let mut node = root.clone();
        let play = |&number: &u16| {
            let mv = node.mv(number);
            node = node.after(mv);
            mv
        };
        line.iter().map(play).collect()
    };
    let found = search::search(&Sparse, &root, table, options);
    found.iter().map(|found| evaluated(found, line(&found.line))).collect()
}

fn evaluated(found: &Found, line: Vec<Move>) -> Evaluated {
    // The nearest number of discs.
    let value = (found.value + DISC / 2).div_euclid(DISC);
    Evaluated { line, value, depth: found.depth, exact: found.exact }
}
