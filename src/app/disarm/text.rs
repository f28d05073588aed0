//! The text part of a mail. Mail programs wrap its lines again.

use textwrap::{Options, WordSplitter};

use crate::app::disarm::armed::{Kind, armed, with_marks};
use crate::app::disarm::comment::{self, continues};
use crate::mail::{LINE, as_command};

/// Returns the text of a mail with marks around its commands, so that none of its lines can be read as a
/// command, even after a mail program has wrapped it again.
pub(super) fn disarm(text: &str) -> String {
    let disarm_block = |(kind, lines): (Kind, Vec<&str>)| match kind {
        Kind::Ours => {
            let marked: Vec<_> = lines.join("\n").split("\n\n").map(with_marked_commands).collect();
            disarm_ours(&marked.join("\n\n"))
        }
        Kind::Players => comment::disarm(&lines),
    };
    comment::blocks(text).into_iter().map(disarm_block).collect::<Vec<_>>().join("\n")
}

/// Returns lines of ours with marks. Paragraphs that become too wide are wrapped again.
fn disarm_ours(text: &str) -> String {
    let mut lines = text.split('\n').peekable();
    let mut disarmed = Vec::new();
    while let Some(line) = lines.next() {
        let mut filled = disarm_line(line);
        let is_too_long = filled.chars().count() > LINE && filled != line;
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
    with_marks(line, &armed(line, Kind::Ours))
}

/// Returns a paragraph with the marks of commands instead of backticks.
fn with_marked_commands(paragraph: &str) -> String {
    let parts: Vec<_> = paragraph.split('`').collect();
    // The tree of a plan has backticks, too.
    let is_command = |part: &&str| part.trim_start_matches("--").starts_with(char::is_alphanumeric);
    if parts.len() % 2 == 0 || !parts.iter().skip(1).step_by(2).all(is_command) {
        return paragraph.to_owned();
    }
    let shown = parts.iter().enumerate().map(|(number, part)| match number % 2 {
        0 => (*part).to_owned(),
        _ => as_command(part),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::{as_command, disarm};
    use crate::app::PlayerCommand;
    use crate::app::line::help;
    use crate::command::MoveAt;

    /// Ordinary words that need marks are replaced by others.
    #[test]
    fn only_commands_have_marks_in_the_help() {
        let commands = PlayerCommand::words().map(|word| vec![word.to_owned()]);
        for of in iter::once(Vec::new()).chain(commands) {
            let help = help(&of).unwrap();
            let text: Vec<_> = help.split('\n').map(|line| textwrap::fill(line, 76)).collect();
            let mut text = disarm(&text.join("\n"));
            for command in help.split('`').skip(1).step_by(2) {
                text = text.replace(&as_command(command), command);
            }
            let is_move = |word: &str| word.parse::<MoveAt>().is_ok();
            let marks = text.split('\u{2039}').skip(1);
            let marks = marks.map(|rest| rest.split('\u{203a}').next().unwrap());
            let words: Vec<_> =
                marks.filter(|word| !is_move(word) && !word.contains('\n')).collect();
            assert!(words.is_empty(), "{words:?} in the help of {of:?}: {text}");
        }
    }

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
            "‹Move› 2 of 2, c4: it is alice's turn in game 1; bob will be mailed when it\n\
             is bob's; none of the moves was made.\n\
             \n\
             - a1 is illegal: a black disc there flips nothing; legal: ‹b2› ‹b4› ‹c2›\n  \
             ‹c5› ‹c6› ‹c7› ‹d2› ‹d7›.\n\
             - b1"
        );
    }

    #[test]
    fn only_words_that_could_become_a_command_get_marks() {
        for (text, disarmed) in [
            ("d3", "‹d3›"),
            ("Done: move 12 d3", "Done: move 12 d3"),
            (
                "bob gets no mails for game 5 until `unmute 5`, or `resign`",
                "bob gets no mails for game 5 until ‹unmute 5›, or ‹resign›",
            ),
            ("12: d3", "‹12›: d3"),
            ("Not done: game 12 d3", "Not done: game 12 d3"),
            ("Not done (a line): game 12 d3", "Not done (a line): ‹game› ‹12› ‹d3›"),
            ("Not done: unsubscribe 12", "Not done: ‹unsubscribe› 12"),
            ("Your only possible move is pass.", "Your only possible move is ‹pass›."),
            ("Legal: c4 d3\n  e6, f5 and more", "Legal: c4 d3\n  e6, f5 and more"),
            ("d9 is bad: the moves are c4, d3, e6", "d9 is bad: the moves are ‹c4›, ‹d3›, ‹e6›"),
            (
                "  1  alice (black)  c3                      d4      4",
                "  1  alice (black) ‹c3›                    ‹d4›     4",
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
