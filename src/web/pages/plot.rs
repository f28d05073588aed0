//! The score of a game and the findings of an analysis, as a plot in SVG.

use std::fmt::Write;

use crate::app::Analysis;
use outflank_model::log::Game;
use outflank_rules::Color;

/// The width and height of the plot, and the height of the bars of losses below it.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 160.0;
const LOSSES: f64 = 44.0;
/// The space at the left for the numbers of the scale, and above and below each part.
const SCALE: f64 = 30.0;
const MARGIN: f64 = 8.0;
/// The least number of discs at the end of a scale, so that small differences do not look large.
const MIN_DISCS: i32 = 10;

/// Draws the score as a line and, after an analysis, the expected result as another one and the losses as
/// bars below them. `ply` is the number of the move that is shown. The stylesheet colours everything by its
/// class. Writing to a string never fails, so results of that are ignored.
pub(super) fn plot(game: &Game, analysis: Option<&Analysis>, ply: usize) -> String {
    let lead = |black: u32, white: u32| black.cast_signed() - white.cast_signed();
    let [black, white] = Color::BOTH.map(|color| game.start().count(color));
    let after = game.plies().iter().map(|ply| lead(ply.black, ply.white));
    let leads: Vec<_> = [lead(black, white)].into_iter().chain(after).collect();
    let expected = analysis.map(|it| {
        let after = it.moves.iter().map(|&(expected, _)| expected);
        [it.start].into_iter().chain(after).collect::<Vec<_>>()
    });
    let shown = leads.iter().chain(expected.iter().flatten());
    let greatest = shown.map(|discs| discs.saturating_abs()).max().unwrap_or(0).max(MIN_DISCS);
    let scale = Scale { greatest, moves: game.plies().len().max(1) };
    let (height, title) = match analysis {
        Some(_) => (HEIGHT + LOSSES, "The score, the expected result and the losses, move by move"),
        None => (HEIGHT, "The score, move by move"),
    };
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">\n"
    );
    for (discs, sign) in [(greatest, "+"), (0, ""), (-greatest, "\u{2212}")] {
        let (size, y) = (discs.abs(), scale.y(discs));
        let (end, left, base) = (WIDTH - MARGIN, SCALE - 4.0, y + 4.0);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{SCALE} {y}H{end}\"/><text x=\"{left}\" y=\"{base}\">{sign}{size}</text>"
        );
    }
    let _ = writeln!(svg, "<path class=\"here\" d=\"M{} 0V{height}\"/>", scale.x(ply));
    for (class, values) in [("lead", Some(leads)), ("expected", expected)] {
        let points = (0..).zip(values.iter().flatten());
        let points = points.map(|(at, &discs)| format!("{},{}", scale.x(at), scale.y(discs)));
        let points = points.collect::<Vec<_>>().join(" ");
        if !points.is_empty() {
            let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{points}\"/>");
        }
    }
    draw_losses(&mut svg, &scale, game, analysis.map_or(&[], |it| &it.moves));
    svg + "</svg>"
}

/// Draws the loss of each move that cost discs as a bar.
fn draw_losses(svg: &mut String, scale: &Scale, game: &Game, moves: &[(i32, i32)]) {
    let most = moves.iter().map(|&(_, loss)| loss).max().unwrap_or(0).max(MIN_DISCS);
    let width = rounded(((WIDTH - SCALE - MARGIN) / scale.moves as f64 * 0.7).max(1.0));
    for ((number, &(_, loss)), ply) in (1..).zip(moves).zip(game.plies()) {
        if loss <= 0 {
            continue;
        }
        let size = rounded((LOSSES - MARGIN) * f64::from(loss) / f64::from(most));
        let (left, by) = (rounded(scale.x(number) - width / 2.0), ply.by);
        let _ = writeln!(
            svg,
            "<rect class=\"{by}\" x=\"{left}\" y=\"{HEIGHT}\" width=\"{width}\" height=\"{size}\"/>"
        );
    }
}

/// The scale of the lines.
struct Scale {
    /// The discs at its ends.
    greatest: i32,
    /// The number of moves from left to right.
    moves: usize,
}

impl Scale {
    fn x(&self, number: usize) -> f64 {
        rounded(SCALE + (WIDTH - SCALE - MARGIN) * number as f64 / self.moves as f64)
    }

    fn y(&self, discs: i32) -> f64 {
        let middle = HEIGHT / 2.0;
        rounded(middle - (middle - MARGIN) * f64::from(discs) / f64::from(self.greatest))
    }
}

/// Rounds to a tenth, which keeps the page short.
fn rounded(size: f64) -> f64 {
    (size * 10.0).round() / 10.0
}
