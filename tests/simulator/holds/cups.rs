//! What `tournaments` lists: docs/tournaments.md.

use std::cmp::Reverse;

use chrono::DateTime;
use serde_json::{Value, json};

use super::views::{Asked, time};
use crate::simulator::tables::{Tables, number};

/// The most tournaments that have ended and are listed.
const MAX_ENDED: usize = 10;

/// Returns the open tournaments, the running ones and the last ones that have ended.
pub fn listed(tables: &Tables) -> Option<Value> {
    let mut listed = Vec::new();
    for state in ["open", "running", "finished"] {
        let rows = tables.columns("tournament", ["id", "state", "ended_at"]);
        let own = rows.filter(|row| row[1] == Some(state));
        let mut ids: Vec<_> =
            own.map(|[id, _, at]| (Reverse(number(at)), Reverse(number(id)))).collect();
        ids.sort_unstable();
        let most = if state == "finished" { MAX_ENDED } else { ids.len() };
        for (_, Reverse(id)) in ids.into_iter().take(most) {
            listed.push(cup(tables, id?)?);
        }
    }
    Some(json!({ "tournaments": listed }))
}

/// Returns a tournament as lists show it.
pub fn cup(tables: &Tables, id: i64) -> Option<Value> {
    let names = ["name", "format", "state", "variant", "clock"];
    let [name, format, state, variant, clock] =
        tables.columns_of("tournament", id, names).next()?;
    let names =
        ["season", "doubled", "rounds", "places", "rated", "created_at", "starts_at", "ended_at"];
    let row = tables.columns_of("tournament", id, names).next()?;
    let [season, doubled, rounds, places, rated, created_at, starts_at, ended_at] = row.map(number);
    let counted = season? + i64::from(state == Some("open"));
    let entrants = tables.columns_of("entrant", id, ["season"]);
    let players = entrants.filter(|[at]| number(*at) == Some(counted)).count();
    let (limits, league) = (["lowest", "highest"], ["division_size", "moved"]);
    let limits = tables.columns_of("tournament", id, limits).next()?.map(number);
    let [size, moved] = tables.columns_of("tournament", id, league).next()?.map(number);
    let is_league = format == Some("league");
    let terms = ["opening", "free_weekends", "absences"];
    let [opening, free, absences] = tables.columns_of("tournament", id, terms).next()?;
    let asked = Asked::by(tables, DateTime::default(), [""; 2]);
    Some(json!({
        "rules": asked.rules_of("tournament", id)?, "opening": opening,
        "free_weekends": free == Some("1"), "absences": absences == Some("1"),
        "tournament": name, "format": format, "state": state, "variant": variant, "clock": clock,
        "season": season, "double": doubled == Some(1), "rounds": rounds, "places": places,
        "rated": rated == Some(1), "players": players,
        "ratings": limits[0].map(|_| limits),
        "divisions_of": size.filter(|_| is_league), "move": moved.filter(|_| is_league),
        "since": created_at.map(time), "starts": starts_at.map(time), "ended": ended_at.map(time),
    }))
}
