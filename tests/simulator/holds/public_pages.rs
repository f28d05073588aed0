//! What holds of the lists on the pages that are for everybody.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::rows::name_of;
use super::views::Asked;
use super::violated;
use crate::simulator::Violation;
use crate::simulator::pages::{self, Answer, Request};
use crate::simulator::tables::{Tables, number};

/// The rating lists of the variants that pages name, and that of the page without a variant.
const LISTS: [(&str, &str); 3] = [("", "8x8"), ("othello", "8x8"), ("mini", "4x4")];

/// The list of games has all games of its variant and its player, those under way first; that of the players has
/// all who have not left; and the standings have the rated players, the best one first.
pub fn public_lists_are_complete(
    request: &Request,
    answer: &Answer,
    tables: &Tables,
    now: DateTime<Utc>,
) -> Result<(), Violation> {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let variant = query.strip_prefix("variant=").unwrap_or_default();
    let rows = pages::rows(&answer.body);
    let listed = |title: &str| {
        let values = rows.iter().filter_map(|row| row.get(title));
        values.map(|value| value.trim().to_owned()).collect::<Vec<_>>()
    };
    let wrong = match path {
        "/" => wrong_games(&listed("Game"), None, variant, tables),
        "/players" => wrong_players(&listed("Name"), tables),
        "/standings" => wrong_standings(&listed("Name"), variant, tables, now),
        _ => match path.strip_prefix("/player/") {
            Some(name) => wrong_games(&listed("Game"), Some(name), variant, tables),
            None => None,
        },
    };
    match wrong {
        Some(wrong) => violated("public_lists_are_complete", format!("{}: {wrong}", request.path)),
        None => Ok(()),
    }
}

/// Returns what is wrong with the list of the games of a variant and a player.
fn wrong_games(
    listed: &[String],
    name: Option<&str>,
    variant: &str,
    tables: &Tables,
) -> Option<String> {
    let columns = ["id", "variant", "black", "white", "turn", "local"];
    let is_name = |player: Option<&str>| {
        let player = number(player).and_then(|player| name_of(tables, player));
        player.is_some_and(|it| name.is_some_and(|name| name.eq_ignore_ascii_case(it)))
    };
    let games = tables.columns("game", columns).filter(|[_, it, black, white, _, local]| {
        (variant.is_empty() || *it == Some(variant))
            && *local != Some("1")
            && (name.is_none() || is_name(*black) || is_name(*white))
    });
    let (active, finished): (Vec<_>, Vec<_>) = games.partition(|[.., turn, _]| turn.is_some());
    let ids = |games: &[[Option<&str>; 6]]| {
        games.iter().filter_map(|[id, ..]| id.map(str::to_owned)).collect::<BTreeSet<_>>()
    };
    let (active, finished) = (ids(&active), ids(&finished));
    let (first, rest) = listed.split_at(active.len().min(listed.len()));
    let is_right = first.iter().eq(first.iter().filter(|it| active.contains(*it)))
        && first.len() == active.len()
        && rest.iter().cloned().collect::<BTreeSet<_>>() == finished
        && rest.len() == finished.len();
    (!is_right).then(|| format!("lists {listed:?}, and there are {active:?} and {finished:?}"))
}

fn wrong_players(listed: &[String], tables: &Tables) -> Option<String> {
    let players = tables.columns("player", ["name", "left_at"]);
    let mut names: Vec<_> = players
        .filter(|[_, left_at]| left_at.is_none())
        .filter_map(|[name, _]| name.map(str::to_owned))
        .collect();
    let mut sorted = listed.to_vec();
    names.sort_unstable();
    sorted.sort_unstable();
    (sorted != names).then(|| format!("lists {sorted:?}, not {names:?}"))
}

fn wrong_standings(
    listed: &[String],
    variant: &str,
    tables: &Tables,
    now: DateTime<Utc>,
) -> Option<String> {
    let (_, list) = LISTS.into_iter().find(|(it, _)| *it == variant)?;
    let about = ["", ""];
    let asked =
        Asked { tables, now, reader: None, game: 0, about, line: Vec::new(), plies: [0; 2] };
    let standings = asked.standings(list, false)?;
    let players = standings["players"].as_array()?;
    let names: Vec<_> = players.iter().filter_map(|it| it["player"].as_str()).collect();
    (names != *listed).then(|| format!("lists {listed:?}, not {names:?}"))
}
