//! What holds of games: rows, JSON and mails show what follows from the logs by the slow second rules.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::naive::{Place, Status};
use crate::simulator::process::Ran;
use crate::simulator::replay::{Replayed, opponent, place};
use crate::simulator::tables::Tables;

/// Returns the games whose rows or logs are others than before.
pub fn changed(before: &Tables, after: &Tables) -> BTreeSet<i64> {
    let mut games = after.changed(before, "game");
    games.extend(after.changed(before, "event"));
    games.retain(|game| after.columns_of("game", *game, ["id"]).next().is_some());
    games
}

/// Returns the word for a colour.
pub(super) const fn word(color: char) -> &'static str {
    if color == 'b' { "black" } else { "white" }
}

/// All that is stored beside the log of a game follows from it.
pub fn games_follow_from_their_logs(change: &Change) -> Result<(), Violation> {
    const OF: &str = "games_follow_from_their_logs";
    let tables = change.after;
    for game in changed(change.before, tables) {
        let replayed = Replayed::of(tables, game, usize::MAX)
            .or_else(|why| violated(OF, format!("game {game}: {why}")))?;
        for (column, expected) in expected(tables, game, &replayed) {
            let stored = tables.columns_of("game", game, [column]).next().and_then(|[it]| it);
            if stored != expected.as_deref() {
                let found = format!("game {game}: {column} is {stored:?}, not {expected:?}");
                return violated(OF, found);
            }
        }
    }
    Ok(())
}

/// Returns the columns of a game that follow from its log, with their values.
fn expected(tables: &Tables, game: i64, it: &Replayed) -> Vec<(&'static str, Option<String>)> {
    let names = ["black", "white", "created_at"];
    let row = tables.columns_of("game", game, names).next().unwrap_or_default();
    let [black, white, created_at] = row.map(|value| value.map(str::to_owned));
    let person = |color| if color == 'b' { black.clone() } else { white.clone() };
    let (turn, result) = (it.turn(), it.result());
    let since = match it.since_event() {
        0 => created_at,
        event => {
            let at = tables.columns_of("event", game, ["at"]).nth(event - 1);
            at.and_then(|[at]| at.map(str::to_owned))
        }
    };
    let number = |number: usize| Some(number.to_string());
    vec![
        ("ply", number(it.plies.len())),
        ("events", number(it.events)),
        ("position_event", number(it.position_event)),
        ("turn", turn.map(|turn| word(turn).to_owned())),
        ("to_move", turn.and_then(person)),
        ("to_wait", turn.map(opponent).and_then(person)),
        ("since", since),
        ("black_discs", number(it.discs('b'))),
        ("white_discs", number(it.discs('w'))),
        ("winner", result.as_ref().and_then(|(it, _)| it.map(|winner| word(winner).to_owned()))),
        ("reason", result.map(|(_, reason)| reason)),
        ("offer_event", it.offer().map(|offer| offer.event.to_string())),
        ("paused", number(it.paused.into())),
    ]
}

/// `show GAME --json` shows what follows from the log.
pub fn show_shows_what_follows(tables: &Tables, game: i64, shown: &Value) -> Result<(), Violation> {
    const OF: &str = "show_shows_what_follows";
    let it = Replayed::of(tables, game, usize::MAX)
        .or_else(|why| violated(OF, format!("game {game}: {why}")))?;
    let differs = shown_values(&it)
        .into_iter()
        .find(|(path, expected)| shown.pointer(path).unwrap_or(&Value::Null) != expected);
    if let Some((path, expected)) = differs {
        let found = format!("game {game}: {path} is not {expected}: {shown}");
        return violated(OF, found);
    }
    let cells = |value: &Value| -> BTreeSet<Option<Place>> {
        let labels = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        labels.map(place).collect()
    };
    let legal = match (it.turn(), it.status()) {
        (Some(_), Status::Place(cells)) => cells.iter().copied().map(Some).collect(),
        (Some(_), Status::Pass) => BTreeSet::from([None]),
        _ => BTreeSet::new(),
    };
    let flipped = it.plies.last().map(|ply| ply.flipped.iter().copied().map(Some).collect());
    if cells(&shown["legal"]) != legal
        || cells(&shown["last"]["flipped"]) != flipped.unwrap_or_default()
    {
        return violated(
            OF,
            format!("game {game}: not {legal:?} or {:?}: {shown}", it.plies.last()),
        );
    }
    Ok(())
}

/// Commands that print a game without a change of it, or as it stood at another moment.
pub(super) const LOOKS: [&str; 5] = ["show", "preview", "next", "replay", "rules"];

/// A command that changes a game prints what `show` shows after it. Computer players reply later.
pub fn replies_show_the_game(
    words: &[String],
    ran: &Ran,
    tables: &Tables,
) -> Result<(), Violation> {
    let shown = ran.shown();
    let Value::Object(keys) = &shown else { return Ok(()) };
    let is_game = keys.contains_key("position") && keys.contains_key("ply");
    let Some(game) = shown["game"].as_i64().filter(|_| is_game && ran.status == 0) else {
        return Ok(());
    };
    let bots = tables.columns_of("game", game, ["black_bot", "white_bot"]).next();
    if bots != Some([None, None]) || LOOKS.contains(&&*words[0]) {
        return Ok(());
    }
    show_shows_what_follows(tables, game, &shown)
}

