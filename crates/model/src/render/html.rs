//! Positions as HTML tables, for mail.
//!
//! A mail program may remove style sheets, invert colours or draw no round corners. Therefore letters
//! and brackets repeat the colours and shapes, every element has its own style, and a text colour
//! always comes with a background, so both are inverted together. The classes allow a style sheet to
//! refine the result: `.felt b` are the discs, which it makes round.

use std::fmt::Write;

use super::mark::{BLACK, EDGE, EDGE_WIDTH, FELT, GAP, LABEL, LastMove, Mark, SIDE, WHITE, mark};
use super::words;
use outflank_rules::{Cell, Color, Frame, Lattice, Position};

/// The amount of styling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Colours and round shapes: 40 bytes for an empty cell, 140 for a disc, and 150 and a link for a
    /// choice.
    Full,
    /// Letters in a plain grid: about 15 bytes for a cell without a link.
    Plain,
}

/// How a legal cell offers its move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Its label.
    Label,
    /// Its label as a link to this URI.
    Link(String),
}

/// A board in HTML.
#[derive(Debug, Clone)]
pub struct HtmlBoard {
    /// The table.
    pub html: String,
    /// Its width in pixels.
    pub width: usize,
    /// The smallest width that a style sheet may give it.
    pub least_width: usize,
}

