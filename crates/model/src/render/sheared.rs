//! The hex lattice: each row one text column to the right of the one above it, letters above and below,
//! numbers on both sides.
//!
//! With two columns a cell, a row is shifted by half a cell, and each flipped disc has a mark. With one,
//! it is shifted by a whole cell, and flipped discs are in upper case, as the placed disc is on both.
//!
//! The distance of cells does not depend on the width of labels, so the lattice is always straight.
//! The labels of a column continue the diagonal of its cells above and below. A long label that
//! would touch another one moves further out on this diagonal.

use super::figure::{Figure, Role, Sheet, width};
use super::mark::Mark;
use super::words;
use outflank_rules::{Cell, Lattice, Position};

/// The text column of the first cell; row labels have up to four characters.
const FIRST: i32 = 6;

/// Draws the frame of the position with `pitch` text columns a cell, one or two.
pub(super) fn draw(position: &Position, pitch: i32, mark: impl Fn(Cell) -> Mark) -> Figure {
    let frame = position.frame();
    let mut sheet = Sheet::default();
    // The text column of a cell. Lines outside the frame continue the diagonal.
    let at = |line: i32, column: i32| FIRST + line + pitch * (column - frame.first.column);

    for (line, row) in (0..).zip(frame.row_range()) {
        let label = row.to_string();
        let before_first = at(line, frame.first.column) - 2;
        sheet.put(line, before_first - width(&label), Role::Label, label.clone());
        for column in frame.column_range() {
            let cell = Cell::new(column, row);
            sheet.put(line, at(line, column), Role::Cell(mark(cell)), cell_text(mark(cell), pitch));
        }
        let after_last = at(line, frame.column_range().end) + 2 - pitch;
        sheet.put(line, after_last, Role::Label, label);
    }

    let last_line = frame.row_range().end - frame.first.row - 1;
    let label = |column: i32| position.rules().lattice.column_label(Cell::new(column, 0));
    let mut labels: Vec<_> = frame.column_range().map(|column| (column, label(column))).collect();
    // Short labels stay next to the cells; long ones move outwards.
    labels.sort_by_key(|(column, label)| (label.len(), *column));
    let (mut above, mut below) = (Labels::new(pitch), Labels::new(pitch));
    for (column, label) in labels {
        // The diagonal goes through the last character of a label above, the first one below.
        let (line, start) = above.place(&label, |step| at(-step, column) - width(&label) + 1);
        sheet.put(-line, start, Role::Label, label.clone());
        let (line, start) = below.place(&label, |step| at(last_line + step, column));
        sheet.put(last_line + line, start, Role::Label, label);
    }
    sheet.into_figure()
}

/// The labels on one side.
struct Labels {
    pitch: i32,
    /// The first and last text column of each label, line by line outwards from the cells.
    lines: Vec<Vec<(i32, i32)>>,
}

impl Labels {
    const fn new(pitch: i32) -> Self {
        Self { pitch, lines: Vec::new() }
    }

    /// Places a label that would start in column `start(line)`. Returns the first line, counted
    /// outwards from 1, on which it does not touch another label, and its column.
    fn place(&mut self, label: &str, start: impl Fn(i32) -> i32) -> (i32, i32) {
        let mut line = 1;
        // Labels of one letter may be as close as their cells.
        let gap = if label.len() == 1 { self.pitch - 1 } else { 1 };
        for labels in &mut self.lines {
            let (first, last) = (start(line), start(line) + width(label) - 1);
            if labels.iter().all(|&(from, to)| last + gap < from || to + gap < first) {
                labels.push((first, last));
                return (line, first);
            }
            line += 1;
        }
        self.lines.push(vec![(start(line), start(line) + width(label) - 1)]);
        (line, start(line))
    }
}

/// Returns the text of a cell. The mark of a flipped disc is in the gap before the next cell, so the
/// lattice stays straight.
fn cell_text(mark: Mark, pitch: i32) -> String {
    let letter = |color| words::letter(color, Lattice::Hex);
    let text = match mark {
        Mark::Empty | Mark::Legal => '.',
        Mark::Flipped(color) if pitch > 1 => return format!("{}'", letter(color)),
        Mark::Disc(color) => letter(color),
        Mark::Flipped(color) | Mark::Placed(color) => letter(color).to_ascii_uppercase(),
        Mark::Arrow(arrow) => arrow,
    };
    if pitch > 1 { format!("{text} ") } else { text.to_string() }
}
