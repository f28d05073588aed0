//! Keeps the lines of our mails from being read as commands.

use textwrap::{Options, WordSplitter};

use crate::app::line;
use crate::app::line::Line;
use crate::app::unknown;
use crate::command::{END_WORDS, MoveAt, normalize};
use crate::log::GameId;
use crate::mail::LINE;
use crate::store::Moment;

/// The narrowest and the widest lines into which mail programs wrap quoted text.
const MIN_WRAP_WIDTH: usize = 20;
const MAX_WRAP_WIDTH: usize = 80;

/// Returns the text of a mail with parentheses around words, so that none of its lines can be read
/// as a command, even after a mail program has wrapped it again.
pub fn disarm(text: &str) -> String {
    let mut lines = text.split('\n').peekable();
    let mut disarmed = Vec::new();
    while let Some(line) = lines.next() {
        let mut filled = disarm_line(line);
        let is_too_long = filled.len() > LINE && filled != line;
        if is_too_long && !filled.trim().contains("  ") {
            let (mut last, mut indent) = (line, indent(line));
            while let Some(next) = lines.next_if(|next| continues(last, next)) {
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

/// Returns whether a line was broken only because the first word of the next one did not fit.
fn continues(line: &str, next: &str) -> bool {
    let (marks, text) = ("-|>*", next.trim());
    let width = |text: &str| text.chars().count();
    let first = text.split(' ').next().unwrap_or_default();
    !first.is_empty()
        && !text.contains("  ")
        && !first.starts_with(|c| marks.contains(c))
        && width(line) + 1 + width(first) > LINE
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

fn disarm_line(line: &str) -> String {
    // Comments have a mark, and are too short to be wrapped again.
    if line.starts_with("| ") {
        return line.to_owned();
    }
    let line = with_parentheses(line);
    let line = line.as_str();
    let words = words(line);
    let mut armed: Vec<_> = (0..words.len()).map(|at| is_armed(line, &words, at)).collect();
    if !armed.contains(&true) {
        return line.to_owned();
    }
    // Moves in a row all look the same.
    let is_move = |at: usize| is_move(words[at].of(line));
    for at in (1..words.len()).chain((1..words.len()).rev()) {
        if is_move(at - 1) && is_move(at) && (armed[at - 1] || armed[at]) {
            armed[at - 1..=at].fill(true);
        }
    }
    let mut disarmed = String::new();
    let mut rest = line;
    for (word, _) in words.iter().zip(armed).rev().filter(|(_, armed)| *armed) {
        let word = word.bare(line);
        let (bare, after) = (word.of(line), &rest[word.end..]);
        // In a table the parentheses take the place of spaces.
        let after = if after.starts_with("  ") { &after[1..] } else { after };
        disarmed.insert_str(0, &format!("({bare}){after}"));
        rest = &line[..word.start];
        rest = rest.strip_suffix(' ').filter(|before| before.ends_with(' ')).unwrap_or(rest);
    }
    disarmed.insert_str(0, rest);
    disarmed
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

/// A word of a line: where it starts and ends, in bytes.
struct Word {
    start: usize,
    end: usize,
}

impl Word {
    /// Returns the word without the marks around it, unless it has nothing else.
    fn bare(&self, line: &str) -> Self {
        let is_mark = |c: char| !c.is_alphanumeric();
        let (word, start) = (self.of(line), self.of(line).trim_start_matches(is_mark));
        match start.trim_end_matches(is_mark).len() {
            0 => Self { ..*self },
            length => {
                let start = self.start + word.len() - start.len();
                Self { start, end: start + length }
            }
        }
    }

    fn of<'a>(&self, line: &'a str) -> &'a str {
        &line[self.start..self.end]
    }
}

fn words(line: &str) -> Vec<Word> {
    let of = |word: &str| {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        Word { start, end: start + word.len() }
    };
    line.split_whitespace().map(of).collect()
}

fn is_move(word: &str) -> bool {
    normalize(word).parse::<MoveAt>().is_ok()
}

/// Returns whether a mail program that wraps the line can produce a line that begins with this word
/// and is a command.
fn is_armed(line: &str, words: &[Word], at: usize) -> bool {
    let Word { start, end } = words[at];
    let columns = |start: usize, end: usize| line[start..end].chars().count();
    if at > 0 && columns(0, end) <= MIN_WRAP_WIDTH {
        return false;
    }
    let word = normalize(&line[start..end]).to_lowercase();
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_command =
        bare == "signup" || unknown::explained(bare).is_some() || line::is_command(bare);
    let is_move = word.parse::<MoveAt>().is_ok();
    let is_game = line::is_game(&word);
    if !is_command
        && !is_move
        && !is_game
        && bare.parse::<MoveAt>().is_err()
        && !END_WORDS.contains(&word.as_str())
    {
        return false;
    }
    let start = if at == 0 { 0 } else { start };
    let end = if is_command || is_game { words.len() } else { at + 1 };
    // The name of a game and a move are a command only in a mail without a game.
    let game = (!is_game).then_some(Moment { game: GameId(1), ply: 0, events: 0 });
    (at..end).take_while(|&last| columns(start, words[last].end) <= MAX_WRAP_WIDTH).any(|last| {
        let may_end =
            words.get(last + 1).is_none_or(|next| columns(start, next.end) > MIN_WRAP_WIDTH);
        let read = || Line::parse(&line[start..words[last].end], game);
        // The parser need not be built for a move alone.
        may_end && (is_move && last == at || !matches!(read(), Line::Blank | Line::Unknown))
    })
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
            assert_eq!(super::disarm(text), disarmed);
            assert_eq!(disarm(disarmed), disarmed);
        }
    }
}
