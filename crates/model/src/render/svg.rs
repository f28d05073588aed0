//! Positions as pictures in SVG.
//!
//! Colours are attributes, not a style sheet, which a page may forbid.

use std::fmt::Write;

use super::html::escape;
use super::mark::{
    self, BLACK, EDGE, EDGE_WIDTH, FELT, FRAME, GAP, LABEL, LastMove, Mark, WHITE, mark,
};
use outflank_rules::{Cell, Frame, Lattice, Position};

/// The distance of two cells in a row, in pixels.
const SIDE: f64 = mark::SIDE as f64;
/// The radius of a disc.
pub(super) const DISC: f64 = 16.0;
/// The space around the outermost labels.
const MARGIN: f64 = 4.0;
/// The radius of the corners of the board.
pub(super) const ROUND: f64 = 6.0;
/// The font size of short labels.
const LABEL_SIZE: u32 = 15;
/// How far below the middle of a cell its label stands. This centers digits, without an attribute that some
/// programs do not know.
pub(super) const BASE_LINE: f64 = 5.5;

/// The families of the labels' font, the first one available.
const FONTS: &str = "DejaVu Sans,Verdana,Arial,sans-serif";

/// Draws the board as an SVG document. The last placed disc has an edge, and the discs that it flipped
/// have a dotted one. `title` is read out in place of the picture.
pub fn svg(position: &Position, last: Option<&LastMove>, title: &str) -> String {
    Board::of(position).draw(position, last, title)
}

/// Where the cells of a position are. Writing to a string never fails, so results of that are ignored.
pub(super) struct Board {
    lattice: Lattice,
    frame: Frame,
}

impl Board {
    pub(super) fn of(position: &Position) -> Self {
        Self { lattice: position.rules().lattice, frame: position.frame() }
    }

    fn draw(&self, position: &Position, last: Option<&LastMove>, title: &str) -> String {
        let [left, top, width, height] = self.view_box();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>{}</title>\n\
             <rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"{ROUND}\" \
             fill=\"#{FRAME:06x}\"/>\n\
             <g fill=\"#{FELT:06x}\" stroke=\"#{FRAME:06x}\" stroke-width=\"{GAP}\">\n",
            escape(title)
        );
        let cells: Vec<_> = self.cells().collect();
        cells.iter().for_each(|&cell| self.draw_cell(&mut svg, cell));
        svg.push_str("</g>\n");
        for &cell in &cells {
            self.draw_mark(&mut svg, cell, mark(position, last, cell));
        }
        let _ = writeln!(
            svg,
            "<g fill=\"#{LABEL:06x}\" font-family=\"{FONTS}\" font-size=\"{LABEL_SIZE}\" \
             text-anchor=\"middle\">"
        );
        for (cell, label) in self.labels() {
            let (x, y) = self.center(cell);
            let y = y + BASE_LINE;
            let size = match label_size(&label) {
                LABEL_SIZE => String::new(),
                smaller => format!(" font-size=\"{smaller}\""),
            };
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\"{size}>{label}</text>");
        }
        svg.push_str("</g>\n</svg>\n");
        svg
    }

    /// Returns the cells of the frame, row by row.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        let columns = self.frame.column_range();
        let row = move |row| columns.clone().map(move |column| Cell::new(column, row));
        self.frame.row_range().flat_map(row)
    }

    /// Returns the labels, each with the cell outside of the frame on which it stands.
    pub(super) fn labels(&self) -> impl Iterator<Item = (Cell, String)> {
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
    pub(super) fn center(&self, cell: Cell) -> (f64, f64) {
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
    pub(super) fn view_box(&self) -> [f64; 4] {
        let centers = || self.labels().map(|(cell, _)| self.center(cell));
        let half = SIDE / 2.0 - 6.0 + MARGIN;
        let [x, y] = [|(x, _): (f64, f64)| x, |(_, y): (f64, f64)| y].map(|side| {
            let least = centers().map(side).fold(f64::INFINITY, f64::min) - half;
            (least, centers().map(side).fold(f64::NEG_INFINITY, f64::max) + half - least)
        });
        [x.0, y.0, rounded(x.1), rounded(y.1)]
    }

    /// Returns the corners of a cell.
    pub(super) fn corners(&self, cell: Cell) -> Vec<(f64, f64)> {
        let (x, y) = self.center(cell);
        let half = SIDE / 2.0;
        let (left, right) = (x - half, x + half);
        match self.lattice {
            Lattice::Rectangle(_) => {
                let (up, down) = (y - half, y + half);
                vec![(left, up), (right, up), (right, down), (left, down)]
            }
            Lattice::Hex => {
                // The height of a corner beside the middle, and that of the tips.
                let (low, high) = (rounded(half / 3_f64.sqrt()), rounded(SIDE / 3_f64.sqrt()));
                let [up, above, below, down] = [y - high, y - low, y + low, y + high].map(rounded);
                vec![
                    (x, up),
                    (right, above),
                    (right, below),
                    (x, down),
                    (left, below),
                    (left, above),
                ]
            }
        }
    }

    fn draw_cell(&self, svg: &mut String, cell: Cell) {
        let _ = match self.corners(cell)[..] {
            [(x, up), (right, above), (_, below), (_, down), (left, _), _] => writeln!(
                svg,
                "<path d=\"M{x} {up}L{right} {above}V{below}L{x} {down}L{left} {below}V{above}Z\"/>"
            ),
            [(left, top), ..] => {
                writeln!(svg, "<rect x=\"{left}\" y=\"{top}\" width=\"{SIDE}\" height=\"{SIDE}\"/>")
            }
            [] => Ok(()),
        };
    }

    fn draw_mark(&self, svg: &mut String, cell: Cell, mark: Mark) {
        let (x, y) = self.center(cell);
        let Some((fill, dashes)) = disc(mark) else { return };
        let edge = match dashes {
            None => String::new(),
            Some([]) => format!(" stroke=\"#{EDGE:06x}\" stroke-width=\"{EDGE_WIDTH}\""),
            Some(_) => format!(
                " stroke=\"#{EDGE:06x}\" stroke-width=\"{EDGE_WIDTH}\" stroke-dasharray=\"3 4\""
            ),
        };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{DISC}\" fill=\"#{fill:06x}\"{edge}/>"
        );
    }
}

/// Returns the fill of the disc of a mark, and the lengths of the dashes of its edge and of the gaps between
/// them; nothing if the edge is solid. `None` if there is no edge, or no disc.
pub(super) fn disc(mark: Mark) -> Option<(u32, Option<&'static [f32]>)> {
    let (color, dashes): (_, Option<&[f32]>) = match mark {
        Mark::Disc(color) => (color, None),
        Mark::Placed(color) => (color, Some(&[])),
        Mark::Flipped(color) => (color, Some(&[3.0, 4.0])),
        Mark::Empty | Mark::Legal | Mark::Arrow(_) => return None,
    };
    Some((color.pick([BLACK, WHITE]), dashes))
}

/// Returns the font size of a label. Some labels of the hex lattice are long.
pub(super) const fn label_size(label: &str) -> u32 {
    if label.len() > 2 { 11 } else { LABEL_SIZE }
}

/// Rounds to a hundredth of a pixel, which keeps the document short.
fn rounded(pixels: f64) -> f64 {
    (pixels * 100.0).round() / 100.0
}
