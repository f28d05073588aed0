//! The board of a page: a table with a cell for each square.
//!
//! Discs are drawn by the stylesheet. For a screen reader, each square has text, and each square that can
//! be chosen is a button. There are no inline styles, which the site's policy forbids.

use std::fmt::Write;

use outflank_model::render::LastMove;
use outflank_rules::{Cell, Cells, Color, Frame, Lattice, Position};

/// What a board shows besides the discs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks<'a> {
    /// The last move.
    pub last: Option<&'a LastMove<'a>>,
    /// The squares that can be chosen.
    pub choices: Option<&'a Cells>,
    /// The square that is chosen.
    pub chosen: Option<Cell>,
}

/// Boards with at most so many columns have large squares.
const MAX_SMALL: usize = 8;
/// Boards with at most so many columns fit on a phone.
const MAX_FITTING: usize = 10;
/// Boards with at most so many columns have squares of the usual size.
const MAX_MEDIUM: usize = 12;
/// Boards with more columns than this, counted on the hex lattice with the shift of its rows, stand alone.
const MAX_BESIDE: usize = 10;
/// A label with more characters than this is written small.
const MAX_LARGE_LABEL: usize = 3;

/// Returns whether a board is too wide to stand beside text.
pub(super) fn is_wide(position: &Position) -> bool {
    let frame = position.frame();
    match position.rules().lattice {
        Lattice::Rectangle(_) => frame.columns > MAX_BESIDE,
        Lattice::Hex => frame.columns + frame.rows / 2 > MAX_BESIDE,
    }
}

/// Returns whether a board does not fit on a phone and scrolls there.
pub(super) fn scrolls(position: &Position) -> bool {
    match position.rules().lattice {
        Lattice::Rectangle(_) => position.frame().columns > MAX_FITTING,
        Lattice::Hex => true,
    }
}

/// Draws a board as an HTML table.
pub(super) fn board(position: &Position, marks: Marks) -> String {
    let (lattice, frame) = (position.rules().lattice, position.frame());
    let will_flip = marks.chosen.map(|cell| position.flips(cell));
    let mut drawing = Drawing { lattice, frame, position, marks, will_flip, html: String::new() };
    if scrolls(position) {
        drawing.way_to_the_discs();
    }
    match lattice {
        Lattice::Rectangle(_) => drawing.rectangle(),
        Lattice::Hex => drawing.sheared(),
    }
    drawing.html
}

/// A board that is being drawn. Writing to a string never fails, so results of that are ignored. Labels
/// have only letters, digits and minus signs, which need no escaping.
struct Drawing<'a> {
    lattice: Lattice,
    frame: Frame,
    position: &'a Position,
    marks: Marks<'a>,
    /// The discs that the chosen move flips.
    will_flip: Option<Cells>,
    html: String,
}

