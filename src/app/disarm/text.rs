//! The text part of a mail. Mail programs wrap its lines again.

use textwrap::{Options, WordSplitter};

use crate::app::disarm::armed::{Kind, armed, with_marks};
use crate::app::disarm::comment::{self, continues};
use crate::mail::LINE;

/// Returns the text of a mail with parentheses around words, so that none of its lines can be read
/// as a command, even after a mail program has wrapped it again.
pub(super) fn disarm(text: &str) -> String {
    let disarm_block = |(kind, lines): (Kind, Vec<&str>)| match kind {
        Kind::Ours => disarm_ours(&lines),
        Kind::Players => comment::disarm(&lines),
    };
    comment::blocks(text).into_iter().map(disarm_block).collect::<Vec<_>>().join("\n")
}

/// Returns lines of ours with parentheses. Paragraphs that become too wide are wrapped again.
fn disarm_ours(lines: &[&str]) -> String {
    let mut lines = lines.iter().copied().peekable();
    let mut disarmed = Vec::new();
    while let Some(line) = lines.next() {
        let mut filled = disarm_line(line);
        let is_too_long = filled.len() > LINE && filled != line;
        if is_too_long && !filled.trim().contains("  ") {
            let (mut last, mut indent) = (line, indent(line));
            while let Some(next) = lines.next_if(|next| continues(last, next, LINE)) {
                filled = format!("{filled} {}", next.trim());
                (last, indent) = (next, self::indent(next));
            }
            let options = Options::new(LINE).subsequent_indent(indent).break_words(false);
            let options = options.word_splitter(WordSplitter::NoHyphenation);
            filled = disarm(&textwrap::fill(&filled, options));
        }
        disarmed.push(filled);
    }
    disarmed.join("\n")
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

fn disarm_line(line: &str) -> String {
    let line = with_parentheses(line);
    with_marks(&line, &armed(&line, Kind::Ours))
}

/// Returns a line with parentheses instead of the backticks around commands of several words.
fn with_parentheses(line: &str) -> String {
    let parts: Vec<_> = line.split('`').collect();
    if parts.len() % 2 == 0 {
        return line.to_owned();
    }
    let shown = parts.iter().enumerate().map(|(number, part)| match number % 2 {
        0 => (*part).to_owned(),
        _ if part.contains(' ') => format!("({part})"),
        _ => format!("`{part}`"),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::disarm;

    #[test]
    fn a_paragraph_is_wrapped_again() {
        let text = "Move 2 of 2, c4: it is alice's turn in game 1; bob will be mailed when it is\n\
                    bob's; none of the moves was made.\n\
                    \n\
                    - a1 is illegal: a black disc there flips nothing; legal: b2 b4 c2 c5 c6 c7 d2\n  \
                    d7.\n\
                    - b1";
        assert_eq!(
            disarm(text),
            "(Move) 2 of 2, c4: it is alice's turn in game 1; bob will be mailed when it\n\
             is bob's; none of the moves was made.\n\
             \n\
             - a1 is illegal: a black disc there flips nothing; legal: (b2) (b4) (c2)\n  \
             (c5) (c6) (c7) (d2) (d7).\n\
             - b1"
        );
    }

    #[test]
    fn only_words_that_could_become_a_command_get_parentheses() {
        for (text, disarmed) in [
            ("d3", "(d3)"),
            ("Done: move 12 d3", "Done: move 12 d3"),
            (
                "bob gets no mails for game 5 until `unmute 5`, or `resign`",
                "bob gets no mails for game 5 until (unmute 5), or `(resign)`",
            ),
            ("12: d3", "(12): d3"),
            ("Not done: game 12 d3", "Not done: game 12 d3"),
            ("Not done (a line): game 12 d3", "Not done (a line): (game) (12) (d3)"),
            ("Not done: unsubscribe 12", "Not done: (unsubscribe) 12"),
            ("Your only possible move is pass.", "Your only possible move is (pass)."),
            ("Legal: c4 d3\n  e6, f5 and more", "Legal: c4 d3\n  e6, f5 and more"),
            ("d9 is bad: the moves are c4, d3, e6", "d9 is bad: the moves are (c4), (d3), (e6)"),
            (
                "  1  alice (black)  c3                      d4      4",
                "  1  alice (black) (c3)                    (d4)     4",
            ),
            (
                "Nothing here is a move, or resign for you.",
                "Nothing here is a move, or resign for you.",
            ),
        ] {
            assert_eq!(disarm(text), disarmed);
            assert_eq!(disarm(disarmed), disarmed);
        }
    }
}
