//! A series of numbers as a small plot in text.

/// The number of rows above the middle, and below it.
const HALF: i32 = 5;
/// The minimum number of units above the middle, so that small differences do not look large.
const MIN_SCALE: i32 = 10;
/// The maximum width, so that a plot fits into a mail. A game on 8x8 has 61 numbers and some passes.
const MAX_COLUMNS: usize = 68;
/// The columns from one label to the next.
const LABEL_PITCH: usize = 10;

/// The characters of a plot.
struct Ink {
    dot: char,
    zero: char,
    left: char,
}

const UNICODE: Ink = Ink { dot: '\u{2022}', zero: '\u{2500}', left: '\u{2502}' };
const ASCII: Ink = Ink { dot: '*', zero: '-', left: '|' };

/// A series as bars, from left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bars {
    /// How many numbers of the series one bar stands for.
    pub step: usize,
    /// The number at the upper end; its negative is at the lower end.
    pub greatest: i32,
    /// The numbers.
    pub bars: Vec<i32>,
}

/// Returns a series as bars. One that is too long is thinned out evenly.
pub fn bars(values: &[i32]) -> Bars {
    let step = values.len().div_ceil(MAX_COLUMNS).max(1);
    let bars: Vec<i32> = values.iter().copied().step_by(step).collect();
    let greatest = bars.iter().map(|value| value.abs()).max().unwrap_or(0).max(MIN_SCALE);
    Bars { step, greatest, bars }
}

/// Draws numbers from left to right, the first with number 0, as dots above and below a line for
/// zero. A series that is too long is thinned out evenly.
pub fn plot(values: &[i32], ascii: bool) -> String {
    let ink = if ascii { ASCII } else { UNICODE };
    let Bars { step, greatest, bars: shown } = bars(values);
    let row_of = |value: i32| {
        let rows = f64::from(value) * f64::from(HALF) / f64::from(greatest);
        // Only an even position is in the middle row.
        let rows = if rows > 0.0 { rows.round().max(1.0) } else { rows.round().min(-1.0) };
        if value == 0 { 0 } else { rows as i32 }
    };
    let mut lines = Vec::new();
    for row in (-HALF..=HALF).rev() {
        let label = match row {
            HALF => format!("+{greatest}"),
            0 => "0".to_owned(),
            _ if row == -HALF => format!("-{greatest}"),
            _ => String::new(),
        };
        let empty = if row == 0 { ink.zero } else { ' ' };
        let dots = shown.iter().map(|&value| if row_of(value) == row { ink.dot } else { empty });
        let line = format!("{label:>5} {}{}", ink.left, dots.collect::<String>());
        lines.push(line.trim_end().to_owned());
    }
    let mut axis = String::from("       ");
    for column in (0..shown.len()).step_by(LABEL_PITCH) {
        let number = (column * step).to_string();
        axis.push_str(&format!("{number:<LABEL_PITCH$}"));
    }
    lines.push(axis.trim_end().to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_above_and_below_the_line() {
        let drawn = plot(&[0, 1, 5, 20, -20, -1, 0], true);
        let expected = "  +20 |   *\n      |\n      |\n      |\n      | **\n    0 |*-----*\n      |     *\n      |\n      |\n      |\n  -20 |    *\n       0";
        assert_eq!(drawn, expected);
        assert!(plot(&[0, 3], false).contains('\u{2022}'));
    }

    #[test]
    fn a_game_on_8x8_is_drawn_whole() {
        let drawn = plot(&[7; 64], true);
        assert!(drawn.contains(&"*".repeat(64)), "{drawn}");
    }

    #[test]
    fn a_long_series_is_thinned() {
        let drawn = plot(&(0..150).collect::<Vec<_>>(), true);
        assert!(drawn.lines().all(|line| line.len() <= 7 + MAX_COLUMNS), "{drawn}");
        assert!(drawn.ends_with("0         30        60        90        120"), "{drawn}");
    }

    #[test]
    fn nothing_is_drawn_as_an_empty_plot() {
        assert_eq!(plot(&[], true).trim_end().lines().count(), 11);
    }
}
