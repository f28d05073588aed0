//! Positions as HTML tables, for mail.
//!
//! A mail program may remove style sheets, invert colours or draw no round corners. Therefore
//! letters and brackets repeat what colours and shapes show, every element has its own style, and
//! a text colour always comes with a background, so both are inverted together. The classes allow
//! a style sheet to refine the result.

use std::fmt::Write;

use super::{LastMove, Mark, mark, words};
use crate::game::{Cell, Color, Frame, Lattice, Position};

/// The amount of styling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Colours and round shapes: up to 300 bytes for a cell.
    Full,
    /// Letters in a plain grid: about 12 bytes for a cell without a link.
    Plain,
}

/// Draws the board as an HTML table. The last placed disc is `[B]` (on the hex lattice also upper
/// case), and the flipped discs are `(B)`. An empty cell with a URI from `link` shows its label as
/// a link. The result is ASCII, with lines under 998 characters (RFC 5322) if the URIs are short.
pub fn html(
    position: &Position,
    last: Option<&LastMove>,
    style: Style,
    link: impl Fn(Cell) -> Option<String>,
) -> String {
    let board = Board::new(position, style);
    let cell = |cell| {
        let text = match mark(position, last, cell) {
            Mark::Empty | Mark::Legal => match link(cell) {
                Some(uri) => return board.choice(cell, position.flips(cell).len(), &uri),
                None => return board.empty(),
            },
            Mark::Placed(color) => {
                (color, format!("[{}]", board.letter(color).to_ascii_uppercase()), PLACED)
            }
            Mark::Flipped(color) => (color, format!("({})", board.letter(color)), FLIPPED),
            Mark::Disc(color) => (color, board.letter(color).to_string(), PLAIN),
            Mark::Arrow(_) => return board.empty(),
        };
        board.disc(text)
    };
    match board.lattice {
        Lattice::Rectangle(_) => board.rectangle(cell),
        Lattice::Hex => board.sheared(cell),
    }
}

/// Escapes text for HTML content and attributes.
fn escape(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace('"', "&quot;").replace('\'', "&#39;")
}

/// The side of a cell in pixels: large enough for a thumb, and eight of them fit on a small phone
/// with the row numbers.
const SIDE: usize = 36;
/// The width of the row numbers in pixels.
const NUMBERS: usize = 24;

/// The colour of an empty cell and of the cell under a disc.
const FELT: &str = "#2c7a51";
/// The size and edge of the last placed disc, of a flipped disc and of any other disc.
const PLACED: &str = "width:24px;line-height:24px;border:3px solid #ffc53d;font-size:12px";
const FLIPPED: &str = "width:24px;line-height:24px;border:3px dotted #ffc53d;font-size:12px";
const PLAIN: &str = "width:30px;line-height:30px";

struct Board {
    lattice: Lattice,
    frame: Frame,
    style: Style,
    /// The side of a cell in pixels.
    side: usize,
    /// The gap between two cells in pixels.
    gap: usize,
    /// The attribute for the table columns of a cell.
    span: &'static str,
    /// The corner radius of a cell.
    radius: &'static str,
}

impl Board {
    fn new(position: &Position, style: Style) -> Self {
        let lattice = position.rules().lattice;
        let (side, gap) = match style {
            Style::Full => (SIDE, 2),
            Style::Plain => (28, 0),
        };
        // Rows of the hex lattice are shifted by half a cell, so a cell has two table columns.
        let (span, radius) = match lattice {
            Lattice::Rectangle(_) => ("", "4px"),
            Lattice::Hex => (" colspan=\"2\"", "18px"),
        };
        Self { lattice, frame: position.frame(), style, side, gap, span, radius }
    }

    fn letter(&self, color: Color) -> char {
        words::letter(color, self.lattice)
    }

    fn empty(&self) -> String {
        match (self.style, self.lattice) {
            (Style::Plain, Lattice::Rectangle(_)) => "<td></td>\n".to_owned(),
            (Style::Plain, Lattice::Hex) => format!("<td{}>.</td>\n", self.span),
            (Style::Full, _) => self.cell("felt", FELT, "&nbsp;"),
        }
    }