impl Drawing<'_> {
    /// Writes a link to the last disc or, before the first move, to one of the start. With the script, the
    /// board scrolls there by itself.
    fn way_to_the_discs(&mut self) {
        let target = match self.marks.last {
            Some(last) => Some(last.placed),
            None => self.position.cells().find(|cell| self.position.disc(*cell).is_some()),
        };
        if let Some(label) = target.map(|cell| self.lattice.label(cell)) {
            let _ = writeln!(
                self.html,
                "<noscript><a href=\"#{label}\">Scroll to {label}</a></noscript>"
            );
        }
    }

    fn rectangle(&mut self) {
        let (columns, frame, turn) = (self.frame.columns, self.frame, self.position.turn());
        let size = match columns {
            few if few <= MAX_SMALL => "small",
            more if more <= MAX_FITTING => "fitting",
            more if more <= MAX_MEDIUM => "medium",
            _ => "large",
        };
        let _ = writeln!(
            self.html,
            "<table class=\"board {size} {turn}-moves\"><caption>The board</caption>\n\
             <colgroup><col class=\"e\"><col class=\"c\" span=\"{columns}\"><col class=\"e\"></colgroup>"
        );
        self.html.push_str("<thead><tr><td class=\"corner\"></td>");
        self.letters("<th scope=\"col\">", "</th>");
        self.html.push_str("<td class=\"corner\"></td></tr></thead>\n<tbody>\n");
        for row in frame.row_range() {
            let _ = writeln!(self.html, "<tr><th scope=\"row\">{row}</th>");
            self.row(row);
            let _ = writeln!(self.html, "<td class=\"n\" aria-hidden=\"true\">{row}</td></tr>");
        }
        self.html.push_str("</tbody>\n<tfoot><tr aria-hidden=\"true\"><td class=\"corner\"></td>");
        self.letters("<td class=\"n\">", "</td>");
        self.html.push_str("<td class=\"corner\"></td></tr></tfoot></table>\n");
    }

    /// Shifts each row by half a square. The letters continue the diagonals of their squares, so they are
    /// no headings of columns: the text of each square has its whole label.
    fn sheared(&mut self) {
        let (frame, turn) = (self.frame, self.position.turn());
        let halves = 2 * frame.columns + frame.rows + 3;
        let _ = writeln!(
            self.html,
            "<table class=\"board hex {turn}-moves\"><caption>The board</caption>\n\
             <colgroup><col class=\"h\" span=\"{halves}\"></colgroup>\n\
             <tbody><tr aria-hidden=\"true\"><td colspan=\"2\"></td>"
        );
        self.letters("<td class=\"n\" colspan=\"2\">", "</td>");
        self.html.push_str("</tr>\n");
        for (line, row) in (2..).zip(frame.row_range()) {
            let _ = writeln!(
                self.html,
                "<tr><td colspan=\"{line}\"></td><th class=\"n west\" scope=\"row\">{row}</th>"
            );
            self.row(row);
            let _ =
                writeln!(self.html, "<td class=\"n east\" aria-hidden=\"true\">{row}</td></tr>");
        }
        let indent = frame.rows + 3;
        let _ = write!(self.html, "<tr aria-hidden=\"true\"><td colspan=\"{indent}\"></td>");
        self.letters("<td class=\"n\" colspan=\"2\">", "</td>");
        self.html.push_str("</tr></tbody></table>\n");
    }

    /// Writes the labels of the columns, each between these tags.
    fn letters(&mut self, before: &str, after: &str) {
        for column in self.frame.column_range() {
            let label = self.lattice.column_label(Cell::new(column, 0));
            let _ = write!(self.html, "{before}{label}{after}");
        }
    }

    fn row(&mut self, row: i32) {
        for column in self.frame.column_range() {
            self.square(Cell::new(column, row));
        }
    }

    fn square(&mut self, cell: Cell) {
        let label = self.lattice.label(cell);
        // Where columns have headings, a screen reader says them with each square.
        let (span, place) = match self.lattice {
            Lattice::Rectangle(_) => ("", ""),
            Lattice::Hex => (" colspan=\"2\"", &*label),
        };
        let gap = if place.is_empty() { "" } else { " " };
        let Some(color) = self.position.disc(cell) else {
            let is_choice = self.marks.choices.is_some_and(|cells| cells.contains(cell));
            match is_choice {
                true => self.choice(cell, &label, span),
                false => {
                    let _ = writeln!(self.html, "<td{span} class=\"q\">{place}{gap}empty</td>");
                }
            }
            return;
        };
        let last = self.marks.last;
        let (class, note) = match last {
            Some(last) if last.placed == cell => (" last", ", last move"),
            Some(last) if last.flipped.contains(cell) => (" turned", ", flipped"),
            _ => ("", ""),
        };
        let will_flip = self.will_flip.as_ref().is_some_and(|cells| cells.contains(cell));
        let (will, change) = if will_flip { (" will", ", would flip") } else { ("", "") };
        let letter = match color {
            Color::Black => "b",
            Color::White => "w",
        };
        let _ = writeln!(
            self.html,
            "<td{span} id=\"{label}\" class=\"q {letter}{class}{will}\">{place}{gap}{color}{note}{change}</td>"
        );
    }

    /// Writes an empty square that can be chosen.
    fn choice(&mut self, cell: Cell, label: &str, span: &str) {
        let flips = self.position.flips(cell);
        let count = flips.len();
        let _ = write!(
            self.html,
            "<td{span} class=\"q o\"><button name=\"choose\" value=\"{label}\" \
             aria-label=\"{label}, flips {count}\" data-flips=\""
        );
        for (number, flipped) in flips.iter().enumerate() {
            let gap = if number == 0 { "" } else { " " };
            let _ = write!(self.html, "{gap}{}", self.lattice.label(flipped));
        }
        self.html.push('"');
        if label.len() > MAX_LARGE_LABEL {
            self.html.push_str(" class=\"long\"");
        }
        if self.marks.chosen == Some(cell) {
            self.html.push_str(" aria-pressed=\"true\"");
        }
        let _ = writeln!(self.html, ">{label}</button></td>");
    }
}
