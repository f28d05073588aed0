//! A game as a picture for the preview of a link.

use tiny_skia::IntSize;

use super::mark::{BLACK, FRAME, LABEL, LastMove, WHITE};
use super::png::{Drawing, color, stroke};
use super::words::Names;
use outflank_rules::{Color, Position};

/// The usual size of previews of links.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 630;
/// The space around the board.
const MARGIN: f64 = 30.0;
const BOARD: f64 = HEIGHT as f64 - 2.0 * MARGIN;
/// Where the text begins.
const LEFT: f64 = MARGIN + BOARD + 40.0;
/// The width of a character compared with the font size, at most.
const CHARACTER: f64 = 0.64;

/// Draws the board beside the title of the game, the names, the discs of each player, and a line about the
/// state of the game, as PNG of 1200×630 pixels. `None` if there is not enough memory.
pub fn card(
    position: &Position,
    last: Option<&LastMove>,
    title: &str,
    names: Names,
    state: &str,
) -> Option<Vec<u8>> {
    let mut drawing = Drawing::new(IntSize::from_wh(WIDTH, HEIGHT)?)?;
    drawing.pixels.fill(color(FRAME));
    drawing.board(position, last, [MARGIN, MARGIN, BOARD, BOARD].map(|pixels| pixels as f32));
    let mut line = |y: f64, left: f64, size: f64, color: u32, text: &str| {
        let room =
            (f64::from(WIDTH) - MARGIN - left) / (CHARACTER * text.chars().count().max(1) as f64);
        drawing.text((left, y), 0.0, size.min(room).round(), color, text);
    };
    line(110.0, LEFT, 34.0, LABEL, title);
    for (color, y) in Color::BOTH.into_iter().zip([240.0, 400.0]) {
        line(y, LEFT + 84.0, 52.0, WHITE, names.of(color));
        line(y + 64.0, LEFT + 84.0, 52.0, LABEL, &position.count(color).to_string());
    }
    line(540.0, LEFT, 34.0, LABEL, state);
    for (fill, y) in [(BLACK, 222.0), (WHITE, 382.0)] {
        drawing.circle((LEFT + 32.0, y), 31.0, fill, Some((LABEL, stroke(2.0))));
    }
    drawing.pixels.encode_png().ok()
}