    fn disc(&self, (color, letter, edge): (Color, String, &str)) -> String {
        if self.style == Style::Plain {
            return format!("<td{}>{letter}</td>\n", self.span);
        }
        let (text, disc) = match color {
            Color::Black => ("#ffffff", "#14181a"),
            Color::White => ("#14181a", "#f6f5ef"),
        };
        let style = format!(
            "display:inline-block;{edge};border-radius:50%;background:{disc};color:{text};\
             font-weight:bold;vertical-align:middle"
        );
        self.cell(
            "felt",
            FELT,
            &format!("<span class=\"{color}\" style=\"{style}\">{letter}</span>"),
        )
    }

    /// Returns an empty cell with a link.
    fn choice(&self, cell: Cell, flips: usize, uri: &str) -> String {
        let label = self.lattice.label(cell);
        let (uri, title) = (escape(uri), format!("play {label}, flips {flips}"));
        if self.style == Style::Plain {
            return format!("<td{}><a href=\"{uri}\">{label}</a></td>\n", self.span);
        }
        let size = if label.len() > 3 { 11 } else { 15 };
        let link = format!(
            "<a class=\"label\" href=\"{uri}\" title=\"{title}\" aria-label=\"{title}\"\n \
             style=\"display:block;line-height:{SIDE}px;\
             font-size:{size}px;color:#0b4a28;font-weight:bold;text-decoration:underline\">\
             {label}</a>"
        );
        self.cell("choice", "#d9f2e1", &link)
    }

    fn cell(&self, class: &str, background: &str, content: &str) -> String {
        format!(
            "<td{} class=\"{class}\" height=\"{SIDE}\" bgcolor=\"{background}\" \
             style=\"border-radius:{}\">{content}</td>\n",
            self.span, self.radius
        )
    }

    /// Returns the label of a row or a column.
    fn label(&self, scope: &str, label: &str) -> String {
        let style = match self.style {
            Style::Plain => " style=\"border:0;font-weight:normal\"",
            Style::Full => " style=\"font-size:13px;font-weight:normal;opacity:.75\"",
        };
        format!("<th scope=\"{scope}\"{}{style}>{label}</th>\n", self.span)
    }

    fn column_label(&self, column: i32) -> String {
        self.label("col", &self.lattice.column_label(Cell::new(column, 0)))
    }

    fn rectangle(&self, cell: impl Fn(Cell) -> String) -> String {
        let columns = format!(
            "<col span=\"{}\" width=\"{}\"><col width=\"{NUMBERS}\">\n",
            self.frame.columns, self.side
        );
        let width = self.frame.columns * (self.side + self.gap) + NUMBERS + 2 * self.gap;
        let mut rows = String::new();
        for row in self.frame.row_range() {
            let cells = self.frame.column_range().map(|column| cell(Cell::new(column, row)));
            let number = self.label("row", &row.to_string());
            push_row(&mut rows, cells.chain([number]));
        }
        let letters = self.frame.column_range().map(|column| self.column_label(column));
        push_row(&mut rows, letters.chain(["<td></td>\n".to_owned()]));
        self.table(width, &columns, &rows)
    }

    /// Shifts each row by half a cell. The letters continue the diagonals of their cells.
    fn sheared(&self, cell: impl Fn(Cell) -> String) -> String {
        let halves = 2 * (self.frame.columns + 2) + self.frame.rows;
        let half = (self.side + self.gap) / 2 - self.gap;
        let columns = format!("<col span=\"{halves}\" width=\"{half}\">\n");
        let width = halves * (half + self.gap) + self.gap;
        let letters = || self.frame.column_range().map(|column| self.column_label(column));
        let mut rows = String::new();
        push_row(&mut rows, [indent(2)].into_iter().chain(letters()));
        for (line, row) in (1..).zip(self.frame.row_range()) {
            let number = self.label("row", &row.to_string());
            let cells = self.frame.column_range().map(|column| cell(Cell::new(column, row)));
            let before = [indent(line), number.clone()];
            push_row(&mut rows, before.into_iter().chain(cells).chain([number]));
        }
        push_row(&mut rows, [indent(self.frame.rows + 3)].into_iter().chain(letters()));
        self.table(width, &columns, &rows)
    }

