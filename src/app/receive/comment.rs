//! Comments in mails: a line that begins with `say`, and the rest of the writer's own text.

use crate::app::commands::words::say::Say;
use crate::app::line;
use crate::app::receive::request::{Parsed, Request};
use crate::app::{Error, PlayerCommand};
use crate::command::normalize;
use crate::mail::read::{OwnLines, signature};
use outflank_model::Moment;
use outflank_model::log::GameId;

/// The words of a comment among the commands of a mail.
pub(crate) const COMMENT: &str = "say";

/// Pairs of quotation marks.
const QUOTES: [(char, char); 3] = [('"', '"'), ('\u{201c}', '\u{201d}'), ('\'', '\'')];

/// Parses the comment that begins in this line into a `say` command. If neither the mail nor the
/// comment names a game, it is for the game of the commands above.
pub(crate) fn parse(
    lines: &[String],
    begin: usize,
    own: &OwnLines,
    at: Option<Moment>,
    above: Option<GameId>,
) -> Parsed {
    let (said, _) = split_signature(lines, begin);
    let (header, text) = text(said, at);
    let mut gaps_below = own.gaps.iter().filter(|gap| gap.above > begin);
    let is_own =
        own.is_clear && gaps_below.all(|gap| gap.above >= lines.len() && gap.is_introduced);
    let request = match header.game.or(above) {
        _ if !is_own => Request::Invalid(unclear()),
        None => Request::Invalid(
            Error::refused("your mail does not name the game in which you speak")
                .with_hint("write for example `outflank say 12 Good game!`"),
        ),
        Some(game) => {
            let say = Say::new(game, text, header.is_now);
            Request::Command(Box::new(PlayerCommand::Say(say)))
        }
    };
    Parsed { words: COMMENT.to_owned(), line: Some(begin), request, answer: None }
}

/// Returns the lines of the comment that begins in this line, and those of the signature below it.
pub(crate) fn split_signature(lines: &[String], begin: usize) -> (&[String], &[String]) {
    let lines = lines.get(begin..).unwrap_or_default();
    lines.split_at(signature::start(lines))
}

/// Returns the part of these lines that is passed on.
pub(crate) fn passed_on(said: &[String], at: Option<Moment>) -> String {
    text(said, at).1
}

/// Returns the beginning of a comment with these lines, and its text.
fn text(said: &[String], at: Option<Moment>) -> (Header<'_>, String) {
    let [first, below @ ..] = said else { return (Header::parse("", at), String::new()) };
    let header = Header::parse(line::said(first).unwrap_or_default(), at);
    let lines: Vec<_> = [header.text].into_iter().chain(below.iter().map(String::as_str)).collect();
    let text = unquoted(lines.join("\n").trim()).to_owned();
    (header, text)
}

/// Returns the error about a comment that may be quoted.
pub(crate) fn unclear() -> Error {
    Error::refused("what you said was not passed on, because it cannot be told from quoted text")
        .with_hint("delete the quoted text from your mail and send it again")
}

/// The beginning of a comment.
struct Header<'a> {
    game: Option<GameId>,
    is_now: bool,
    text: &'a str,
}

impl<'a> Header<'a> {
    /// Parses the text behind `say`, which may begin with the number of a game and `--now`. In a
    /// reply to a mail about a game, a number is that of a game only before a quoted text.
    fn parse(text: &'a str, at: Option<Moment>) -> Self {
        let mut header = Self { game: at.map(|at| at.game), is_now: false, text };
        header.take_now();
        if let Some((number, rest)) = split(header.text)
            && let Ok(game) = number.parse()
        {
            let behind = Self { text: rest, ..header }.with_now();
            let is_quoted = QUOTES.iter().any(|(open, _)| behind.text.starts_with(*open));
            if header.game.is_none() || is_quoted {
                return Self { game: Some(game), ..behind };
            }
        }
        header
    }

    fn take_now(&mut self) {
        if let Some((word, rest)) = split(self.text)
            && normalize(word).eq_ignore_ascii_case("--now")
        {
            (self.is_now, self.text) = (true, rest);
        }
    }

    fn with_now(mut self) -> Self {
        self.take_now();
        self
    }
}

/// Returns the first word of a text and the rest.
fn split(text: &str) -> Option<(&str, &str)> {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => Some((word, rest.trim_start())),
        None => Some((text, "")).filter(|_| !text.is_empty()),
    }
}

/// Removes the quotation marks around a text.
fn unquoted(text: &str) -> &str {
    let inner = QUOTES.iter().find_map(|(open, close)| {
        text.strip_prefix(*open)?.strip_suffix(*close).filter(|inner| !inner.contains(*close))
    });
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Option<Moment> = Some(Moment { game: GameId(12), ply: 4, events: 6 });

    #[test]
    fn the_number_of_a_game_and_the_option_may_stand_first() {
        for (text, at, game, is_now, rest) in [
            ("hello", AT, Some(12), false, "hello"),
            ("--now hello", AT, Some(12), true, "hello"),
            ("\u{2014}now hello", AT, Some(12), true, "hello"),
            ("12 is my lucky number", AT, Some(12), false, "12 is my lucky number"),
            ("13 \"hello\"", AT, Some(13), false, "\"hello\""),
            ("13 --now \"hello\"", AT, Some(13), true, "\"hello\""),
            ("13 hello", None, Some(13), false, "hello"),
            ("--now 13 hello", None, Some(13), true, "hello"),
            ("hello", None, None, false, "hello"),
            ("", AT, Some(12), false, ""),
        ] {
            let header = Header::parse(text, at);
            let found = (header.game.map(|game| game.0), header.is_now, header.text);
            assert_eq!(found, (game, is_now, rest), "{text}");
        }
    }

    #[test]
    fn marks_around_a_text_are_removed() {
        for (text, bare) in [
            ("\"Good game!\"", "Good game!"),
            ("\u{201c}Good game!\u{201d}", "Good game!"),
            ("\"Good\" and \"bad\"", "\"Good\" and \"bad\""),
            ("don't", "don't"),
        ] {
            assert_eq!(unquoted(text), bare);
        }
    }
}