/// Draws the board as an HTML table. The last placed disc is `[B]` (on the hex lattice also upper
/// case), and the flipped discs are `(B)`. A cell with a choice shows its label. The labels of rows
/// stay in view where a mail program lets a wide board scroll. The result is ASCII, with lines under
/// 998 characters (RFC 5322) if the URIs are short.
pub fn html(
    position: &Position,
    last: Option<&LastMove>,
    style: Style,
    choice: impl Fn(Cell) -> Option<Choice>,
) -> HtmlBoard {
    let board = Board::new(position, style);
    let cell = |cell| {
        let text = match mark(position, last, cell) {
            Mark::Empty | Mark::Legal => match choice(cell) {
                Some(choice) => return board.choice(cell, position.flips(cell).len(), &choice),
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
    board.table(cell)
}

/// Escapes text for HTML content and attributes.
pub fn escape(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace('"', "&quot;").replace('\'', "&#39;")
}

/// The most columns of cells of the usual [`SIDE`], which is large enough for a thumb, that fit on a phone
/// 390 pixels wide. Boards with more columns have smaller cells.
const FEW: usize = 8;
/// The side of a cell on wider boards, and the minimum on all. Ten columns fit on the same phone.
const MIN_SIDE: usize = 32;
/// The width of the row labels of a rectangle.
const NUMBERS: usize = 18;

/// The style of the edge of the last placed disc, of a flipped disc and of any other disc.
const PLACED: &str = "solid";
const FLIPPED: &str = "dotted";
const PLAIN: &str = "";

/// The narrow no-break space.
const NARROW_SPACE: &str = "&#8239;";

struct Board {
    lattice: Lattice,
    frame: Frame,
    style: Style,
    /// The side of a cell in pixels.
    side: usize,
    /// The attribute for the table columns of a cell.
    span: &'static str,
}

impl Board {
    fn new(position: &Position, style: Style) -> Self {
        let (lattice, frame) = (position.rules().lattice, position.frame());
        // Rows of the hex lattice are shifted by half a cell, so a cell has two table columns.
        let (span, fits) = match lattice {
            Lattice::Rectangle(_) => ("", frame.columns <= FEW),
            Lattice::Hex => (" colspan=\"2\"", true),
        };
        let side = if fits && style == Style::Full { SIDE } else { MIN_SIDE };
        Self { lattice, frame, style, side, span }
    }

    /// Returns the attribute for the height of a row with cells.
    fn height(&self) -> String {
        match self.style {
            // The lines of plain discs.
            Style::Full => {
                format!(" height=\"{}\" style=\"line-height:{}px\"", self.side, self.side - 6)
            }
            Style::Plain => String::new(),
        }
    }

    fn letter(&self, color: Color) -> char {
        words::letter(color, self.lattice)
    }

    fn empty(&self) -> String {
        match (self.style, self.lattice) {
            (Style::Plain, Lattice::Rectangle(_)) => "<td></td>\n".to_owned(),
            (Style::Plain, Lattice::Hex) => format!("<td{}>.</td>\n", self.span),
            (Style::Full, _) => self.cell("felt", FELT, ""),
        }
    }

    fn disc(&self, (color, letter, edge): (Color, String, &str)) -> String {
        if self.style == Style::Plain {
            return format!("<td{}>{letter}</td>\n", self.span);
        }
        let (text, disc) = color.pick([(0xff_ffff, BLACK), (BLACK, WHITE)]);
        let edge = match edge {
            PLAIN => String::new(),
            edge => {
                // Makes room for the brackets within the edge.
                let font = if self.side < SIDE { 10 } else { 12 };
                let border = format!("{EDGE_WIDTH}px {edge} #{EDGE:06x}");
                format!("line-height:{}px;border:{border};font-size:{font}px;", self.side - 12)
            }
        };
        let style = format!("display:block;{edge}background:#{disc:06x};color:#{text:06x}");
        // Only white discs are darker in a dark mode.
        let class = color.pick(["", " class=\"white\""]);
        self.cell("felt", FELT, &format!("<b{class} style=\"{style}\">{letter}</b>"))
    }

    /// Returns an empty cell with its label. A space in the label keeps a quoted cell from being read
    /// as a move.
    fn choice(&self, cell: Cell, flips: usize, choice: &Choice) -> String {
        let label = self.lattice.label(cell);
        let letters = label.trim_end_matches(|c: char| !c.is_alphabetic()).len();
        let space = if self.style == Style::Plain { " " } else { NARROW_SPACE };
        let shown = format!("{}{space}{}", &label[..letters], &label[letters..]);
        let uri = match choice {
            Choice::Link(uri) => Some(escape(uri)),
            Choice::Label => None,
        };
        if self.style == Style::Plain {
            let text = uri.map_or(shown.clone(), |uri| format!("<a href=\"{uri}\">{shown}</a>"));
            return format!("<td{}>{text}</td>\n", self.span);
        }
        let side = self.side;
        let size = match font_size(&label, side) {
            FONT_SIZE => String::new(),
            size => format!("font-size:{size}px;"),
        };
        let style = format!("display:block;line-height:{side}px;{size}color:#0b4a28");
        let content = match uri {
            Some(uri) => {
                let title = format!("{label} flips {flips}");
                format!("<a href=\"{uri}\" title=\"{title}\"\n style=\"{style}\">{shown}</a>")
            }
            None => format!("<span style=\"{style}\">{shown}</span>"),
        };
        self.cell("choice", LABEL, &content)
    }

    fn cell(&self, class: &str, background: u32, content: &str) -> String {
        let span = self.span;
        format!("<td{span} class=\"{class}\" bgcolor=\"#{background:06x}\">{content}</td>\n")
    }

    fn column_label(&self, column: i32) -> String {
        let label = self.lattice.column_label(Cell::new(column, 0));
        format!("<th scope=\"col\"{} class=\"edge\">{label}</th>\n", self.span)
    }

    /// Returns the labels of a row at both sides, each half a cell wide.
    fn row_labels(&self, row: i32) -> [String; 2] {
        let label = row.to_string();
        let style = match (self.style, label.len()) {
            (Style::Plain, _) | (_, 0..=2) => "",
            (_, 3) => " style=\"font-size:10px\"",
            _ => " style=\"font-size:8px\"",
        };
        ["west", "east"]
            .map(|side| format!("<th scope=\"row\" class=\"edge {side}\"{style}>{label}</th>\n"))
    }

    /// Returns the table. Each row of the hex lattice is half a cell to the right of the one above it, and
    /// the letters continue the diagonals of their cells.
    fn table(&self, cell: impl Fn(Cell) -> String) -> HtmlBoard {
        let Frame { columns, rows, .. } = self.frame;
        let is_hex = self.lattice == Lattice::Hex;
        let letters = |shift| {
            let labels = self.frame.column_range().map(|column| self.column_label(column));
            [indent(shift)].into_iter().chain(labels).chain((!is_hex).then(|| indent(1)))
        };
        let mut html = String::new();
        push_row(&mut html, "", letters(if is_hex { 2 } else { 1 }));
        for (line, row) in (1..).zip(self.frame.row_range()) {
            let cells = self.frame.column_range().map(|column| cell(Cell::new(column, row)));
            let [west, east] = self.row_labels(row);
            let begin = is_hex.then(|| indent(line + 1)).into_iter().chain([west]);
            push_row(&mut html, &self.height(), begin.chain(cells).chain([east]));
        }
        push_row(&mut html, "", letters(if is_hex { rows + 3 } else { 1 }));
        if is_hex {
            let halves = 2 * columns + rows + 3;
            let width = halves * ((self.side - GAP) / 2 + GAP) + GAP;
            return self.framed(width, width, &format!("<col span=\"{halves}\">\n{html}"));
        }
        let width = |side| columns * (side + GAP) + GAP + 2 * (NUMBERS + GAP);
        let number = format!("<col width=\"{NUMBERS}\">");
        let html = format!("{number}<col span=\"{columns}\">{number}\n{html}");
        self.framed(width(MIN_SIDE), width(self.side), &html)
    }

    fn framed(&self, least: usize, width: usize, rows: &str) -> HtmlBoard {
        let (class, font) = match (self.style, self.lattice) {
            (Style::Full, Lattice::Rectangle(_)) => ("board", "15px/1.5"),
            (Style::Full, Lattice::Hex) => ("board hex", "15px/1.5"),
            (Style::Plain, _) => ("board plain", "11px/32px"),
        };
        let (border, gap, collapse) = match (self.style, self.lattice) {
            (Style::Plain, Lattice::Rectangle(_)) => (1, 0, "collapse"),
            _ => (0, GAP, "separate"),
        };
        let html = format!(
            "<table class=\"{class}\" aria-label=\"The board\" border=\"{border}\" \
             cellpadding=\"0\" cellspacing=\"{gap}\" width=\"{width}\"\n style=\"\
             table-layout:fixed;width:{width}px;min-width:{least}px;max-width:{width}px;\
             margin:0 auto;border-collapse:{collapse};border-spacing:{gap}px;text-align:center;\
             white-space:nowrap;font:{font} Verdana,Arial,sans-serif\">\n\
             {rows}</table>\n"
        );
        HtmlBoard { html, width, least_width: least }
    }
}

/// Returns the size of bold type in pixels at which a label fits into a cell.
fn font_size(label: &str, side: usize) -> usize {
    // The width of a character in Verdana, in hundredths of the font size.
    let width = |c: char| match c {
        'm' | 'w' | 'M' | 'W' => 115,
        '-' => 50,
        'a'..='z' | '0'..='9' => 72,
        _ => 85,
    };
    let widths: usize = label.chars().map(width).sum();
    (100 * (side - 3) / widths.max(1)).min(FONT_SIZE)
}

/// The size of letters on a board in pixels.
const FONT_SIZE: usize = 15;

/// Returns an empty cell of this many table columns.
fn indent(columns: usize) -> String {
    format!("<td colspan=\"{columns}\"></td>\n")
}

/// Adds a row. `attribute` stands behind its name.
fn push_row(rows: &mut String, attribute: &str, cells: impl Iterator<Item = String>) {
    // Writing to a string never fails.
    let _ = write!(rows, "<tr{attribute}>\n{}</tr>\n", cells.collect::<String>());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Game;
    use outflank_rules::{Overrides, Variant};

    fn board(variant: &str, moves: &str, style: Style) -> String {
        let rules = Variant::named(variant).unwrap().rules(&Overrides::default()).unwrap();
        let mut game = Game::new(Position::start(rules));
        for mv in moves.parse::<outflank_rules::Transcript>().unwrap().0 {
            game.play(mv).unwrap();
        }
        let legal = game.position().placements();
        let link = |cell: Cell| Choice::Link(format!("mailto:a@b?x='\"<&{}", cell.row));
        let choice = |cell| legal.contains(cell).then(|| link(cell));
        html(game.position(), LastMove::of(&game).as_ref(), style, choice).html
    }

    /// Returns the text of each row.
    fn text(html: &str) -> Vec<String> {
        let mut rows = Vec::new();
        for row in html.split("</tr>") {
            let cells = row.split("</t").map(|cell| {
                let text = cell.split('<').filter_map(|piece| piece.split_once('>'));
                let text = text.map(|(_, text)| text.trim()).collect::<String>();
                text.replace("&nbsp;", "").replace(NARROW_SPACE, " ")
            });
            rows.push(cells.collect::<Vec<_>>().join("|"));
        }
        rows
    }

    #[test]
    fn letters_and_brackets_show_the_move() {
        for style in [Style::Full, Style::Plain] {
            let rows = text(&board("mini", "b1", style));
            assert_eq!(rows[0], "|a|b|c|d||", "{style:?}");
            assert_eq!(rows[1], "1|a 1|[B]|c 1||1|", "{style:?}");
            assert_eq!(rows[2], "2||(B)|B||2|");
            assert_eq!(rows[3], "3|a 3|B|W||3|");
            assert_eq!(rows[5], "|a|b|c|d||");
        }
    }

    #[test]
    fn rows_of_the_hex_lattice_are_shifted() {
        let html = board("oddthello", "c4", Style::Full);
        let rows = text(&html);
        assert_eq!(rows[0], "|A|B|C|D|");
        assert_eq!(rows[3], "|3||x|(o)|D 3|3|");
        assert_eq!(rows[4], "|4|||[O]||4|");
        assert_eq!(rows[6], "|A|B|C|D|");
        let gaps = html.split("<td colspan=\"").filter(|rest| rest[1..].starts_with("\"></td>"));
        let gaps = gaps.map(|rest| &rest[..1]);
        assert_eq!(gaps.collect::<String>(), "2234568");
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
