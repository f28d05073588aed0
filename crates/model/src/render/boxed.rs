//! Rectangles: boxed cells three columns wide, row numbers at the right, letters below.

use super::figure::{Figure, Role, Sheet};
use super::mark::Mark;
use super::words;
use outflank_rules::{Cell, Lattice, Position};

/// The text columns from one cell to the next, and the lines from one row to the next.
const PITCH: (i32, i32) = (4, 2);

/// Draws the board. Marks may also be in the margin of one cell around it.
pub(super) fn draw(position: &Position, mark: impl Fn(Cell) -> Mark) -> Figure {
    let lattice = position.rules().lattice;
    let frame = position.frame();
    let (columns, rows) = (frame.column_range(), frame.row_range());
    let is_marked = |column: i32, row: i32| mark(Cell::new(column, row)) != Mark::Empty;
    let in_left = rows.clone().any(|row| is_marked(columns.start - 1, row));
    let in_right = rows.clone().any(|row| is_marked(columns.end, row));
    let in_bottom = columns.clone().any(|column| is_marked(column, rows.end));

    // A mark in the left margin moves the board from column 0 to column 2.
    let left = if in_left { 2 } else { 0 };
    let line_of = |row: i32| PITCH.1 * (row - rows.start) + 1;
    let column_of = |column: i32| left + PITCH.0 * (column - columns.start);
    let right = column_of(columns.end);
    let mut sheet = Sheet::default();

    let border = format!("{}+", "+---".repeat(frame.columns));
    for row in rows.clone() {
        sheet.put(line_of(row) - 1, left, Role::Grid, border.clone());
        for column in columns.clone() {
            let mark = mark(Cell::new(column, row));
            sheet.put(line_of(row), column_of(column), Role::Grid, "|");
            sheet.put(
                line_of(row),
                column_of(column) + 1,
                Role::Cell(mark),
                cell_text(mark, lattice),
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
            sheet.put(line, column, Role::OuterArrow, arrow);
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

fn cell_text(mark: Mark, lattice: Lattice) -> String {
    let letter = |color| words::letter(color, lattice);
    match mark {
        Mark::Empty | Mark::Legal => "   ".to_owned(),
        Mark::Disc(color) => format!(" {} ", letter(color)),
        Mark::Placed(color) => format!("[{}]", letter(color)),
        Mark::Flipped(color) => format!("({})", letter(color)),
        Mark::Arrow(arrow) => format!(" {arrow} "),
    }
}
