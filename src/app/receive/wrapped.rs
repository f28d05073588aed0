//! Commands in mails, which mail programs wrap.

use std::iter;

use crate::app::Line;
use crate::app::line::said;
use crate::app::line::wrapped_plan::{is_plan, is_rest_of_plan};
use crate::command::normalize;
use outflank_model::Moment;

/// A line with fewer characters was not wrapped by a mail program.
pub(crate) const MIN_WRAPPED_CHARS: usize = 40;

/// A line of a mail as its author typed it.
pub(crate) struct TypedLine {
    /// Its number among the lines of the mail.
    pub number: usize,
    pub text: String,
    /// Whether it stood on several lines.
    pub is_wrapped: bool,
}

impl TypedLine {
    /// Parses it as [`Line::parse`] does. A command that was wrapped is refused if it is not whole.
    pub(crate) fn parse(&self, at: Option<Moment>) -> Line {
        match Line::parse(&self.text, at) {
            Line::Unknown if self.is_wrapped => Line::not_whole(&self.text),
            line => line,
        }
    }
}

/// Returns whether a line continues this command, given whether the line above was as wide as one that a mail
/// program wraps.
type Continues = fn(&str, &str, bool, Option<Moment>) -> bool;

/// Returns the lines of a mail that refers to this position, each wrapped command as one line.
pub(crate) fn unwrapped(lines: &[String], at: Option<Moment>) -> impl Iterator<Item = TypedLine> {
    let mut rest = lines.iter().enumerate().peekable();
    iter::from_fn(move || {
        let (number, first) = rest.next()?;
        let mut whole = TypedLine { number, text: first.clone(), is_wrapped: false };
        let continues: Continues = if is_plan(first) {
            continues_plan
        } else if begins_command(first, at) {
            continues_command
        } else {
            return Some(whole);
        };
        whole.text = normalize(first);
        let mut above = first;
        while let Some(&(_, line)) = rest.peek() {
            let more = normalize(line);
            let was_wide = above.trim().chars().count() >= MIN_WRAPPED_CHARS;
            if !continues(&whole.text, &more, was_wide, at) {
                break;
            }
            if !more.is_empty() {
                (whole.text, whole.is_wrapped) = (format!("{} {more}", whole.text), true);
                above = line;
            }
            rest.next();
        }
        Some(whole)
    })
}

/// A plan with an open end continues, also below blank lines.
fn continues_plan(plan: &str, more: &str, was_wide: bool, _: Option<Moment>) -> bool {
    let is_open = plan.ends_with('/');
    is_open && more.is_empty() || is_rest_of_plan(more, is_open || was_wide)
}

/// Another command continues with a line that is no command, below a wide line or before or after an
/// option.
fn continues_command(command: &str, more: &str, was_wide: bool, at: Option<Moment>) -> bool {
    (was_wide || more.starts_with("--") || lacks_value(command, at)) && is_no_command(more, at)
}

/// Returns whether a line is a command with its word, whole or not. A comment has lines of its own.
fn begins_command(line: &str, at: Option<Moment>) -> bool {
    Line::begins_with_word(line)
        && said(line).is_none()
        && matches!(Line::parse(line, at), Line::Command(_) | Line::Refused(_))
}

/// Returns whether the last option of a command lacks its value.
fn lacks_value(command: &str, at: Option<Moment>) -> bool {
    command.split(' ').next_back().is_some_and(|last| last.starts_with("--"))
        && matches!(Line::parse(command, at), Line::Refused(_))
}

/// Returns whether a line has words and is neither a command of its own nor the beginning of a comment
/// or the end of the commands.
fn is_no_command(line: &str, at: Option<Moment>) -> bool {
    said(line).is_none() && matches!(Line::parse(line, at), Line::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_model::log::GameId;

    const AT: Option<Moment> = Some(Moment { game: GameId(12), ply: 4, events: 6 });

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
            let typed: Vec<_> = unwrapped(&lines, AT).collect();
            assert_eq!(typed.len(), rest + 1, "{below}");
            for line in &typed[1..] {
                assert_eq!(line.text, lines[line.number], "{below}");
            }
        }
    }

    #[test]
    fn a_wrapped_command_is_read_as_a_whole() {
        const CHALLENGE: &str = "challenge bob othello --size 10x10 --clock 10d+1d,max=15d \
                                 --free-weekends --flag hard --no-away --color white --unrated";
        const NOTE: &str = "note 12 keep the corner a1 for the ending, whatever bob does";
        for width in 10..=90 {
            let options = textwrap::Options::new(width)
                .break_words(false)
                .word_splitter(textwrap::WordSplitter::NoHyphenation);
            let lines = textwrap::wrap(CHALLENGE, options);
            let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
            let typed: Vec<_> = unwrapped(&lines, None).collect();
            // The first line must be long, or end with an option, or the next must begin with one.
            if typed.len() == 1 {
                assert_eq!(typed[0].text, CHALLENGE, "{width}");
                assert!(matches!(typed[0].parse(None), Line::Command(_)), "{width}");
            } else {
                assert!(width < MIN_WRAPPED_CHARS + 10, "{width}: {lines:?}");
            }
        }
        let below = |line: &str, next: &str| {
            let lines = [line.to_owned(), next.to_owned()];
            unwrapped(&lines, AT).collect::<Vec<_>>()
        };
        for (line, next) in [
            (NOTE, "in the next moves"),
            ("challenge bob --clock", "10d+1d"),
            ("challenge bob othello", "--clock 10d+1d"),
        ] {
            let typed = below(line, next);
            assert_eq!(typed[0].text, format!("{line} {next}"));
            assert!(matches!(typed[0].parse(AT), Line::Command(_)), "{line}");
        }
        for (line, next) in [
            (NOTE, "d3"),
            (NOTE, "say hello"),
            (NOTE, "-- "),
            (NOTE, ""),
            ("note 12 keep a1", "Thank you for the game"),
            ("resign 12", "Hello bob"),
            ("d3", "--flag hard"),
            ("Show me what the others will do in that position", "and what they think"),
        ] {
            assert_eq!(below(line, next).len(), 2, "{line}");
        }
        for (line, next) in [
            ("challenge bob othello --size 10x10 --clock 10d+1d", "and let us see who wins"),
            ("history 12 --json --json --json --json --json --json", "of the game"),
            (NOTE, &"and more ".repeat(60)),
        ] {
            let [typed] = &below(line, next)[..] else { panic!("{line}") };
            assert!(matches!(typed.parse(AT), Line::Refused(_)), "{line}");
        }
    }
}
