//! The words with which a line can begin that is a command.

use std::ops::Range;

use crate::app::line;
use crate::app::line::Line;
use crate::app::unknown;
use crate::command::{END_WORDS, MoveAt, normalize};
use crate::log::GameId;
use crate::store::Moment;

/// The narrowest and the widest lines into which mail programs wrap quoted text.
const MIN_WRAP_WIDTH: usize = 20;
const MAX_WRAP_WIDTH: usize = 80;

/// Whose words a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Our own.
    Ours,
    /// A player's, who may have written commands on purpose. A line may begin and end with each of them,
    /// since mail programs wrap them more than once, join their lines and lose their marks.
    Players,
}

/// A word of a text: where it starts and ends, in bytes.
#[derive(Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
}

impl Word {
    /// Returns the range of the word without the marks around it, unless it has nothing else.
    fn bare(self, text: &str) -> Range<usize> {
        let is_mark = |c: char| !c.is_alphanumeric();
        let (word, start) = (self.of(text), self.of(text).trim_start_matches(is_mark));
        match start.trim_end_matches(is_mark).len() {
            0 => self.start..self.end,
            length => {
                let start = self.start + word.len() - start.len();
                start..start + length
            }
        }
    }

    fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// Returns the words of a text at which a mail program that wraps it can begin a line that is a command:
/// the ranges of their bytes, without the marks around them.
pub(super) fn armed(text: &str, kind: Kind) -> Vec<Range<usize>> {
    let words: Vec<_> = text
        .split_whitespace()
        .map(|word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            Word { start, end: start + word.len() }
        })
        .collect();
    let text = Text { text, words: &words, kind };
    let mut armed: Vec<_> = (0..words.len()).map(|at| text.is_armed(at)).collect();
    if !armed.contains(&true) {
        return Vec::new();
    }
    // Moves in a row all look the same.
    let is_move = |at: usize| is_move(words[at].of(text.text));
    for at in (1..words.len()).chain((1..words.len()).rev()) {
        if is_move(at - 1) && is_move(at) && (armed[at - 1] || armed[at]) {
            armed[at - 1..=at].fill(true);
        }
    }
    let found = words.iter().zip(armed).filter(|(_, armed)| *armed);
    found.map(|(word, _)| word.bare(text.text)).collect()
}

/// Returns a text with parentheses around these ranges. In a table they take the place of spaces.
pub(super) fn with_marks(text: &str, ranges: &[Range<usize>]) -> String {
    let mut marked = String::with_capacity(text.len() + 2 * ranges.len());
    let mut rest = text;
    for range in ranges.iter().rev() {
        let after = &rest[range.end..];
        let after = if after.starts_with("  ") { &after[1..] } else { after };
        marked.insert_str(0, &format!("({}){after}", &text[range.clone()]));
        rest = &text[..range.start];
        rest = rest.strip_suffix(' ').filter(|before| before.ends_with(' ')).unwrap_or(rest);
    }
    marked.insert_str(0, rest);
    marked
}

/// Returns whether a line alone is a command, in a reply to a mail about a game or in any other mail.
pub(super) fn is_command(line: &str) -> bool {
    let parse = |at| Line::parse(line, at);
    [None, Some(GAME)].into_iter().any(|at| !matches!(parse(at), Line::Blank | Line::Unknown))
}

const GAME: Moment = Moment { game: GameId(1), ply: 0, events: 0 };

fn is_move(word: &str) -> bool {
    normalize(word).parse::<MoveAt>().is_ok()
}

struct Text<'a> {
    text: &'a str,
    words: &'a [Word],
    kind: Kind,
}

impl Text<'_> {
    /// Returns whether a mail program that wraps the text can produce a line that begins with this word
    /// and is a command.
    fn is_armed(&self, at: usize) -> bool {
        let (text, words) = (self.text, self.words);
        let Word { start, end } = words[at];
        let word = normalize(&text[start..end]).to_lowercase();
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_command =
            bare == "signup" || unknown::explained(bare).is_some() || line::is_command(bare);
        let is_move = word.parse::<MoveAt>().is_ok();
        let is_game = line::is_game(&word);
        let ends_commands = self.kind == Kind::Ours && END_WORDS.contains(&word.as_str());
        let may_begin =
            is_command || is_move || is_game || ends_commands || bare.parse::<MoveAt>().is_ok();
        if !may_begin || !self.may_begin_line(at) {
            return false;
        }
        // The name of a game and a move are a command only in a mail without a game.
        let game = (!is_game).then_some(GAME);
        let read = |last: usize| {
            let read = &text[start..words[last].end];
            let is_comment = self.kind == Kind::Players && line::said(read).is_some();
            is_comment
                || match Line::parse(read, game) {
                    Line::Blank | Line::Unknown => false,
                    Line::Command(_) | Line::Signup(_) => true,
                    // Neither runs anything.
                    Line::End | Line::Refused(_) => self.kind == Kind::Ours,
                }
        };
        let end = if is_command || is_game { words.len() } else { at + 1 };
        let fits = |&last: &usize| self.columns(start, words[last].end) <= MAX_WRAP_WIDTH;
        // The parser need not be built for a move alone.
        (at..end)
            .take_while(fits)
            .any(|last| self.may_end_line(start, last) && (is_move && last == at || read(last)))
    }

    fn columns(&self, start: usize, end: usize) -> usize {
        self.text[start..end].chars().count()
    }

    /// Returns whether a line can begin with this word.
    fn may_begin_line(&self, at: usize) -> bool {
        let line = self.text[..self.words[at].start].rfind('\n').map_or(0, |end| end + 1);
        self.kind == Kind::Players
            || self.text[line..self.words[at].start].trim().is_empty()
            || self.columns(line, self.words[at].end) > MIN_WRAP_WIDTH
    }

    /// Returns whether a line that begins at this byte can end with this word.
    fn may_end_line(&self, start: usize, last: usize) -> bool {
        self.words.get(last + 1).is_none_or(|next| {
            self.kind == Kind::Players
                || self.text[self.words[last].end..next.start].contains('\n')
                || self.columns(start, next.end) > MIN_WRAP_WIDTH
        })
    }
}
