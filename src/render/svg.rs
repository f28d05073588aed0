//! Positions as pictures in SVG.
//!
//! Colours are attributes, not a style sheet, which a page may forbid.

use std::fmt::Write;

use super::html::escape;
use super::mark::{LastMove, Mark, mark};
use outflank_rules::{Cell, Color, Frame, Lattice, Position};

/// The distance of two cells in a row, in pixels.
const SIDE: f64 = 40.0;
/// The radius of a disc.
const DISC: f64 = 16.0;
/// The space around the outermost labels.
const MARGIN: f64 = 4.0;

pub(super) const FRAME: &str = "#17402b";
const FELT: &str = "#2c7a51";
pub(super) const LABEL: &str = "#d9f2e1";
/// The edge of the last placed disc and of the flipped ones.
const EDGE: &str = "#ffc53d";

pub(super) const BLACK: &str = "#14181a";
pub(super) const WHITE: &str = "#f6f5ef";

/// The families of the labels' font, the first one available.
pub(super) const FONTS: &str = "DejaVu Sans,Verdana,Arial,sans-serif";

/// Draws the board as an SVG document. The last placed disc has an edge, and the discs that it flipped
/// have a dotted one. `title` is read out in place of the picture.
pub fn svg(position: &Position, last: Option<&LastMove>, title: &str) -> String {
    let board = Board::of(position);
    let (_, _, width, height) = board.view_box();
    let attributes = format!("width=\"{width}\" height=\"{height}\" role=\"img\"");
    board.draw(position, last, &attributes, &format!("<title>{}</title>\n", escape(title)))
}

/// Draws the board as an element of a larger picture, as large as it can be in this rectangle: its left
/// and upper edge, its width and its height.
pub(super) fn nested(position: &Position, last: Option<&LastMove>, place: [u32; 4]) -> String {
    let [x, y, width, height] = place;
    let attributes = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
    Board::of(position).draw(position, last, &attributes, "")
}

/// Where the cells of a position are. Writing to a string never fails, so results of that are ignored.
struct Board {
    lattice: Lattice,
    frame: Frame,
}

impl Board {
    fn of(position: &Position) -> Self {
        Self { lattice: position.rules().lattice, frame: position.frame() }
    }

