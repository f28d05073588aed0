//! A game as a picture for the preview of a link.

use std::fmt::Write;

use super::html::escape;
use super::mark::LastMove;
use super::svg::{BLACK, FONTS, FRAME, LABEL, WHITE, nested};
use super::words::Names;
use outflank_rules::{Color, Position};

/// The size that programs expect which show previews of links.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 630;
/// The space around the board.
const MARGIN: u32 = 30;
/// Where the text begins, and how wide it can be.
const LEFT: u32 = MARGIN + BOARD + 40;
const TEXT: u32 = WIDTH - LEFT - MARGIN;
const BOARD: u32 = HEIGHT - 2 * MARGIN;
/// The width of a character compared with the font size, at most.
const CHARACTER: f64 = 0.64;

/// Draws the board beside the title of the game, the names, the discs of each player, and a line about the
/// state of the game, as an SVG document of 1200×630 pixels.
pub fn card(
    position: &Position,
    last: Option<&LastMove>,
    title: &str,
    names: Names,
    state: &str,
) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{FRAME}\"/>\n"
    );
    svg.push_str(&nested(position, last, [MARGIN, MARGIN, BOARD, BOARD]));
    let mut line = |y: u32, left: u32, size: f64, color: &str, text: &str| {
        let room = f64::from(TEXT + LEFT - left) / (CHARACTER * text.chars().count().max(1) as f64);
        let size = size.min(room).round();
        // Writing to a string never fails.
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{y}\" font-family=\"{FONTS}\" font-size=\"{size}\" \
             fill=\"{color}\">{}</text>",
            escape(text)
        );
    };
    line(110, LEFT, 34.0, LABEL, title);
    for (color, y) in Color::BOTH.into_iter().zip([240, 400]) {
        line(y, LEFT + 84, 52.0, WHITE, names.of(color));
        line(y + 64, LEFT + 84, 52.0, LABEL, &position.count(color).to_string());
    }
    line(540, LEFT, 34.0, LABEL, state);
    for (fill, y) in [(BLACK, 240), (WHITE, 400)] {
        let (x, y) = (LEFT + 32, y - 18);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"31\" fill=\"{fill}\" stroke=\"{LABEL}\" stroke-width=\"2\"/>"
        );
    }
    svg.push_str("</svg>\n");
    svg
}
