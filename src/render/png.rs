//! Boards as pictures in PNG.

use tiny_skia::{
    FillRule, IntSize, Paint, PathBuilder, Pixmap, Rect, Size, Stroke, StrokeDash, Transform,
};

use super::mark::{LastMove, mark};
use super::svg::{
    BASE_LINE, Board, DISC, EDGE, EDGE_WIDTH, Edge, FELT, FRAME, GAP, LABEL, ROUND, disc,
    label_size,
};
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
    let scale = Transform::from_scale(size.width() as f32 / wide, size.height() as f32 / high);
    drawing.board(position, last, scale);
    drawing.finish()
}

/// A picture on which shapes are drawn.
pub(super) struct Drawing {
    pixels: Pixmap,
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

    /// Returns the picture as PNG.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        self.pixels.encode_png().ok()
    }

    /// Draws a board as large as it can be in the square with this margin and side.
    pub(super) fn board_in(
        &mut self,
        position: &Position,
        last: Option<&LastMove>,
        margin: f32,
        side: f32,
    ) {
        let [.., width, height] = Board::of(position).view_box().map(|pixels| pixels as f32);
        let scale = side / width.max(height);
        let [x, y] = [width, height].map(|length| margin + (side - length * scale) / 2.0);
        self.board(position, last, Transform::from_translate(x, y).pre_scale(scale, scale));
    }

    /// Draws a board, whose upper left corner is at the origin before this transformation.
    fn board(&mut self, position: &Position, last: Option<&LastMove>, at: Transform) {
        let board = Board::of(position);
        let [left, top, width, height] = board.view_box().map(|pixels| pixels as f32);
        self.at = at.pre_translate(-left, -top);
        self.rectangle([left, top, width, height], ROUND as f32, FRAME);
        let lines = (FRAME, Stroke { width: GAP as f32, ..Stroke::default() });
        for cell in board.cells() {
            let mut path = PathBuilder::new();
            for (index, (x, y)) in board.corners(cell).into_iter().enumerate() {
                match index {
                    0 => path.move_to(x as f32, y as f32),
                    _ => path.line_to(x as f32, y as f32),
                }
            }
            path.close();
            self.shape(path, FELT, Some(&lines));
        }
        for cell in board.cells() {
            let Some((fill, edge)) = disc(mark(position, last, cell)) else { continue };
            let dash = match edge {
                Edge::Dotted => StrokeDash::new(vec![3.0, 4.0], 0.0),
                Edge::None | Edge::Solid => None,
            };
            let stroke = (EDGE, Stroke { width: EDGE_WIDTH as f32, dash, ..Stroke::default() });
            let (x, y) = board.center(cell);
            let stroke = (edge != Edge::None).then_some(&stroke);
            self.circle([x as f32, y as f32, DISC as f32], fill, stroke);
        }
        for (cell, label) in board.labels() {
            let (x, y) = board.center(cell);
            let size = label_size(&label) as f32;
            let left = x as f32 - outlines(&label).1 * size / EM / 2.0;
            self.text([left, (y + BASE_LINE) as f32], size, LABEL, &label);
        }
        self.at = Transform::identity();
    }

    /// Draws a rectangle, its left and upper edge, its width and its height, with corners of this radius.
    pub(super) fn rectangle(&mut self, rectangle: [f32; 4], round: f32, fill: u32) {
        let [left, top, width, height] = rectangle;
        let mut path = PathBuilder::new();
        for (x, y) in [(round, 0.0), (0.0, round)] {
            let inner = Rect::from_xywh(left + x, top + y, width - 2.0 * x, height - 2.0 * y);
            inner.into_iter().for_each(|inner| path.push_rect(inner));
        }
        for x in [left + round, left + width - round] {
            for y in [top + round, top + height - round] {
                path.push_circle(x, y, round);
            }
        }
        self.shape(path, fill, None);
    }

    /// Draws a circle: the x and the y of its middle, and its radius.
    pub(super) fn circle(&mut self, circle: [f32; 3], fill: u32, edge: Option<&(u32, Stroke)>) {
        let [x, y, radius] = circle;
        let mut path = PathBuilder::new();
        path.push_circle(x, y, radius);
        self.shape(path, fill, edge);
    }

    /// Draws text that begins here. Characters without an outline are left out.
    pub(super) fn text(&mut self, [left, base]: [f32; 2], size: f32, fill: u32, text: &str) {
        let before = self.at;
        self.at = before.pre_translate(left, base).pre_scale(size / EM, -size / EM);
        self.shape(outlines(text).0, fill, None);
        self.at = before;
    }

    fn shape(&mut self, path: PathBuilder, fill: u32, edge: Option<&(u32, Stroke)>) {
        let Some(path) = path.finish() else { return };
        self.pixels.fill_path(&path, &paint(fill), FillRule::Winding, self.at, None);
        if let Some((color, stroke)) = edge {
            self.pixels.stroke_path(&path, &paint(*color), stroke, self.at, None);
        }
    }
}

fn paint(color: u32) -> Paint<'static> {
    let [_, red, green, blue] = color.to_be_bytes();
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    paint
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
