//! Portable Game Notation, as PlayOK and Edax write it for Othello: Black first.

use textwrap::fill;

use super::format::{Exported, Format, Writer};
use super::reading::{Builder, Claim, Imported, Piece, Reader, Source, is_not};
use crate::protocol::{parse_move, parse_time};
use outflank_model::StoredGame;
use outflank_model::log::Reason;
use outflank_model::render::unhyphenated;
use outflank_rules::{Color, Move};

pub(super) const FORMAT: Format = Format {
    word: "pgn",
    about: "PGN for databases of games",
    media_type: "text/plain; charset=utf-8",
    holds: &[],
    writer: Some(Writer { head: |_, _| String::new(), write }),
    reader: Some(Reader { is_binary: false, split, read }),
};

/// The longest line of moves.
const WIDTH: usize = 79;

fn write(Exported { stored, comments }: &Exported) -> String {
    let result = result(stored);
    let event = stored.tournament.as_ref();
    let tags = [
        ("Event", event.map_or_else(|| "?".to_owned(), |it| it.name.clone())),
        ("Site", "Outflank".to_owned()),
        ("Date", stored.started.format("%Y.%m.%d").to_string()),
        ("Time", stored.started.format("%H:%M:%S").to_string()),
        ("Round", event.map_or_else(|| "?".to_owned(), |it| it.round.to_string())),
        ("Black", stored.name(Color::Black).to_owned()),
        ("White", stored.name(Color::White).to_owned()),
        ("Result", result.clone()),
    ];
    let escaped = |value: String| value.replace('\\', "\\\\").replace('"', "\\\"");
    let tags: String =
        tags.into_iter().map(|(tag, value)| format!("[{tag} \"{}\"]\n", escaped(value))).collect();
    let mut words = Vec::new();
    let comment_after = |moves: usize, words: &mut Vec<String>| {
        for comment in comments.iter().filter(|it| it.ply(&stored.game) == moves) {
            let name = stored.name(comment.by);
            let text = format!("{{{name}: {}}}", comment.text.replace('{', "(").replace('}', ")"));
            words.extend(text.split_whitespace().map(str::to_owned));
        }
    };
    comment_after(0, &mut words);
    for (number, ply) in stored.game.plies().iter().enumerate() {
        if number % 2 == 0 {
            words.push(format!("{}.", number / 2 + 1));
        }
        words.push(match ply.mv {
            Move::Pass => "--".to_owned(),
            Move::Place(_) => stored.game.lattice().move_label(ply.mv),
        });
        comment_after(number + 1, &mut words);
    }
    words.push(result);
    format!("{tags}\n{}\n\n", fill(&words.join(" "), unhyphenated(WIDTH)))
}

/// Returns the discs of Black and White if they decided the game, else its points: `40-24`, `1-0`, `*`.
fn result(stored: &StoredGame) -> String {
    let Some(outcome) = stored.game.outcome() else { return "*".to_owned() };
    let points = match outcome.winner {
        Some(Color::Black) => "1-0",
        Some(Color::White) => "0-1",
        None => "1/2-1/2",
    };
    match outcome.reason {
        Reason::Discs => format!("{}-{}", outcome.black, outcome.white),
        Reason::Annulled | Reason::Declined => "*".to_owned(),
        Reason::Stuck
        | Reason::Resigned
        | Reason::Agreed
        | Reason::Time
        | Reason::Claimed
        | Reason::Forfeited => points.to_owned(),
    }
}

/// Splits a text before each tag that follows moves.
fn split(bytes: &[u8]) -> Result<Vec<Piece<'_>>, String> {
    let (mut pieces, mut from, mut at, mut line) = (Vec::new(), 0, 0, 1);
    let (mut first, mut has_moves, mut in_comment) = (1, false, false);
    for part in bytes.split_inclusive(|byte| *byte == b'\n') {
        if part.starts_with(b"[") && !in_comment {
            if has_moves {
                pieces.push(Piece { line: Some(first), content: &bytes[from..at] });
                (from, first, has_moves) = (at, line, false);
            }
        } else {
            has_moves |= !part.trim_ascii().is_empty();
            for byte in part {
                in_comment = if in_comment { *byte != b'}' } else { *byte == b'{' };
            }
        }
        at += part.len();
        line += 1;
    }
    let last = Piece { line: Some(first), content: &bytes[from..] };
    pieces.extend(Some(last).filter(|it| !it.content.trim_ascii().is_empty()));
    Ok(pieces)
}

