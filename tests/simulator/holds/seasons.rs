//! The seasons of a player in tournaments, and what the player has won: docs/json.md and docs/tournaments.md.

use serde_json::{Value, json};

use super::scores::Division;
use super::views::{Asked, number};
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;

/// The most seasons that are listed.
const MAX_LISTED: usize = 10;

/// A season of a player: how it is listed, and the title if the player has won it.
struct Season {
    shown: Value,
    title: Option<String>,
}

/// `player NAME` lists the last tournaments of a player, with the place in the table of each, and those that the
/// player has won.
pub fn profiles_have_the_seasons(asked: &Asked, ran: &Ran) -> Result<(), Violation> {
    const OF: &str = "profiles_have_the_seasons";
    let shown = ran.shown();
    let (Some(listed), Some(titles)) =
        (shown["tournaments"].as_array(), shown["titles"].as_array())
    else {
        return Ok(());
    };
    let Some(seasons) = seasons(asked).filter(|it| it.len() <= MAX_LISTED) else { return Ok(()) };
    let sorted = |values: Vec<String>| {
        let mut values = values;
        values.sort_unstable();
        values
    };
    let expected = sorted(seasons.iter().map(|it| it.shown.to_string()).collect());
    let found = sorted(listed.iter().map(Value::to_string).collect());
    if found != expected {
        return violated(OF, format!("{}: {found:?}, not {expected:?}", asked.about[1]));
    }
    let expected = sorted(seasons.into_iter().filter_map(|it| it.title).collect());
    let found: Vec<_> = titles.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let said = format!("Titles: {}", found.join("; "));
    let text = ran.drawn.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    if sorted(found.clone()) != expected || text.contains("Titles:") && !text.contains(&said) {
        return violated(OF, format!("{} has won {found:?}, not {expected:?}", asked.about[1]));
    }
    Ok(())
}

/// Returns the seasons that a player has joined, except those of cancelled tournaments and the next one of a
/// league, which has no table yet; `None` if half of a board is no number of discs.
fn seasons(asked: &Asked) -> Option<Vec<Season>> {
    let tables = asked.tables;
    let player = number(Some(asked.about[0]));
    let mut seasons = Vec::new();
    for [id, season, entrant] in tables.columns("entrant", ["tournament", "season", "player"]) {
        let (id, season) = (number(id), number(season));
        let names = ["name", "state", "format", "season"];
        let [name, state, format, last] = tables.columns_of("tournament", id, names).next()?;
        if number(entrant) != player || state == Some("cancelled") {
            continue;
        }
        let divisions = Division::all(tables, id, season);
        if !divisions.iter().all(Division::has_even_board) {
            return None;
        }
        let mut own = divisions.iter();
        let own = own.find(|it| it.entrants.iter().any(|it| it.player == player));
        if own.is_none() && number(last) > 0 {
            continue;
        }
        // Between two seasons, a league is open again.
        let is_before = own.is_some() && (state == Some("open") || season < number(last));
        let state = if is_before { "finished" } else { state? };
        let row = own.and_then(|it| it.table().into_iter().find(|row| row.player == player));
        let league = own.filter(|_| format == Some("league"));
        let shown = json!({
            "tournament": name, "season": league.map(|_| season),
            "division": league.map(|it| it.number), "state": state,
            "place": row.as_ref().and_then(|row| row.place),
            "players": own.map_or(0, |it| it.entrants.len()),
            "withdrawn": row.is_some_and(|row| row.withdrawn),
        });
        let is_over = |it: &&Division| state == "finished" && it.number == 1;
        let has_won = own.filter(is_over).is_some_and(|it| it.winners().contains(&player));
        let title = match league {
            Some(_) => format!("{}, season {season}", name?),
            None => name?.to_owned(),
        };
        seasons.push(Season { shown, title: has_won.then_some(title) });
    }
    Some(seasons)
}
