//! The score of a game, and what an analysis found, as a plot in SVG.

use std::fmt::Write;

use crate::web::pages::Analysis;
use outflank_rules::Color;

/// The width and height of the plot, and of the part below the lines in which losses stand.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 160.0;
const LOSSES: f64 = 44.0;
/// The space at the left for the numbers of the scale, and above and below each part.
const SCALE: f64 = 30.0;
const MARGIN: f64 = 8.0;
/// The least number of discs at the end of a scale, so that small differences do not look large.
const MIN_DISCS: i32 = 10;

/// A game as numbers.
pub(super) struct Series<'a> {
    /// By how many discs Black is ahead, before the first move and after each.
    pub leads: &'a [i32],
    /// Who made each move.
    pub by: &'a [Color],
    /// What an analysis found.
    pub analysis: Option<&'a Analysis>,
    /// The number of the move after which the game is shown.
    pub ply: usize,
}

/// Draws the score as a line and, after an analysis, the expected result as another one and the losses as
/// bars below them. The stylesheet colours them by their classes. `title` is read out in place of the
/// picture. Writing to a string never fails, so results of that are ignored.
pub(super) fn plot(series: &Series, title: &str) -> String {
    let Series { leads, by, analysis, ply } = *series;
    let expected = analysis.map(|it| {
        let after = it.moves.iter().map(|&(expected, _)| expected);
        [it.start].into_iter().chain(after).collect::<Vec<_>>()
    });
    let shown = leads.iter().chain(expected.iter().flatten());
    let greatest = shown.map(|discs| discs.saturating_abs()).max().unwrap_or(0).max(MIN_DISCS);
    let height = if analysis.is_some() { HEIGHT + LOSSES } else { HEIGHT };
    let moves = leads.len().saturating_sub(1).max(1);
    let x =
        |number: usize| rounded(SCALE + (WIDTH - SCALE - MARGIN) * number as f64 / moves as f64);
    let y = |discs: i32| {
        let middle = HEIGHT / 2.0;
        rounded(middle - (middle - MARGIN) * f64::from(discs) / f64::from(greatest))
    };
    let line = |values: &[i32]| {
        let points =
            values.iter().enumerate().map(|(at, &discs)| format!("{},{}", x(at), y(discs)));
        points.collect::<Vec<_>>().join(" ")
    };
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">\n"
    );
    for (discs, sign) in [(greatest, "+"), (0, ""), (-greatest, "\u{2212}")] {
        let (size, y) = (discs.abs(), y(discs));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{SCALE} {y}H{}\"/>\
             <text x=\"{}\" y=\"{}\">{sign}{size}</text>",
            WIDTH - MARGIN,
            SCALE - 4.0,
            y + 4.0
        );
    }
    let _ = writeln!(svg, "<path class=\"here\" d=\"M{} 0V{height}\"/>", x(ply));
    let _ = writeln!(svg, "<polyline class=\"lead\" points=\"{}\"/>", line(leads));
    if let Some(expected) = &expected {
        let _ = writeln!(svg, "<polyline class=\"expected\" points=\"{}\"/>", line(expected));
    }
    let losses = analysis.map_or(&[][..], |it| &it.moves);
    let most = losses.iter().map(|&(_, loss)| loss).max().unwrap_or(0).max(MIN_DISCS);
    let width = rounded(((WIDTH - SCALE - MARGIN) / moves as f64 * 0.7).max(1.0));
    for ((number, &(_, loss)), color) in (1..).zip(losses).zip(by).filter(|((_, it), _)| it.1 > 0) {
        let size = rounded((LOSSES - MARGIN) * f64::from(loss) / f64::from(most));
        let left = rounded(x(number) - width / 2.0);
        let _ = writeln!(
            svg,
            "<rect class=\"{color}\" x=\"{left}\" y=\"{HEIGHT}\" width=\"{width}\" height=\"{size}\"/>"
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Rounds to a tenth, which keeps the page short.
fn rounded(size: f64) -> f64 {
    (size * 10.0).round() / 10.0
}
