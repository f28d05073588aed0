//! Plans in mails, which mail programs wrap.

use std::iter;

use crate::command::normalize;
use crate::log::GameId;
use outflank_rules::Transcript;

/// A line with fewer characters was not wrapped by a mail program.
pub(crate) const MIN_WRAPPED_CHARS: usize = 40;

/// A line of a mail as its author typed it.
pub(crate) struct TypedLine {
    /// Its number among the lines of the mail.
    pub number: usize,
    pub text: String,
}

/// Returns the lines of a mail, each wrapped plan as one line.
pub(crate) fn unwrapped(lines: &[String]) -> impl Iterator<Item = TypedLine> {
    let mut rest = lines.iter().enumerate().peekable();
    iter::from_fn(move || {
        let (number, mut above) = rest.next()?;
        if !is_plan(above) {
            return Some(TypedLine { number, text: above.clone() });
        }
        let mut text = normalize(above);
        while let Some(&(_, line)) = rest.peek() {
            let more = normalize(line);
            let is_open = text.ends_with('/');
            if !(is_open && more.is_empty()) {
                let is_likely = is_open || above.trim().chars().count() >= MIN_WRAPPED_CHARS;
                if !continues(&more, is_likely) {
                    break;
                }
                text.push(' ');
                text.push_str(&more);
                above = line;
            }
            rest.next();
        }
        Some(TypedLine { number, text })
    })
}

/// Returns whether a line is the command for a plan, or its beginning.
pub(crate) fn is_plan(line: &str) -> bool {
    let line = normalize(line);
    let mut words = line.split_whitespace();
    let is_command = words.next().is_some_and(|word| word.eq_ignore_ascii_case("plan"));
    let mut words = words.skip_while(|word| word.parse::<GameId>().is_ok());
    is_command && words.next().is_some_and(has_moves)
}

/// Returns whether a line is the rest of the plan above, which is likely if that is incomplete or was
/// wrapped. A move alone is a command otherwise.
fn continues(line: &str, is_likely: bool) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(has_moves)
        && (is_likely || line.contains('/') || line.contains(' ') && words.all(has_moves))
}

/// Returns whether a word has nothing but moves and slashes.
fn has_moves(word: &str) -> bool {
    word.split('/').all(|moves| moves.parse::<Transcript>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_goes_on_until_it_is_whole() {
        const LONG: &str = "plan f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 d7 c5 b6 d8";
        for (below, rest) in [
            ("plan f5 d6 /\nd3 c5", 0),
            ("plan f5 d6 /\nd3", 0),
            ("plan f5 d6 /\n\nd3 c5 /\nc4 e3\n\n", 1),
            ("plan f5 d6\n/ d3 c5", 0),
            ("plan f5 d6\nc3 d3 / d3 c5", 0),
            ("Plan 12 f5 d6 / d3\nc5 e6", 0),
            ("plan f5d6/\nd3c5", 0),
            ("plan \u{ff46}5 d6 /\n\u{ff44}3 c5.", 0),
            ("plan f5 d6 /\nd3 zz", 0),
            (&format!("{LONG} / f5 d6\nc3"), 0),
            (&format!("{LONG} / f5 d6\nc3 zz"), 0),
            // Other commands, a comment, a signature, a sentence.
            ("plan f5 d6\nd3", 1),
            ("plan f5 d6\n\nd3 c5", 2),
            ("plan f5 d6 /\nhistory", 1),
            ("plan f5 d6 /\n12 d3", 1),
            ("plan f5 d6 /\nsay d3", 1),
            ("plan f5 d6 /\n-- \nd3 c5", 2),
            ("plan f5 d6\nd3 was nice", 1),
            (&format!("{LONG}\n\nd3"), 2),
            (&format!("{LONG}\nshow"), 1),
            // No plan.
            ("Plan A is to wait and see what the others will do:\nd3", 1),
            ("planned / d3\nd3 c5", 1),
            ("plan off\nd3 c5", 1),
            ("plan 12\nd3 c5", 1),
        ] {
            let lines: Vec<_> = below.lines().map(str::to_owned).collect();
            let typed: Vec<_> = unwrapped(&lines).collect();
            assert_eq!(typed.len(), rest + 1, "{below}");
            for line in &typed[1..] {
                assert_eq!(line.text, lines[line.number], "{below}");
            }
        }
    }
}
