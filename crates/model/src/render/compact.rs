//! Small rectangles: one or two text columns a cell, one line a row, labels on all sides.
//!
//! Discs that the last move placed or flipped are in upper case, others in lower case; with two
//! columns a cell, the placed disc is in brackets.

use super::figure::{Figure, Role, Sheet, width};
use super::mark::Mark;
use super::words;
use outflank_rules::{Cell, Lattice, Position};

/// Draws the frame of the position with `pitch` text columns a cell, one or two. Marks may also be
/// in the margin of one cell around it.
pub(super) fn draw(position: &Position, pitch: i32, mark: impl Fn(Cell) -> Mark) -> Figure {
    let lattice = position.rules().lattice;
    let frame = position.frame();
    let (columns, rows) = (frame.column_range(), frame.row_range());
    let is_marked = |column: i32, row: i32| mark(Cell::new(column, row)) != Mark::Empty;
    let in_column = |column: i32| i32::from(rows.clone().any(|row| is_marked(column, row)));
    let in_row = |row: i32| i32::from(columns.clone().any(|column| is_marked(column, row)));
    let (left, right) = (in_column(columns.start - 1), in_column(columns.end));
    let (above, below) = (in_row(rows.start - 1), in_row(rows.end));

    let row_labels: Vec<_> = rows.clone().map(|row| row.to_string()).collect();
    let widest = row_labels.iter().map(|label| width(label)).max().unwrap_or(0);
    let column_of = |column: i32| widest + pitch * (1 + left + column - columns.start);
    let right_of = column_of(columns.end + right);
    let mut sheet = Sheet::default();

    for row in rows.start - above..rows.end + below {
        let mut before = Mark::Empty;
        for column in columns.start - left..columns.end + right {
            let (cell, at) = (Cell::new(column, row), column_of(column));
            let mark = mark(cell);
            if columns.contains(&column) && rows.contains(&row) {
                if pitch > 1 {
                    put_gap(&mut sheet, (row, at - 1), before, mark);
                }
                sheet.put(row, at, Role::Cell(mark), letter(mark, lattice));
                before = mark;
            } else if let Mark::Arrow(arrow) = mark {
                sheet.put(row, at, Role::OuterArrow, arrow);
            }
        }
        if let Mark::Placed(_) = before
            && pitch > 1
        {
            put_gap(&mut sheet, (row, column_of(columns.end) - 1), before, Mark::Empty);
        }
    }
    for (row, label) in rows.clone().zip(row_labels) {
        sheet.put(row, widest - width(&label), Role::Label, label.clone());
        sheet.put(row, right_of + 1, Role::Label, label);
    }
    for column in columns.clone() {
        let label = lattice.column_label(Cell::new(column, rows.start));
        for line in [rows.start - above - 1, rows.end + below] {
            sheet.put(line, column_of(column), Role::Label, label.clone());
        }
    }
    sheet.into_figure()
}

/// Puts the gap between two cells: a bracket beside the placed disc.
fn put_gap(sheet: &mut Sheet, (line, column): (i32, i32), before: Mark, after: Mark) {
    let (mark, gap) = match (before, after) {
        (_, Mark::Placed(_)) => (after, '['),
        (Mark::Placed(_), _) => (before, ']'),
        _ => (Mark::Empty, ' '),
    };
    sheet.put(line, column, Role::Cell(mark), gap);
}

fn letter(mark: Mark, lattice: Lattice) -> char {
    match mark {
        Mark::Empty | Mark::Legal => '.',
        Mark::Disc(color) => words::letter(color, lattice).to_ascii_lowercase(),
        Mark::Placed(color) | Mark::Flipped(color) => {
            words::letter(color, lattice).to_ascii_uppercase()
        }
        Mark::Arrow(arrow) => arrow,
    }
}
