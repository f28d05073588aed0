//! What the rows of lists on pages say: docs/web.md. They are those of the lists of commands, for their readers.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use super::own_pages::player;
use super::views::Asked;
use super::{Opened, lists, remarks, rows, violated};
use crate::simulator::Violation;
use crate::simulator::pages;
use crate::simulator::tables::{self, Tables};

/// Who reads a list of games on a page, and of whom it is.
struct List<'a> {
    asked: Asked<'a>,
    /// The player of an own page.
    you: Option<&'a str>,
    /// Whether it is the list of a player who need not be the reader.
    is_of_player: bool,
}

impl<'a> List<'a> {
    fn of(path: &str, page: &str, tables: &'a Tables, now: DateTime<Utc>) -> Option<Self> {
        let public = || Asked { reader: None, ..Asked::by(tables, now, ["", ""]) };
        if path == "/" {
            return Some(Self { asked: public(), you: None, is_of_player: false });
        }
        if path.starts_with("/player/") {
            return Some(Self { asked: public(), you: None, is_of_player: true });
        }
        let owner = page.split("<h1>Games of ").nth(1)?.split('<').next()?;
        let own = player(tables, owner).filter(|_| path.starts_with("/me/"))?;
        Some(Self { asked: Asked::by(tables, now, own), you: Some(own[1]), is_of_player: false })
    }

    /// Returns what is wrong in the row of a game.
    fn wrong(&self, row: &BTreeMap<String, String>) -> Option<String> {
        let cell = |title: &str| row.get(title).map(|it| it.trim()).unwrap_or_default();
        let Asked { tables, now, .. } = self.asked;
        let (mut entry, _) = self.asked.entry(cell("Game").parse().ok()?)?;
        // What is offered is for those who play the game.
        if self.you.is_none() {
            entry["offer"] = Value::Null;
        }
        // Who can claim the game is not known in an outage of the mail server.
        let is_known = entry["turn"].is_null() || entry.get("claimant").is_some();
        let mut state = cell("State");
        if self.is_of_player {
            state = state.strip_suffix(", muted").unwrap_or(state);
        }
        let expected = remarks::state(tables, &entry, self.you)?;
        let columns = ["since", "deadline"];
        let [since, deadline] =
            tables.columns_of("game", entry["game"].as_i64()?, columns).next()?;
        let now = now.timestamp();
        let deadline = tables::deadline(deadline).filter(|_| !entry["turn"].is_null());
        let expected = [
            expected,
            remarks::age(tables::number(since)?, now),
            deadline.map_or_else(String::new, |at| remarks::left(at, now)),
        ];
        let found = [state, cell("Age"), cell("Left")];
        (is_known && found != expected).then(|| format!("{row:?}, not {expected:?}"))
    }
}

/// The rows of games on an own page and on public lists say how the games stand, since when, and how much time is
/// left. An own page says how many games wait, and its challenges have the terms, with times in the player's zone.
pub fn rows_say_how_things_stand(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, answer, tables, now, .. } = opened;
    const OF: &str = "rows_say_how_things_stand";
    let path = request.path.split('?').next().unwrap_or_default();
    let page = &answer.body;
    let Some(list) = List::of(path, page, tables, now) else { return Ok(()) };
    let rows = pages::rows(page);
    let is_game = |row: &&BTreeMap<_, _>| {
        ["Game", "State", "Score"].iter().all(|title| row.contains_key(*title))
    };
    if let Some(wrong) = rows.iter().filter(is_game).find_map(|row| list.wrong(row)) {
        return violated(OF, format!("{path}: {wrong}"));
    }
    let Some(you) = list.you else { return Ok(()) };
    let games = list.asked.active();
    let waits = |it: &&Value| it["turn"].as_str().is_some_and(|turn| it[turn] == you);
    let expected = match games.is_empty() {
        true => "You have no game under way.".to_owned(),
        false => lists::waiting(games.iter().filter(waits).count(), "you"),
    };
    if !pages::texts(page).contains(&expected) {
        return violated(OF, format!("{you}: the page does not say {expected:?}"));
    }
    let found: Vec<_> = rows.iter().filter_map(challenge_of).collect();
    let expected = challenge_rows(&list.asked).unwrap_or_default();
    match found == expected {
        true => Ok(()),
        false => violated(OF, format!("{you}: the challenges are {found:?}, not {expected:?}")),
    }
}

/// The columns of challenges that are judged.
const OF_CHALLENGES: [&str; 7] = ["Number", "By", "To", "Colours", "Clock", "Rating", "Open until"];

/// Returns a row of a list of challenges.
fn challenge_of(row: &BTreeMap<String, String>) -> Option<Vec<String>> {
    let cells = OF_CHALLENGES.map(|title| row.get(title).map(|it| it.trim().to_owned()));
    cells.into_iter().collect()
}

/// Returns the rows of the challenges that the reader finds.
pub(super) fn challenge_rows(asked: &Asked) -> Option<Vec<Vec<String>>> {
    let shown = asked.challenges()?;
    let zone = zone_of(asked.tables, asked.reader?[0]);
    let row = |it: &Value| {
        let word = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        let colors = match it["color"].as_str() {
            Some(color) => format!("{} is {color}", word("by")),
            None => "random".to_owned(),
        };
        let rating = if it["rated"] == true { "rated" } else { "unrated" };
        let until = DateTime::parse_from_rfc3339(it["until"].as_str()?).ok()?;
        let until = shown_in(zone, until.timestamp())?;
        let number = it["challenge"].to_string();
        Some(vec![number, word("by"), word("to"), colors, word("clock"), rating.to_owned(), until])
    };
    shown["challenges"].as_array()?.iter().map(row).collect()
}

/// Returns the time zone that a player has set.
pub fn zone_of(tables: &Tables, player: &str) -> Tz {
    let clock = tables::number(Some(player)).and_then(|id| rows::of_player(tables, id, "clock"));
    let zone = clock.and_then(|clock| clock.split(' ').next()?.parse().ok());
    zone.unwrap_or(Tz::UTC)
}

/// Returns a time as tables show it, with the offset of the zone: `2026-11-21 11:00+01:00`.
pub fn shown_in(zone: Tz, at: i64) -> Option<String> {
    let local = DateTime::from_timestamp(at, 0)?.with_timezone(&zone);
    let offset = local.format("%:z").to_string();
    let offset = if offset == "+00:00" { "Z" } else { &offset };
    Some(format!("{}{offset}", local.format("%Y-%m-%d %H:%M")))
}
