//! The line of ours above which an answer stands.

use super::{MARKER, dash, marks};

/// Where everything below is quoted: the line that our marker begins on, or the rule above it that
/// was torn off it. A marker in lines that each bear a `>` is one of them, and does not count: what
/// stands below without a `>` is an answer there, too.
pub(super) fn end(lines: &[&str]) -> Option<usize> {
    let mut from = 0;
    loop {
        let (first, last) = find(lines, from)?;
        let is_marked = |line: &&str| line.starts_with('>');
        if !lines.get(first..=last)?.iter().all(is_marked) {
            return Some(first);
        }
        from = last + 1;
    }
}

/// Whether a mail of ours is quoted here line by line.
pub(super) fn is_within(lines: &[&str]) -> bool {
    find(lines, 0).is_some()
}

/// Which lines our marker begins and ends on, from this line on.
///
/// A mail program may quote the marker, wrap it, change its white space or make dashes of its
/// hyphens: only its letters are compared. They must follow a dash or begin a line, so that
/// somebody may still write about answers above lines.
fn find(lines: &[&str], from: usize) -> Option<(usize, usize)> {
    let letters: Vec<char> =
        MARKER.chars().filter(|c| c.is_alphabetic()).map(|c| c.to_ascii_lowercase()).collect();
    let (mut matched, mut began) = (0, 0);
    for (number, line) in lines.iter().enumerate().skip(from) {
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
                let torn = above.iter().rev().take_while(|line| rule(line)).count();
                return Some((began - torn, number));
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
            let below =
                if marker.lines().all(|line| line.starts_with('>')) { "> e6" } else { "e6" };
            assert_eq!(fresh(&format!("d3\n\n{marker}\n\n{below}\n")), ["d3"], "{marker}");
            assert!(fresh(&format!("{marker}\n\n{below}\n")).is_empty(), "{marker}");
        }
    }

    #[test]
    fn where_each_line_is_marked_an_answer_may_stand_below() {
        let quoted = format!("> {MARKER}\n>\n> Legal moves: c3 c5 e3 f4 f5 f6 g4 g5 g6 h4 h5");
        assert_eq!(fresh(&format!("{quoted}\n\nd3\n")), ["d3"]);
        assert_eq!(fresh(&format!("{quoted}\n> Score\nd3\n")), ["d3"]);
        assert!(fresh(&format!("{quoted}\nd3\n> Score\n")).is_empty(), "it may be torn off");
        assert_eq!(fresh(&format!("> {MARKER}\n\nd3\n\n{MARKER}\n\ne6")), ["d3"]);
    }

    #[test]
    fn one_may_write_about_answers() {
        let text = "I always answer above this line\nd3";
        assert_eq!(fresh(text).last(), Some(&"d3"));
        assert_eq!(end(&["- answer above that line", "d3"]), None);
    }
}