/// Returns values of the JSON of `show` with their places in it.
fn shown_values(it: &Replayed) -> Vec<(&'static str, Value)> {
    let color = |color: Option<char>| color.map_or(Value::Null, |it| word(it).into());
    let result = it.result();
    let offer = it.offer();
    let is_over = result.is_some();
    vec![
        ("/ply", it.plies.len().into()),
        ("/status", if is_over { "finished" } else { "active" }.into()),
        ("/turn", color(it.turn())),
        ("/black/discs", it.discs('b').into()),
        ("/white/discs", it.discs('w').into()),
        ("/position", it.board.position_string().into()),
        ("/last/ply", it.plies.last().map_or(Value::Null, |_| it.plies.len().into())),
        ("/last/by", color(it.plies.last().map(|ply| ply.by))),
        ("/result/winner", color(result.as_ref().and_then(|(winner, _)| *winner))),
        ("/result/reason", result.map_or(Value::Null, |(_, reason)| reason.into())),
        ("/result/black", if is_over { it.discs('b').into() } else { Value::Null }),
        ("/result/white", if is_over { it.discs('w').into() } else { Value::Null }),
        ("/offer/by", color(offer.map(|offer| offer.by))),
        ("/offer/offer", offer.map_or(Value::Null, |offer| offer.kind.as_str().into())),
        ("/paused", (it.paused && it.result().is_none()).into()),
        ("/given", if it.given > 0 { it.given.into() } else { Value::Null }),
    ]
}

/// Returns how the first board that a text draws or reads aloud differs from a position; `None` if it does not, or if
/// there is no such board.
pub(super) fn misdrawn(text: &str, position: &str) -> Option<String> {
    let expected = position.trim_matches(['(', ')']).split_once(' ').map(|(_, rows)| rows)?;
    let columns = expected.split(' ').next().map_or(0, str::len);
    let drawn = figure(text).or_else(|| spoken(text, columns))?;
    (drawn != expected).then(|| format!("{drawn} is drawn, not {expected}"))
}

/// Returns the rows of the first board that a text draws as a figure, as in a position string; `None` if there
/// is none.
pub(super) fn figure(text: &str) -> Option<String> {
    let mut rows: Vec<String> = Vec::new();
    for line in text.lines() {
        match figure_row(line) {
            Some(row) => rows.push(row),
            None if line.starts_with("+-") => {}
            None if !rows.is_empty() => break,
            None => {}
        }
    }
    (!rows.is_empty()).then(|| rows.join(" "))
}

/// Returns a row of a figure: cells between its number, or with bars.
fn figure_row(line: &str) -> Option<String> {
    let (cells, number) = line.trim_end().rsplit_once([' ', '|'])?;
    number.parse::<i32>().ok()?;
    let cells: Vec<_> = match cells.trim_start().strip_prefix('|') {
        Some(cells) => cells.strip_suffix('|')?.split('|').map(str::to_owned).collect(),
        None => {
            let cells = cells.trim().strip_prefix(number)?;
            cells.chars().filter(|it| it.is_alphabetic() || *it == '.').map(String::from).collect()
        }
    };
    let cell = |cell: &String| match cell.trim_matches([' ', '[', ']', '(', ')']) {
        "" | "." => Some('-'),
        "B" | "b" | "O" | "o" => Some('b'),
        "W" | "w" | "X" | "x" => Some('w'),
        _ => None,
    };
    cells.iter().map(cell).collect()
}

/// Returns the rows of a board that a text reads aloud, as in a position string with so many columns; `None` if it
/// reads none, or one of the hex lattice.
pub(super) fn spoken(text: &str, columns: usize) -> Option<String> {
    let lines = text.lines().skip_while(|line| !is_spoken_row(line));
    let lines: Vec<_> = lines.take_while(|line| !line.trim().is_empty()).collect();
    let mut rows = Vec::new();
    for sentence in lines.join(" ").split('.').map(str::trim).filter(|it| !it.is_empty()) {
        let (numbers, discs) = sentence.strip_prefix("Row")?.split_once(": ")?;
        let numbers: Vec<usize> = numbers.split(' ').filter_map(|it| it.parse().ok()).collect();
        let mut row = vec!['-'; columns];
        for part in discs.split("; ").filter(|it| *it != "empty") {
            let (color, places) = part.split_once(' ')?;
            for place in places.split(", ") {
                let ends = place.split(" to ").map(|it| {
                    let letter = it.trim().bytes().next().filter(u8::is_ascii_lowercase);
                    letter.map(|letter| usize::from(letter - b'a'))
                });
                let ends: Vec<usize> = ends.collect::<Option<_>>()?;
                let (first, last) = (*ends.first()?, *ends.last()?);
                row.get_mut(first..=last)?.fill(color.chars().next()?);
            }
        }
        let count = numbers.last()? - numbers.first()? + 1;
        rows.extend(vec![String::from_iter(row); count]);
    }
    (!rows.is_empty()).then(|| rows.join(" "))
}

fn is_spoken_row(line: &str) -> bool {
    let rest = line.strip_prefix("Rows ").or_else(|| line.strip_prefix("Row "));
    rest.is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()))
}
