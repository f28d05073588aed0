//! The line of ours above which an answer stands.

use super::{MARKER, dash, marks};

/// Which line our marker begins on, or the rule above it that was torn off it.
///
/// A mail program may quote the marker, wrap it, change its white space or make dashes of its
/// hyphens: only its letters are compared. They must follow a dash or begin a line, so that
/// somebody may still write about answers above lines.
pub(super) fn find(lines: &[&str]) -> Option<usize> {
    let letters: Vec<char> =
        MARKER.chars().filter(|c| c.is_alphabetic()).map(|c| c.to_ascii_lowercase()).collect();
    let (mut matched, mut began) = (0, 0);
    for (number, line) in lines.iter().enumerate() {
        let mut may_begin = true;
        for c in line.chars() {
            if !c.is_alphanumeric() {
                may_begin |= dash(c);
                continue;
            }
            let c = c.to_ascii_lowercase();
            if matched > 0 && letters.get(matched) == Some(&c) {
                matched += 1;
            } else if may_begin && letters.first() == Some(&c) {
                (matched, began) = (1, number);
            } else {
                matched = 0;
            }
            if matched == letters.len() {
                let above = lines.get(..began).unwrap_or_default();
                return Some(began - above.iter().rev().take_while(|line| rule(line)).count());
            }
            may_begin = false;
        }
    }
    None
}

/// Whether this line is nothing but dashes, and perhaps marked as quoted.
fn rule(line: &str) -> bool {
    let line = marks::unmarked(line);
    !line.is_empty() && line.chars().all(|c| dash(c) || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::super::fresh;
    use super::*;

    #[test]
    fn the_marker_ends_the_answer() {
        for marker in [
            MARKER,
            "> ---- Answer above this line ----",
            "> > ---- Answer above this line ----",
            "----  Answer  above  this  line  ----",
            "----Answer above this line----",
            "\u{2014}\u{2014} Answer above this line \u{2014}\u{2014}",
            "\u{2013}\u{2013} Answer\u{a0}above this line \u{2013}\u{2013}",
            "*---- Answer above this line ----*",
            "---- Answer above\nthis line ----",
            "> ---- Answer above\n> this line ----",
            "> ---- Answer above this\nline ----",
            "> ----\n> Answer above this line ----",
            "|---- Answer above this line ----",
            "Bob wrote: ---- Answer above this line ----",
            "ANSWER ABOVE THIS LINE",
        ] {
            assert_eq!(fresh(&format!("d3\n\n{marker}\n\ne6\n")), ["d3"], "{marker}");
            assert!(fresh(&format!("{marker}\n\ne6\n")).is_empty(), "{marker}");
        }
    }

    #[test]
    fn one_may_write_about_answers() {
        let text = "I always answer above this line\nd3";
        assert_eq!(fresh(text).last(), Some(&"d3"));
        assert_eq!(find(&["- answer above that line", "d3"]), None);
    }
}
