//! The board of a page: a table with a cell for each square.
//!
//! Discs are drawn by the stylesheet. For a screen reader, each square has text, and each square that can
//! be chosen is a button. There are no inline styles, which the site's policy forbids.

use outflank_model::render::LastMove;
use outflank_rules::{Cell, Cells, Lattice, Position};

/// What a board shows besides the discs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks<'a> {
    /// The last move.
    pub last: Option<&'a LastMove<'a>>,
    /// The squares that can be chosen.
    pub choices: Option<&'a Cells>,
    /// The square that is chosen.
    pub chosen: Option<Cell>,
    /// The moves of a plan before the choice, which is added to them.
    pub plan: Option<&'a str>,
}

/// The most columns of boards with large squares.
const MAX_SMALL: usize = 8;
/// The most columns of boards that fit on a phone.
const MAX_FITTING: usize = 10;
/// The most columns of boards with squares of the usual size.
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
    let lattice = position.rules().lattice;
    let will_flip = marks.chosen.map_or(Cells::NONE, |cell| position.flips(cell));
    let board = Board { lattice, position, marks, will_flip };
    let way = if scrolls(position) { board.way_to_the_discs() } else { String::new() };
    match lattice {
        Lattice::Rectangle(_) => way + &board.rectangle(),
        Lattice::Hex => way + &board.sheared(),
    }
}

/// A board to be drawn. Labels have only letters, digits and minus signs, which need no escaping.
struct Board<'a> {
    lattice: Lattice,
    position: &'a Position,
    marks: Marks<'a>,
    /// The discs that the chosen move flips.
    will_flip: Cells,
}

impl Board<'_> {
    /// Returns a link to the last disc or, before the first move, to one of the start. With the script, the
    /// board scrolls there by itself.
    fn way_to_the_discs(&self) -> String {
        let target = match self.marks.last {
            Some(last) => Some(last.placed),
            None => self.position.cells().find(|cell| self.position.disc(*cell).is_some()),
        };
        target.map(|cell| self.lattice.label(cell)).map_or_else(String::new, |label| {
            format!("<noscript><a href=\"#{label}\">Scroll to {label}</a></noscript>\n")
        })
    }

    fn rectangle(&self) -> String {
        let (frame, turn) = (self.position.frame(), self.position.turn());
        let columns = frame.columns;
        let size = match columns {
            _ if columns <= MAX_SMALL => "small",
            _ if columns <= MAX_FITTING => "fitting",
            _ if columns <= MAX_MEDIUM => "medium",
            _ => "large",
        };
        let row = |row| {
            let squares = self.squares(row);
            format!(
                "<tr><th scope=\"row\">{row}</th>\n{squares}\
                 <td class=\"n\" aria-hidden=\"true\">{row}</td></tr>\n"
            )
        };
        let rows: String = frame.row_range().map(row).collect();
        let head = self.letters("<th scope=\"col\">", "</th>");
        let foot = self.letters("<td class=\"n\">", "</td>");
        format!(
            "<table class=\"board {size} {turn}-moves\"><caption>The board</caption>\n\
             <colgroup><col class=\"e\"><col class=\"c\" span=\"{columns}\"><col class=\"e\"></colgroup>\n\
             <thead><tr><td class=\"corner\"></td>{head}<td class=\"corner\"></td></tr></thead>\n\
             <tbody>\n{rows}</tbody>\n\
             <tfoot><tr aria-hidden=\"true\"><td class=\"corner\"></td>{foot}\
             <td class=\"corner\"></td></tr></tfoot></table>\n"
        )
    }

    /// Shifts each row by half a square. The letters continue the diagonals of their squares, so they are
    /// no headings of columns: the text of each square has its whole label.
    fn sheared(&self) -> String {
        let (frame, turn) = (self.position.frame(), self.position.turn());
        let row = |(indent, row)| {
            let squares = self.squares(row);
            format!(
                "<tr><td colspan=\"{indent}\"></td><th class=\"n west\" scope=\"row\">{row}</th>\n{squares}\
                 <td class=\"n east\" aria-hidden=\"true\">{row}</td></tr>\n"
            )
        };
        let rows: String = (2..).zip(frame.row_range()).map(row).collect();
        let letters = self.letters("<td class=\"n\" colspan=\"2\">", "</td>");
        let halves = 2 * frame.columns + frame.rows + 3;
        let indent = frame.rows + 3;
        format!(
            "<table class=\"board hex {turn}-moves\"><caption>The board</caption>\n\
             <colgroup><col class=\"h\" span=\"{halves}\"></colgroup>\n\
             <tbody><tr aria-hidden=\"true\"><td colspan=\"2\"></td>{letters}</tr>\n{rows}\
             <tr aria-hidden=\"true\"><td colspan=\"{indent}\"></td>{letters}</tr></tbody></table>\n"
        )
    }

    /// Returns the labels of the columns, each between these tags.
    fn letters(&self, before: &str, after: &str) -> String {
        let label = |column| self.lattice.column_label(Cell::new(column, 0));
        let columns = self.position.frame().column_range();
        columns.map(|column| format!("{before}{}{after}", label(column))).collect()
    }

    fn squares(&self, row: i32) -> String {
        let columns = self.position.frame().column_range();
        columns.map(|column| self.square(Cell::new(column, row))).collect()
    }

    fn square(&self, cell: Cell) -> String {
        let label = self.lattice.label(cell);
        // Where columns have headings, a screen reader says them with each square.
        let (span, place) = match self.lattice {
            Lattice::Rectangle(_) => ("", String::new()),
            Lattice::Hex => (" colspan=\"2\"", format!("{label} ")),
        };
        let Some(color) = self.position.disc(cell) else {
            return match self.marks.choices.is_some_and(|cells| cells.contains(cell)) {
                true => self.choice(cell, &label, span),
                false => format!("<td{span} class=\"q\">{place}empty</td>\n"),
            };
        };
        let (class, note) = match self.marks.last {
            Some(last) if last.placed == cell => (" last", ", last move"),
            Some(last) if last.flipped.contains(cell) => (" turned", ", flipped"),
            _ => ("", ""),
        };
        let will_flip = self.will_flip.contains(cell);
        let (will, change) = if will_flip { (" will", ", would flip") } else { ("", "") };
        let letter = color.letter();
        format!(
            "<td{span} id=\"{label}\" class=\"q {letter}{class}{will}\">{place}{color}{note}{change}</td>\n"
        )
    }

    /// Returns an empty square that can be chosen.
    fn choice(&self, cell: Cell, label: &str, span: &str) -> String {
        let flips = self.position.flips(cell);
        let flipped: Vec<_> = flips.iter().map(|cell| self.lattice.label(cell)).collect();
        let (count, flipped) = (flipped.len(), flipped.join(" "));
        let long = if label.len() > MAX_LARGE_LABEL { " class=\"long\"" } else { "" };
        let pressed = if self.marks.chosen == Some(cell) { " aria-pressed=\"true\"" } else { "" };
        let (name, value) = match self.marks.plan {
            Some(moves) => ("plan", format!("{moves} {label}").trim_start().to_owned()),
            None => ("choose", label.to_owned()),
        };
        format!(
            "<td{span} class=\"q o\"><button name=\"{name}\" value=\"{value}\" \
             aria-label=\"{label}, flips {count}\" data-flips=\"{flipped}\"{long}{pressed}>{label}</button></td>\n"
        )
    }
}
