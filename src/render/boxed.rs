//! Rectangles: boxed cells three wide, row numbers at the right, letters below.

use super::Mark;
use super::figure::{Figure, Role, Sheet};
use super::words;
use crate::game::{Cell, Lattice, Position};

/// Columns from one cell to the next, and lines from one row to the next.
const PITCH: (i32, i32) = (4, 2);

/// Draws the board. Marks may also stand in the margin, one cell around it.
pub(super) fn draw(position: &Position, mark: impl Fn(Cell) -> Mark) -> Figure {
    let lattice = position.rules().lattice;
    let frame = position.frame();
    let (columns, rows) = (frame.column_range(), frame.row_range());
    let used = |mut cells: Box<dyn Iterator<Item = Cell> + '_>| {
        cells.any(|cell| mark(cell) != Mark::Empty)
    };
    let in_left = used(Box::new(rows.clone().map(|row| Cell::new(columns.start - 1, row))));
    let in_right = used(Box::new(rows.clone().map(|row| Cell::new(columns.end, row))));
    let in_bottom = used(Box::new(columns.clone().map(|column| Cell::new(column, rows.end))));

    // The board's left edge stands in column 0, or 2 when there is something at its left.
    let left = if in_left { 2 } else { 0 };
    let line_of = |row: i32| PITCH.1 * (row - rows.start) + 1;
    let column_of = |column: i32| left + PITCH.0 * (column - columns.start);
    let right = column_of(columns.end);
    let mut sheet = Sheet::default();

    let border = format!("{}+", "+---".repeat(frame.columns));
    for row in rows.clone() {
        sheet.put(line_of(row) - 1, left, Role::Grid, border.clone());
        for column in columns.clone() {
            let (before, letter, after) = cell_text(mark(Cell::new(column, row)), lattice);
            let role = mark(Cell::new(column, row)).role();
            sheet.put(line_of(row), column_of(column), Role::Grid, "|");
            sheet.put(
                line_of(row),
                column_of(column) + 1,
                role,
                String::from_iter([before, letter, after]),
            );
        }
        let label_at = right + if in_right { 4 } else { 2 };
        sheet.put(line_of(row), right, Role::Grid, "|");
        sheet.put(line_of(row), label_at, Role::Label, row.to_string());
    }
    sheet.put(line_of(rows.end) - 1, left, Role::Grid, border);
    let letters_at = line_of(rows.end) + i32::from(in_bottom);
    for column in columns.clone() {
        let letter = lattice.column_label(Cell::new(column, 1));
        sheet.put(letters_at, column_of(column) + 2, Role::Label, letter);
    }

    let mut margin = |cell: Cell, line: i32, column: i32| {
        if let Mark::Arrow(arrow) = mark(cell) {
            sheet.put(line, column, Role::Arrow, arrow);
        }
    };
    for row in rows.clone() {
        margin(Cell::new(columns.start - 1, row), line_of(row), 0);
        margin(Cell::new(columns.end, row), line_of(row), right + 2);
    }
    for column in columns.clone() {
        margin(Cell::new(column, rows.start - 1), -1, column_of(column) + 2);
        margin(Cell::new(column, rows.end), line_of(rows.end), column_of(column) + 2);
    }
    sheet.into_figure()
}

fn cell_text(mark: Mark, lattice: Lattice) -> (char, char, char) {
    let letter = |color| words::letter(color, lattice);
    match mark {
        Mark::Empty => (' ', ' ', ' '),
        Mark::Disc(color) => (' ', letter(color), ' '),
        Mark::Placed(color) => ('[', letter(color), ']'),
        Mark::Flipped(color) => ('(', letter(color), ')'),
        Mark::Arrow(arrow) => (' ', arrow, ' '),
    }
}
