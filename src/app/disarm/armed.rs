//! Finds the words at the start of a possible line that would be read as a command.

use std::ops::Range;

use crate::app::line;
use crate::app::line::Line;
use crate::app::line::unknown;
use crate::command::{END_WORDS, MoveAt, normalize};
use crate::mail::as_command;
use outflank_model::Moment;
use outflank_model::log::GameId;

/// The narrowest and the widest lines into which mail programs wrap quoted text.
const MIN_WRAP_WIDTH: usize = 20;
const MAX_WRAP_WIDTH: usize = 80;
/// The most words of a move with the name of its game: `game 12 d3`.
const MAX_WORDS_OF_MOVE: usize = 3;

/// Whose words a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Our own.
    Ours,
    /// A player's, who may have written commands on purpose. A line may begin and end with each of them,
    /// since mail programs wrap them more than once, join their lines and lose their marks.
    Players,
}

/// A word of a text.
struct Word<'a> {
    text: &'a str,
    /// The byte at which it starts.
    start: usize,
    /// The characters of the text before it, and those up to its end.
    columns: Range<usize>,
    /// The characters of the text before its line.
    line: usize,
    is_first_of_line: bool,
}

impl<'a> Word<'a> {
    /// Returns the words of a text.
    fn all(text: &'a str) -> Vec<Self> {
        let (mut end, mut column, mut line) = (0, 0, 0);
        let word = |word: &'a str| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let gap = &text[end..start];
            let begin = column + gap.chars().count();
            let newline = gap.rfind('\n');
            if let Some(newline) = newline {
                line = begin - gap[newline + 1..].chars().count();
            }
            let is_first_of_line = end == 0 || newline.is_some();
            (end, column) = (start + word.len(), begin + word.chars().count());
            Self { text: word, start, columns: begin..column, line, is_first_of_line }
        };
        text.split_whitespace().map(word).collect()
    }

    /// Returns the bytes of the word without the marks around it, unless it has nothing else.
    fn bare(&self) -> Range<usize> {
        let is_mark = |c: char| !c.is_alphanumeric();
        let rest = self.text.trim_start_matches(is_mark);
        let (start, bare) = match rest.trim_end_matches(is_mark) {
            "" => (self.start, self.text),
            bare => (self.start + self.text.len() - rest.len(), bare),
        };
        start..start + bare.len()
    }
}

/// Returns the words of a text at which a mail program that wraps it can begin a line that is a command:
/// the ranges of their bytes, without the marks around them.
pub(super) fn armed(text: &str, kind: Kind) -> Vec<Range<usize>> {
    let words = Word::all(text);
    let text = Text { text, words: &words, kind };
    let mut armed: Vec<_> = (0..words.len()).map(|at| text.is_armed(at)).collect();
    if !armed.contains(&true) {
        return Vec::new();
    }
    // Moves in a row all look the same.
    let are_moves: Vec<_> = words.iter().map(|word| is_move(word.text)).collect();
    for at in (1..words.len()).chain((1..words.len()).rev()) {
        if are_moves[at - 1] && are_moves[at] && (armed[at - 1] || armed[at]) {
            armed[at - 1..=at].fill(true);
        }
    }
    words.iter().zip(armed).filter(|(_, armed)| *armed).map(|(word, _)| word.bare()).collect()
}

/// Returns a text with marks around these ranges. In a table they take the place of spaces.
pub(super) fn with_marks(text: &str, ranges: &[Range<usize>]) -> String {
    let mut with_marks = String::with_capacity(text.len() + 6 * ranges.len());
    let mut rest = text;
    for range in ranges.iter().rev() {
        let after = &rest[range.end..];
        let after = if after.starts_with("  ") { &after[1..] } else { after };
        with_marks.insert_str(0, &(as_command(&text[range.clone()]) + after));
        rest = &text[..range.start];
        rest = rest.strip_suffix(' ').filter(|before| before.ends_with(' ')).unwrap_or(rest);
    }
    with_marks.insert_str(0, rest);
    with_marks
}

/// Returns whether a line alone is a command, in a reply to a mail about a game or in any other mail.
pub(super) fn is_command(line: &str) -> bool {
    let parse = |at| Line::parse(line, at);
    // The parser need not be built for a move alone.
    is_move(line)
        || [None, Some(GAME)]
            .into_iter()
            .any(|at| !matches!(parse(at), Line::Blank | Line::Unknown))
}

const GAME: Moment = Moment { game: GameId(1), ply: 0, events: 0 };

fn is_move(word: &str) -> bool {
    normalize(word).parse::<MoveAt>().is_ok()
}

struct Text<'a> {
    text: &'a str,
    words: &'a [Word<'a>],
    kind: Kind,
}

impl Text<'_> {
    /// Returns whether a mail program that wraps the text can produce a line that begins with this word
    /// and is a command.
    fn is_armed(&self, at: usize) -> bool {
        let first = &self.words[at];
        if !self.may_begin_line(first) {
            return false;
        }
        let word = normalize(first.text).to_lowercase();
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_command =
            bare == "signup" || unknown::explained(bare).is_some() || line::is_command(bare);
        let is_move = word.parse::<MoveAt>().is_ok();
        let is_game = line::is_game(&word);
        let ends_commands = self.kind == Kind::Ours && END_WORDS.contains(&word.as_str());
        if !(is_command || is_move || is_game || ends_commands || bare.parse::<MoveAt>().is_ok()) {
            return false;
        }
        // The name of a game and a move are a command only in a mail without a game.
        let game = (!is_game).then_some(GAME);
        let end = if is_command || is_game { self.words.len() } else { at + 1 };
        let mut plain_words = 0;
        let fits = |&last: &usize| {
            let last = &self.words[last];
            plain_words += usize::from(last.text.contains(|c: char| c.is_ascii_alphanumeric()));
            last.columns.end - first.columns.start <= MAX_WRAP_WIDTH
                && !(is_game && plain_words > MAX_WORDS_OF_MOVE)
        };
        // The parser need not be built for a move alone.
        (at..end).take_while(fits).any(|last| {
            self.may_end_line(first, last)
                && (is_move && last == at || self.is_line(first, last, game))
        })
    }

    /// Returns whether a mail program must not produce the line with these words in a mail about this game.
    fn is_line(&self, first: &Word, last: usize, game: Option<Moment>) -> bool {
        let last = &self.words[last];
        let line = &self.text[first.start..last.start + last.text.len()];
        if self.kind == Kind::Players && line::said(line).is_some() {
            return true;
        }
        match Line::parse(line, game) {
            Line::Blank | Line::Unknown => false,
            Line::Command(_) | Line::Signup(_) => true,
            // Neither runs anything.
            Line::End | Line::Refused(_) => self.kind == Kind::Ours,
        }
    }

    /// Returns whether a line can begin with this word.
    fn may_begin_line(&self, word: &Word) -> bool {
        self.kind == Kind::Players
            || word.is_first_of_line
            || word.columns.end - word.line > MIN_WRAP_WIDTH
    }

    /// Returns whether a line that begins with the first word can end with the last one.
    fn may_end_line(&self, first: &Word, last: usize) -> bool {
        self.words.get(last + 1).is_none_or(|next| {
            self.kind == Kind::Players
                || next.is_first_of_line
                || next.columns.end - first.columns.start > MIN_WRAP_WIDTH
        })
    }
}