    /// Returns the picture as an element with these attributes that begins with `title`.
    fn draw(
        &self,
        position: &Position,
        last: Option<&LastMove>,
        attributes: &str,
        title: &str,
    ) -> String {
        let (left, top, width, height) = self.view_box();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {height}\" \
             {attributes}>\n{title}\
             <rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"6\" \
             fill=\"{FRAME}\"/>\n<g fill=\"{FELT}\" stroke=\"{FRAME}\" stroke-width=\"2\">\n"
        );
        let cells: Vec<_> = self.cells().collect();
        cells.iter().for_each(|&cell| self.draw_cell(&mut svg, cell));
        svg.push_str("</g>\n");
        for &cell in &cells {
            self.draw_mark(&mut svg, cell, mark(position, last, cell));
        }
        let _ = writeln!(
            svg,
            "<g fill=\"{LABEL}\" font-family=\"{FONTS}\" font-size=\"15\" text-anchor=\"middle\">"
        );
        for (cell, label) in self.labels() {
            let (x, y) = self.center(cell);
            // The middle of the digits, without an attribute that some programs do not know.
            let y = y + 5.5;
            let size = if label.len() > 2 { " font-size=\"11\"" } else { "" };
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\"{size}>{label}</text>");
        }
        svg.push_str("</g>\n</svg>\n");
        svg
    }

    /// Returns the cells of the frame, row by row.
    fn cells(&self) -> impl Iterator<Item = Cell> {
        let columns = self.frame.column_range();
        let row = move |row| columns.clone().map(move |column| Cell::new(column, row));
        self.frame.row_range().flat_map(row)
    }

    /// Returns the labels, each with the cell outside of the frame on which it stands.
    fn labels(&self) -> impl Iterator<Item = (Cell, String)> {
        let (columns, rows) = (self.frame.column_range(), self.frame.row_range());
        let lattice = self.lattice;
        let sides = [columns.start - 1, columns.end];
        let ends = [rows.start - 1, rows.end];
        let of_rows =
            rows.flat_map(move |row| sides.map(|column| (Cell::new(column, row), row.to_string())));
        let of_columns = columns.flat_map(move |column| {
            ends.map(|row| (Cell::new(column, row), lattice.column_label(Cell::new(column, 0))))
        });
        of_rows.chain(of_columns)
    }

    /// Returns the middle of a cell, in or outside of the frame. On the hex lattice each row is half a
    /// cell to the right of the one above it.
    fn center(&self, cell: Cell) -> (f64, f64) {
        let column = f64::from(cell.column - self.frame.first.column);
        let row = f64::from(cell.row - self.frame.first.row);
        let (x, y) = match self.lattice {
            Lattice::Rectangle(_) => (column, row),
            Lattice::Hex => (column + row / 2.0, row * self.row_height() / SIDE),
        };
        (rounded(x * SIDE), rounded(y * SIDE))
    }

    /// Returns the distance of two rows. The cells of the hex lattice are regular hexagons.
    fn row_height(&self) -> f64 {
        match self.lattice {
            Lattice::Rectangle(_) => SIDE,
            Lattice::Hex => SIDE * 3_f64.sqrt() / 2.0,
        }
    }

    /// Returns the left edge, the upper edge, the width and the height of the picture.
    fn view_box(&self) -> (f64, f64, f64, f64) {
        let centers = || self.labels().map(|(cell, _)| self.center(cell));
        let half = SIDE / 2.0 - 6.0 + MARGIN;
        let [x, y] = [|(x, _): (f64, f64)| x, |(_, y): (f64, f64)| y].map(|side| {
            let least = centers().map(side).fold(f64::INFINITY, f64::min) - half;
            (least, centers().map(side).fold(f64::NEG_INFINITY, f64::max) + half - least)
        });
        (x.0, y.0, rounded(x.1), rounded(y.1))
    }

    fn draw_cell(&self, svg: &mut String, cell: Cell) {
        let (x, y) = self.center(cell);
        let half = SIDE / 2.0;
        let _ = match self.lattice {
            Lattice::Rectangle(_) => {
                let (left, top) = (x - half, y - half);
                writeln!(svg, "<rect x=\"{left}\" y=\"{top}\" width=\"{SIDE}\" height=\"{SIDE}\"/>")
            }
            Lattice::Hex => {
                // The height of a corner beside the middle, and that of the tips.
                let (low, high) = (rounded(half / 3_f64.sqrt()), rounded(SIDE / 3_f64.sqrt()));
                let (left, right) = (x - half, x + half);
                let [up, above, below, down] = [y - high, y - low, y + low, y + high].map(rounded);
                writeln!(
                    svg,
                    "<path d=\"M{x} {up}L{right} {above}V{below}L{x} {down}L{left} {below}V{above}Z\"/>"
                )
            }
        };
    }

    fn draw_mark(&self, svg: &mut String, cell: Cell, mark: Mark) {
        let (x, y) = self.center(cell);
        let (color, edge) = match mark {
            Mark::Disc(color) => (color, String::new()),
            Mark::Placed(color) => (color, format!(" stroke=\"{EDGE}\" stroke-width=\"3\"")),
            Mark::Flipped(color) => {
                let dotted = "stroke-width=\"3\" stroke-dasharray=\"3 4\"";
                (color, format!(" stroke=\"{EDGE}\" {dotted}"))
            }
            Mark::Empty | Mark::Legal | Mark::Arrow(_) => return,
        };
        let fill = match color {
            Color::Black => BLACK,
            Color::White => WHITE,
        };
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{DISC}\" fill=\"{fill}\"{edge}/>");
    }
}

/// Rounds to a hundredth of a pixel, which keeps the document short.
fn rounded(pixels: f64) -> f64 {
    (pixels * 100.0).round() / 100.0
}
