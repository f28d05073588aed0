//! What `show` and `history` say besides the board: comments, notes, and the rows of moves. docs/words.md,
//! docs/playing.md.

use serde_json::Value;

use super::game_json::shown_move;
use super::games::word;
use super::list_rows::shown_in;
use super::views::{Asked, number};
use super::violated;
use crate::simulator::Violation;
use crate::simulator::naive::Event;
use crate::simulator::process::Ran;
use crate::simulator::replay::Replayed;

/// `show` has the comments since the last move but one, and `history` has all of them below the moves after which they
/// were written, with the reader's own notes. Nobody reads more than that.
pub fn comments_are_in_texts(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    const OF: &str = "comments_are_in_texts";
    let is_history = words == "history GAME";
    if !is_history && !words.starts_with("show GAME") || ran.status != 0 {
        return Ok(());
    }
    let (Some(it), Some((entry, _))) = (asked.replayed(), asked.entry(asked.game)) else {
        return Ok(());
    };
    let names = ["black", "white"].map(|color| entry[color].as_str().unwrap_or_default());
    // The event of the last move but one.
    let since = it.made_at.iter().rev().nth(1).copied().unwrap_or_default();
    let said = asked.said(&it).into_iter();
    let said = said.filter(|(event, ..)| match words {
        "show GAME#FROM" => false,
        _ => is_history || *event > since,
    });
    let (mut expected, mut last) = (Vec::new(), None);
    for (event, author, text) in said {
        let ply = it.moves_before(event);
        if is_history && last != Some(ply) {
            expected.push(header(ply));
        }
        last = Some(ply);
        expected.push(format!("{}: {text}", names[usize::from(author == 'w')]));
    }
    let lines = ran.sentences.iter().flat_map(|text| text.lines());
    let found = lines.clone().filter_map(|line| match line.strip_prefix('|') {
        Some(said) => Some(said),
        None => (line == header(0) || line.starts_with("After move ")).then_some(line),
    });
    let [found, expected] =
        [found.collect(), expected.iter().map(String::as_str).collect()].map(|lines: Vec<&str>| {
            lines.iter().flat_map(|it| it.split_whitespace()).collect::<Vec<_>>().join(" ")
        });
    if found != expected {
        return violated(
            OF,
            format!("{words} of game {}: {found:?}, not {expected:?}", asked.game),
        );
    }
    let notes: Vec<_> = lines.filter_map(|line| line.strip_prefix("Your note: ")).collect();
    let own = asked.notes().filter(|_| is_history);
    let own = own.as_ref().and_then(|it| it["notes"].as_array()).into_iter().flatten();
    let own: Vec<_> = own.filter_map(Value::as_str).collect();
    match notes == own || own.iter().any(|it| it.contains('\n')) {
        true => Ok(()),
        false => violated(OF, format!("{words} of game {}: {notes:?}, not {own:?}", asked.game)),
    }
}

/// Returns the line above comments that were written after so many moves.
fn header(ply: usize) -> String {
    match ply {
        0 => "Before the first move:".to_owned(),
        _ => format!("After move {ply}:"),
    }
}

/// `history` has a row for each move, those that were taken back and hints included, in their order: its number, by
/// whom it was, what was played and flipped, the score then, and when.
pub fn histories_have_their_rows(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    const OF: &str = "histories_have_their_rows";
    if words != "history GAME" || ran.status != 0 {
        return Ok(());
    }
    let Some((it, (entry, _))) = asked.replayed().zip(asked.entry(asked.game)) else {
        return Ok(());
    };
    let zone = asked.zone();
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    let by = |color: char| {
        let name = entry[word(color)].as_str().unwrap_or_default();
        [name.to_owned(), format!("({})", word(color))]
    };
    for (event, at, ply, is_gone) in rows_of(&it) {
        let Some(mv) = shown_move(at, ply, &it) else { return Ok(()) };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut row = vec![(at + 1).to_string()];
        row.extend(by(ply.by));
        row.push(text(&mv["move"]));
        row.extend(is_gone.then(|| ["(taken", "back)"].map(str::to_owned)).into_iter().flatten());
        row.extend([ply.black.to_string(), ply.white.to_string()]);
        rows.push((event, row));
    }
    let log = asked.tables.columns_of("event", asked.game, ["author", "action", "at"]);
    let log: Vec<_> = (1..).zip(log).collect();
    for (event, [author, action, _]) in &log {
        if *action == Some("hint") {
            let color = author.and_then(|it| it.chars().next()).unwrap_or_default();
            let mut row =
                if color == 'h' { vec!["the host".to_owned()] } else { by(color).to_vec() };
            row.push("hint".to_owned());
            rows.push((*event, row));
        }
    }
    rows.sort_by_key(|(event, _)| *event);
    let text = ran.drawn.join("\n");
    let begins = |line: &&str| line.trim_start().starts_with(|it: char| it.is_ascii_digit());
    let found: Vec<_> = text.lines().filter(begins).collect();
    let wrong = rows.iter().zip(&found).find(|((event, row), line)| {
        let at = log.get(event - 1).and_then(|(_, [.., at])| shown_in(zone, number(*at)));
        let row = row.iter().flat_map(|it| it.split(' ')).map(str::to_owned);
        let row = row.chain(at.iter().flat_map(|it| it.split(' ')).map(str::to_owned));
        !super::views::has_in_order(line, &row.collect::<Vec<_>>())
    });
    match wrong {
        None if rows.len() == found.len() => Ok(()),
        _ => violated(OF, format!("game {}: {wrong:?} of {rows:?}: {text}", asked.game)),
    }
}

/// A move of a game: its event, its place, and whether it was taken back.
type Made<'a> = (usize, usize, &'a Event, bool);

/// Returns the moves of a game with those that were taken back.
fn rows_of(it: &Replayed) -> Vec<Made<'_>> {
    let made = it.made_at.iter().zip(&it.plies).enumerate();
    let made = made.map(|(at, (event, ply))| (*event, at, ply, false));
    let taken = it.taken.iter().flat_map(|taken| {
        let plies = taken.made_at.iter().zip(&taken.plies).enumerate();
        plies.map(|(at, (event, ply))| (*event, taken.before + at, ply, true))
    });
    made.chain(taken).collect()
}
