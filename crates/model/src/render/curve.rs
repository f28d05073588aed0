//! A series of numbers that are far from zero as a small plot in text.

/// The rows of a plot, an odd number.
const ROWS: i32 = 9;
/// The ends of the scale are multiples of this.
const STEP: i32 = 50;
/// The least difference between them, so that small changes do not look large.
const MIN_SCALE: i32 = 100;

/// Draws numbers from left to right as dots on a scale from below the least one to above the greatest.
/// Below them stand two labels, one at either end. Where a number is missing, there is no dot.
pub fn curve(values: &[Option<i32>], labels: [&str; 2], ascii: bool) -> String {
    let (dot, left) = if ascii { ('*', '|') } else { ('\u{2022}', '\u{2502}') };
    let known = values.iter().flatten();
    let least = known.clone().min().copied().unwrap_or(0);
    let greatest = known.max().copied().unwrap_or(0);
    let low = least.div_euclid(STEP) * STEP;
    let high = (greatest.div_euclid(STEP) + 1).saturating_mul(STEP).max(low + MIN_SCALE);
    let row_of = |value: i32| {
        let rows = f64::from(value - low) * f64::from(ROWS - 1) / f64::from(high - low);
        rows.round() as i32
    };
    let mut lines = Vec::new();
    for row in (0..ROWS).rev() {
        let label = match row {
            0 => low.to_string(),
            _ if row == ROWS - 1 => high.to_string(),
            _ if row == ROWS / 2 => i32::midpoint(low, high).to_string(),
            _ => String::new(),
        };
        let dots = values.iter().map(|value| match value {
            Some(value) if row_of(*value) == row => dot,
            _ => ' ',
        });
        let line = format!("{label:>5} {left}{}", dots.collect::<String>());
        lines.push(line.trim_end().to_owned());
    }
    let [first, last] = labels;
    let room = values.len().saturating_sub(first.len()).max(last.len() + 1);
    lines.push(format!("       {first}{last:>room$}"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_on_a_scale() {
        let values = [None, Some(1500), Some(1500), Some(1612), Some(1649)];
        let drawn = curve(&values, ["from", "to"], true);
        let expected = " 1650 |    *\n      |\n      |   *\n      |\n 1575 |\n      |\n      |\n      |\n 1500 | **\n       from to";
        assert_eq!(drawn, expected);
        assert!(curve(&[Some(1500); 3], ["", ""], false).contains("1600 \u{2502}"));
        assert_eq!(curve(&[], ["", ""], true).lines().count(), 10);
    }
}
