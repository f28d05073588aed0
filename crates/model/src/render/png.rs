//! Boards as pictures in PNG.

use tiny_skia::{
    Color, FillRule, IntSize, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Shader, Size,
    Stroke, StrokeDash, Transform,
};

use super::mark::{EDGE, EDGE_WIDTH, FELT, FRAME, GAP, LABEL, LastMove, mark};
use super::svg::{BASE_LINE, Board, DISC, ROUND, disc, label_size};
use outflank_rules::Position;

/// The outlines of characters: a line each, with the character, its width and its path as in SVG, but
/// with y upwards.
const OUTLINES: &str = include_str!("font/outlines.txt");
/// The font size in the unit of the outlines.
const EM: f32 = 2048.0;

/// The most pixels of a picture, which take four bytes each.
const MAX_PIXELS: u64 = 1 << 25;

/// Draws the board of [`svg`](super::svg()) as PNG: this many pixels wide, or as wide as that picture.
/// `None` if it has too many pixels.
pub fn png(position: &Position, last: Option<&LastMove>, width: Option<u32>) -> Option<Vec<u8>> {
    let [.., wide, high] = Board::of(position).view_box().map(|pixels| pixels as f32);
    let size = Size::from_wh(wide, high)?.to_int_size();
    let size = width.map_or(Some(size), |width| size.scale_to_width(width))?;
    let mut drawing = Drawing::new(size)?;
    drawing.board(position, last, [0.0, 0.0, size.width() as f32, size.height() as f32]);
    drawing.pixels.encode_png().ok()
}

/// A picture on which shapes are drawn.
pub(super) struct Drawing {
    pub(super) pixels: Pixmap,
    /// Maps the coordinates of shapes to pixels.
    at: Transform,
}

impl Drawing {
    /// Returns an empty picture; `None` if it has too many pixels.
    pub(super) fn new(size: IntSize) -> Option<Self> {
        let (width, height) = size.dimensions();
        let fits = u64::from(width) * u64::from(height) <= MAX_PIXELS;
        let pixels = fits.then(|| Pixmap::new(width, height))??;
        Some(Self { pixels, at: Transform::identity() })
    }

    /// Draws a board as large as it can be in this rectangle: its left and upper edge, its width and its
    /// height.
    pub(super) fn board(
        &mut self,
        position: &Position,
        last: Option<&LastMove>,
        [x, y, wide, high]: [f32; 4],
    ) {
        let board = Board::of(position);
        let [left, top, width, height] = board.view_box().map(|pixels| pixels as f32);
        let scale = (wide / width).min(high / height);
        let [x, y] = [x + (wide - scale * width) / 2.0, y + (high - scale * height) / 2.0];
        self.at =
            Transform::from_translate(x, y).pre_scale(scale, scale).pre_translate(-left, -top);

        // The line around the inner rectangle has round corners.
        let (sides, round) = (2.0 * ROUND as f32, ROUND as f32);
        let inner = Rect::from_xywh(left + round, top + round, width - sides, height - sides);
        let line = Stroke { line_join: LineJoin::Round, ..stroke(2.0 * ROUND) };
        self.shape(inner.map(PathBuilder::from_rect), FRAME, Some((FRAME, line)));
        for cell in board.cells() {
            let mut path = PathBuilder::new();
            for (x, y) in board.corners(cell) {
                let to = if path.is_empty() { PathBuilder::move_to } else { PathBuilder::line_to };
                to(&mut path, x as f32, y as f32);
            }
            path.close();
            self.shape(path.finish(), FELT, Some((FRAME, stroke(GAP as f64))));
        }
        for cell in board.cells() {
            let Some((fill, dashes)) = disc(mark(position, last, cell)) else { continue };
            let dash = dashes.and_then(|dashes| StrokeDash::new(dashes.to_vec(), 0.0));
            let edge = dashes.map(|_| (EDGE, Stroke { dash, ..stroke(EDGE_WIDTH as f64) }));
            self.circle(board.center(cell), DISC, fill, edge);
        }
        for (cell, label) in board.labels() {
            let (x, y) = board.center(cell);
            self.text((x, y + BASE_LINE), 0.5, label_size(&label).into(), LABEL, &label);
        }
        self.at = Transform::identity();
    }

    pub(super) fn circle(
        &mut self,
        (x, y): (f64, f64),
        radius: f64,
        fill: u32,
        edge: Option<(u32, Stroke)>,
    ) {
        self.shape(PathBuilder::from_circle(x as f32, y as f32, radius as f32), fill, edge);
    }

    /// Draws text at a point of its base line, with this share of its width to the left of the point.
    /// Characters without an outline are left out.
    pub(super) fn text(&mut self, at: (f64, f64), share: f32, size: f64, fill: u32, text: &str) {
        let (before, scale) = (self.at, size as f32 / EM);
        let (path, width) = outlines(text);
        self.at = before.pre_translate(at.0 as f32, at.1 as f32).pre_scale(scale, -scale);
        self.at = self.at.pre_translate(-share * width, 0.0);
        self.shape(path.finish(), fill, None);
        self.at = before;
    }

    fn shape(&mut self, path: Option<Path>, fill: u32, edge: Option<(u32, Stroke)>) {
        let paint = |fill| Paint { shader: Shader::SolidColor(color(fill)), ..Paint::default() };
        let Some(path) = path else { return };
        self.pixels.fill_path(&path, &paint(fill), FillRule::Winding, self.at, None);
        if let Some((color, stroke)) = edge {
            self.pixels.stroke_path(&path, &paint(color), &stroke, self.at, None);
        }
    }
}

pub(super) fn color(color: u32) -> Color {
    let [_, red, green, blue] = color.to_be_bytes();
    Color::from_rgba8(red, green, blue, u8::MAX)
}

pub(super) fn stroke(width: f64) -> Stroke {
    Stroke { width: width as f32, ..Stroke::default() }
}

/// Returns the outlines of a text, from the origin to the right, and its width.
fn outlines(text: &str) -> (PathBuilder, f32) {
    let (mut path, mut left) = (PathBuilder::new(), 0.0);
    for character in text.chars() {
        let mut lines = OUTLINES.lines();
        let Some(outline) = lines.find_map(|line| line.strip_prefix(character)) else { continue };
        let (width, steps) = outline.split_once(' ').unwrap_or((outline, ""));
        for step in steps.split_terminator(' ') {
            let (kind, numbers) = step.split_at(1);
            let numbers: Vec<f32> = numbers.split(',').filter_map(|it| it.parse().ok()).collect();
            match (kind, &numbers[..]) {
                ("M", &[x, y]) => path.move_to(left + x, y),
                ("L", &[x, y]) => path.line_to(left + x, y),
                ("Q", &[x1, y1, x, y]) => path.quad_to(left + x1, y1, left + x, y),
                _ => path.close(),
            }
        }
        left += width.parse().unwrap_or(0.0);
    }
    (path, left)
}