    fn table(&self, width: usize, columns: &str, rows: &str) -> String {
        let spacing = self.gap;
        let (border, collapse) = match (self.style, self.lattice) {
            (Style::Plain, Lattice::Rectangle(_)) => (1, "collapse"),
            _ => (0, "separate"),
        };
        format!(
            "<table class=\"board\" aria-label=\"The board\" border=\"{border}\" \
             cellpadding=\"0\" cellspacing=\"{spacing}\" width=\"{width}\"\n style=\"\
             table-layout:fixed;width:{width}px;border-collapse:{collapse};\
             border-spacing:{spacing}px;text-align:center;\
             font:15px/1.5 Verdana,Arial,sans-serif\">\n{columns}{rows}</table>\n"
        )
    }
}

/// Returns an empty cell of this many half cells.
fn indent(halves: usize) -> String {
    format!("<td colspan=\"{halves}\"></td>\n")
}

fn push_row(rows: &mut String, cells: impl Iterator<Item = String>) {
    // Writing to a string never fails.
    let _ = write!(rows, "<tr>\n{}</tr>\n", cells.collect::<String>());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Overrides, Variant};

    fn board(variant: &str, moves: &str, style: Style) -> String {
        let rules = Variant::named(variant).unwrap().rules(&Overrides::default()).unwrap();
        let mut game = Game::new(Position::start(rules));
        for mv in moves.parse::<crate::game::Transcript>().unwrap().0 {
            game.play(mv).unwrap();
        }
        let legal = game.position().placements();
        let link = |cell| legal.contains(cell).then(|| format!("mailto:a@b?x='\"<&{}", cell.row));
        html(game.position(), LastMove::of(&game).as_ref(), style, link)
    }

    /// Removes everything but text, row by row.
    fn text(html: &str) -> Vec<String> {
        let mut rows = Vec::new();
        for row in html.split("</tr>") {
            let cells = row.split("</t").map(|cell| {
                let text = cell.split('<').filter_map(|piece| piece.split_once('>'));
                text.map(|(_, text)| text.trim()).collect::<String>().replace("&nbsp;", "")
            });
            rows.push(cells.collect::<Vec<_>>().join("|"));
        }
        rows
    }

    #[test]
    fn letters_and_brackets_show_the_move() {
        for style in [Style::Full, Style::Plain] {
            let rows = text(&board("mini", "b1", style));
            assert_eq!(rows[0], "a1|[B]|c1||1|", "{style:?}");
            assert_eq!(rows[1], "|(B)|B||2|");
            assert_eq!(rows[2], "a3|B|W||3|");
            assert_eq!(rows[4], "a|b|c|d||");
        }
    }

    #[test]
    fn rows_of_the_hex_lattice_are_shifted() {
        let html = board("oddthello", "c4", Style::Full);
        let rows = text(&html);
        assert_eq!(rows[0], "|A|B|C|D|");
        assert_eq!(rows[3], "|3||x|(o)|D3|3|");
        assert_eq!(rows[4], "|4|||[O]||4|");
        assert_eq!(rows[6], "|A|B|C|D|");
        let gaps = html.match_indices("\"></td>").map(|(at, _)| &html[at - 1..at]);
        assert_eq!(gaps.collect::<String>(), "2123458");
    }

    #[test]
    fn a_uri_is_escaped_in_its_attribute() {
        let html = board("othello", "", Style::Full);
        assert!(html.contains("href=\"mailto:a@b?x=&#39;&quot;&lt;&amp;3\""), "{html}");
    }

    #[test]
    fn lines_are_short_ascii() {
        for (variant, moves) in [("othello", "f5d6c3"), ("oddthello", "c4")] {
            let html = board(variant, moves, Style::Full);
            assert!(html.is_ascii() && html.lines().all(|line| line.len() < 998));
        }
    }
}
