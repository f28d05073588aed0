//! Positions as HTML tables, for mail.
//!
//! A mail program may drop style sheets, invert colours or know no round corners. So letters and
//! brackets tell everything that colours and shapes show, every style stands in its element, and
//! whatever has a colour has a background with it, so that both are inverted together. The
//! classes are there for a style sheet that refines this.

use std::fmt::Write;

use super::{LastMove, Mark, mark, words};
use crate::game::{Cell, Color, Frame, Lattice, Position};

/// How much goes into the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Squares and discs in colours and round shapes: up to 300 bytes for a cell.
    Full,
    /// Letters in a plain grid: some 12 bytes for a cell, the links excepted.
    Plain,
}

/// The board as an HTML table, drawn like [`figure`](super::figure()): the disc placed last as
/// `[B]`, on the hex lattice as a capital too, and those it flipped as `(B)`. An empty cell that
/// `link` gives a URI for shows its label as a link there. ASCII, in lines of less than 998
/// characters (RFC 5322) as long as the URIs are.
#[must_use]
pub fn html(
    position: &Position,
    last: Option<&LastMove>,
    style: Style,
    link: impl Fn(Cell) -> Option<String>,
) -> String {
    let board = Board { lattice: position.rules().lattice, frame: position.frame(), style };
    let cell = |cell| {
        let text = match mark(position, last, cell) {
            Mark::Empty => match link(cell) {
                Some(uri) => return board.choice(cell, position.flips(cell).len(), &uri),
                None => return board.empty(),
            },
            Mark::Placed(color) => (color, format!("[{}]", board.placed_letter(color)), PLACED),
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

/// Text with the characters replaced that mean something in HTML, also within an attribute.
fn escape(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace('"', "&quot;").replace('\'', "&#39;")
}

/// The side of a cell in a plain grid, in pixels.
const PLAIN_SIDE: usize = 28;
/// The side of a cell in pixels: eight of them and the row numbers fit on the smallest phone, and
/// a thumb hits one.
const SIDE: usize = 36;
/// The pixels between two cells.
const GAP: usize = 2;
/// The width of the row numbers in pixels.
const NUMBERS: usize = 24;

/// An empty cell, and the cell under a disc.
const FELT: &str = "#2c7a51";
/// The size and edge of a disc: of the one placed last, of those it flipped, of any other.
const PLACED: &str = "width:24px;line-height:24px;border:3px solid #ffc53d;font-size:12px";
const FLIPPED: &str = "width:24px;line-height:24px;border:3px dotted #ffc53d;font-size:12px";
const PLAIN: &str = "width:30px;line-height:30px";

struct Board {
    lattice: Lattice,
    frame: Frame,
    style: Style,
}

impl Board {
    fn letter(&self, color: Color) -> char {
        words::letter(color, self.lattice)
    }

    fn placed_letter(&self, color: Color) -> char {
        self.letter(color).to_ascii_uppercase()
    }

    const fn is_plain(&self) -> bool {
        matches!(self.style, Style::Plain)
    }

    /// The side of a cell in pixels.
    const fn side(&self) -> usize {
        match self.style {
            Style::Full => SIDE,
            Style::Plain => PLAIN_SIDE,
        }
    }

    /// The pixels between two cells.
    const fn gap(&self) -> usize {
        match self.style {
            Style::Full => GAP,
            Style::Plain => 0,
        }
    }

    /// The grid columns that a cell takes: two on the hex lattice, where rows are shifted by one.
    const fn span(&self) -> &'static str {
        match self.lattice {
            Lattice::Rectangle(_) => "",
            Lattice::Hex => " colspan=\"2\"",
        }
    }

    /// The roundness of a cell.
    const fn radius(&self) -> &'static str {
        match self.lattice {
            Lattice::Rectangle(_) => "4px",
            Lattice::Hex => "18px",
        }
    }

    fn empty(&self) -> String {
        match (self.style, self.lattice) {
            (Style::Plain, Lattice::Rectangle(_)) => "<td></td>\n".to_owned(),
            (Style::Plain, Lattice::Hex) => format!("<td{}>.</td>\n", self.span()),
            (Style::Full, _) => self.cell("felt", FELT, "&nbsp;"),
        }
    }

    fn disc(&self, (color, letter, edge): (Color, String, &str)) -> String {
        if self.is_plain() {
            return format!("<td{}>{letter}</td>\n", self.span());
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

    /// An empty cell that can be chosen.
    fn choice(&self, cell: Cell, flips: usize, uri: &str) -> String {
        let label = self.lattice.label(cell);
        let (uri, said) = (escape(uri), format!("play {label}, flips {flips}"));
        if self.is_plain() {
            return format!("<td{}><a href=\"{uri}\">{label}</a></td>\n", self.span());
        }
        let size = if label.len() > 3 { 11 } else { 15 };
        let link = format!(
            "<a class=\"label\" href=\"{uri}\" title=\"{said}\" aria-label=\"{said}\"\n \
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
            self.span(),
            self.radius()
        )
    }

    /// The label of a row or a column.
    fn label(&self, scope: &str, label: &str) -> String {
        let style = match self.style {
            Style::Plain => " style=\"border:0;font-weight:normal\"",
            Style::Full => " style=\"font-size:13px;font-weight:normal;opacity:.75\"",
        };
        format!("<th scope=\"{scope}\"{}{style}>{label}</th>\n", self.span())
    }

    fn column_label(&self, column: i32) -> String {
        self.label("col", &self.lattice.column_label(Cell::new(column, 0)))
    }

    fn rectangle(&self, cell: impl Fn(Cell) -> String) -> String {
        let columns = format!(
            "<col span=\"{}\" width=\"{}\"><col width=\"{NUMBERS}\">\n",
            self.frame.columns,
            self.side()
        );
        let width = self.frame.columns * (self.side() + self.gap()) + NUMBERS + 2 * self.gap();
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

    /// Rows shifted by half a cell each; the letters stand on the slope of their cells.
    fn sheared(&self, cell: impl Fn(Cell) -> String) -> String {
        let halves = 2 * (self.frame.columns + 2) + self.frame.rows;
        let half = (self.side() + self.gap()) / 2 - self.gap();
        let columns = format!("<col span=\"{halves}\" width=\"{half}\">\n");
        let width = halves * (half + self.gap()) + self.gap();
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
        let spacing = self.gap();
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

/// A gap of so many half cells.
fn indent(halves: usize) -> String {
    format!("<td colspan=\"{halves}\"></td>\n")
}

fn push_row(rows: &mut String, cells: impl Iterator<Item = String>) {
    // A string takes everything that is written to it.
    let _ = write!(rows, "<tr>\n{}</tr>\n", cells.collect::<String>());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Overrides, Variant};

    fn board(variant: &str, moves: &str, style: Style) -> String {
        let rules = Variant::named(variant).unwrap().rules(&Overrides::default()).unwrap();
        let mut game = Game::new(Position::start(rules));
        for played in moves.parse::<crate::game::Transcript>().unwrap().0 {
            game.play(played).unwrap();
        }
        let legal = game.position().placements();
        let link = |cell| legal.contains(cell).then(|| format!("mailto:a@b?x='\"<&{}", cell.row));
        html(game.position(), LastMove::of(&game).as_ref(), style, link)
    }

    /// What is left when everything but text is taken away, row by row.
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
    fn letters_tell_everything() {
        for style in [Style::Full, Style::Plain] {
            let rows = text(&board("mini", "b1", style));
            assert_eq!(rows[0], "a1|[B]|c1||1|", "{style:?}");
            assert_eq!(rows[1], "|(B)|B||2|");
            assert_eq!(rows[2], "a3|B|W||3|");
            assert_eq!(rows[4], "a|b|c|d||");
        }
    }

    #[test]
    fn the_hex_lattice_is_sheared() {
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
    fn a_uri_cannot_leave_its_attribute() {
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