/// A tag and its value.
type Tag<'a> = (&'a str, String);

/// Returns the tags of a game, and the text behind them.
fn tags(mut text: &str) -> Result<(Vec<Tag<'_>>, &str), String> {
    let mut tags = Vec::new();
    loop {
        text = text.trim_start();
        let Some(tag) = text.strip_prefix('[') else { return Ok((tags, text)) };
        let parts = tag.split_once('"').and_then(|(name, rest)| {
            let (mut value, mut letters) = (String::new(), rest.char_indices());
            loop {
                match letters.next()? {
                    (_, '\\') => value.push(letters.next()?.1),
                    (at, '"') => {
                        let rest = rest[at + 1..].trim_start().strip_prefix(']')?;
                        return Some((name.trim(), value, rest));
                    }
                    (_, letter) => value.push(letter),
                }
            }
        });
        let line = text.lines().next().unwrap_or_default();
        let (name, value, rest) = parts.ok_or_else(|| is_not(line, "a tag"))?;
        tags.push((name, value));
        text = rest;
    }
}

fn read(piece: &Piece, source: &Source) -> Result<Imported, String> {
    let (tags, mut text) = tags(piece.text())?;
    let tag = |name: &str| {
        let found = tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.as_str())
    };
    if !tag("FEN").is_empty() {
        return Err("the game begins from a position of its own, which pgn cannot hold".to_owned());
    }
    let names = [tag("Black"), tag("White")].map(|name| if name == "?" { "" } else { name });
    let (mut builder, mut result) = (Builder::othello()?, None);
    while let Some(letter) = text.chars().next() {
        if letter == '{' {
            let (comment, rest) = text[1..].split_once('}').ok_or("a comment has no end")?;
            let words: Vec<_> = comment.split_whitespace().collect();
            builder.say_as(names, &words.join(" "))?;
            text = rest;
            continue;
        }
        let end = text.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        text = rest.trim_start();
        // The number of a move may have no space behind it.
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = if digits.starts_with('.') { digits.trim_start_matches('.') } else { word };
        match parse_move(word) {
            _ if word.is_empty() => {}
            _ if result.is_some() => return Err("there are moves behind the result".to_owned()),
            Some(mv) => builder.play(mv)?,
            None => result = Some(word),
        }
    }
    let claimed = [Some(tag("Result")).filter(|it| !it.is_empty()), result];
    if let [Some(tag), Some(result)] = claimed
        && tag != result
    {
        return Err(format!("the tag has the result {tag}, but the moves end with {result}"));
    }
    let claim = claimed.into_iter().flatten().next().map(claim).transpose()?;
    let began = parse_time(&format!("{} {}", tag("Date"), tag("Time")));
    let event = [tag("Event"), tag("Site"), tag("Round")].join("\n");
    builder.finish(claim, names, began, event, source)
}

/// Reads a result.
fn claim(result: &str) -> Result<Claim, String> {
    let points = |winner| Claim { winner, margin: None, reason: None };
    let discs = || {
        let (black, white) = result.split_once('-')?;
        let count = |discs: &str| outflank_rules::parse_digits::<u8>(discs).map(i64::from);
        Some(Claim::by_margin(count(black)? - count(white)?))
    };
    match result {
        "*" => Err("the game is not over".to_owned()),
        "1-0" => Ok(points(Some(Color::Black))),
        "0-1" => Ok(points(Some(Color::White))),
        "1/2-1/2" => Ok(points(None)),
        _ => discs().ok_or_else(|| is_not(result, "a move or a result")),
    }
}
