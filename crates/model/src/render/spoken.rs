//! Positions in words, for screen readers and phones that read aloud.

use super::LastMove;
use super::words::Names;
use crate::log::{Game, Ply};
use outflank_rules::{Cell, Color, Direction, Lattice, Move, Position};

/// The directions of flips and their names. On the hex lattice they are those of the figure.
const RECTANGLE: [(Direction, &str); 8] = [
    ((0, -1), "Up"),
    ((1, -1), "Up and right"),
    ((1, 0), "Right"),
    ((1, 1), "Down and right"),
    ((0, 1), "Down"),
    ((-1, 1), "Down and left"),
    ((-1, 0), "Left"),
    ((-1, -1), "Up and left"),
];
const HEX: [(Direction, &str); 6] = [
    ((1, -1), "Up and right"),
    ((1, 0), "Right"),
    ((0, 1), "Down and right"),
    ((-1, 1), "Down and left"),
    ((-1, 0), "Left"),
    ((0, -1), "Up and left"),
];

/// Returns the directions of a lattice, each with its name.
pub(super) const fn directions(lattice: Lattice) -> &'static [(Direction, &'static str)] {
    match lattice {
        Lattice::Rectangle(_) => &RECTANGLE,
        Lattice::Hex => &HEX,
    }
}

/// Returns the last disc placed and the passes after it in sentences, with a line for each direction
/// of flips; then the move before it. Returns no lines before the first move.
pub fn last_move(game: &Game, names: Names) -> Vec<String> {
    let plies = game.plies();
    let first = plies.iter().rposition(|ply| ply.mv != Move::Pass).unwrap_or(0);
    let lattice = game.lattice();
    let made = |ply: &Ply| {
        let who = names.with_color(ply.by);
        match ply.mv {
            Move::Place(cell) => {
                let flipped = discs(ply.flipped.len());
                let took = if ply.given { "was given" } else { "took" };
                format!("{who} {took} {} and flipped {flipped}.", lattice.label(cell))
            }
            Move::Pass if ply.auto => format!("{who} could not place a disc and passed."),
            Move::Pass => format!("{who} passed."),
        }
    };
    let mut lines = Vec::new();
    for (number, ply) in (first + 1..).zip(&plies[first..]) {
        let last = if lines.is_empty() { "Last move, number" } else { "Then number" };
        lines.push(format!("{last} {number}: {}", made(ply)));
    }
    if let Some(last) = LastMove::of(game) {
        lines.splice(1..1, flips(lattice, &last));
    }
    if let Some(before) = plies[..first].last() {
        lines.push(format!("Before that, number {first}: {}", made(before)));
    }
    lines
}

/// Returns a line for each direction with flipped discs.
fn flips(lattice: Lattice, last: &LastMove) -> Vec<String> {
    let line = |(direction, name): &(Direction, &str)| {
        let cells = last.flipped.iter().filter(|&cell| last.direction_of(cell) == *direction);
        let labels: Vec<_> = cells.map(|cell| lattice.label(cell)).collect();
        let count = discs(labels.len());
        (!labels.is_empty()).then(|| format!("{name}: {} ({count}).", labels.join(", ")))
    };
    directions(lattice).iter().filter_map(line).collect()
}

/// Returns a number of discs in words.
pub fn discs(count: usize) -> String {
    match count {
        0 => "no discs".to_owned(),
        1 => "1 disc".to_owned(),
        count => format!("{count} discs"),
    }
}

/// Returns the board row by row, from the top, a line for each row: `Row 4: white d; black e, f.`
/// Empty rows share a line. The hex lattice leaves out the empty rows around the discs.
pub fn board(position: &Position) -> Vec<String> {
    let lattice = position.rules().lattice;
    let frame = position.frame();
    let mut lines = Vec::new();
    let mut empty = Vec::new();
    for row in frame.row_range() {
        let cells = frame.column_range().map(|column| Cell::new(column, row));
        let runs = runs(position, cells);
        if runs.is_empty() {
            empty.push(row);
            continue;
        }
        let is_below_discs = !lines.is_empty();
        lines.extend(empty_rows(&empty).filter(|_| is_below_discs || lattice != Lattice::Hex));
        empty.clear();
        let run = |(color, cells): &(Color, Vec<Cell>)| format!("{color} {}", span(lattice, cells));
        let runs: Vec<_> = runs.iter().map(run).collect();
        lines.push(format!("Row {row}: {}.", runs.join("; ")));
    }
    lines.extend(empty_rows(&empty).filter(|_| lattice != Lattice::Hex));
    lines
}

/// Returns the discs of a row from the left, grouped by colour.
fn runs(position: &Position, cells: impl Iterator<Item = Cell>) -> Vec<(Color, Vec<Cell>)> {
    let mut runs: Vec<(Color, Vec<Cell>)> = Vec::new();
    for cell in cells {
        let Some(color) = position.disc(cell) else { continue };
        match runs.last_mut() {
            Some((last, cells)) if *last == color => cells.push(cell),
            _ => runs.push((color, vec![cell])),
        }
    }
    runs
}

/// Returns the columns of cells in a row: `c`, `c, d, f`, or `c to f` for more than three without
/// a gap.
fn span(lattice: Lattice, cells: &[Cell]) -> String {
    let label = |cell: &Cell| lattice.column_label(*cell);
    match cells {
        [first, .., last] if cells.len() > 3 && is_whole(cells) => {
            format!("{} to {}", label(first), label(last))
        }
        _ => cells.iter().map(label).collect::<Vec<_>>().join(", "),
    }
}

fn is_whole(cells: &[Cell]) -> bool {
    cells.windows(2).all(|pair| matches!(pair, [a, b] if a.column + 1 == b.column))
}

fn empty_rows(rows: &[i32]) -> Option<String> {
    match rows {
        [] => None,
        [row] => Some(format!("Row {row}: empty.")),
        [first, .., last] => Some(format!("Rows {first} to {last}: empty.")),
    }
}
