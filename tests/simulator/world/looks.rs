//! Which game and which player somebody asks about. Everything comes from the tables and a seed.

use std::collections::{BTreeMap, BTreeSet};

use crate::simulator::shown::is_move;
use crate::simulator::tables::{Tables, number};

/// Columns by whose values games differ. A value that few games have is chosen as often as one that many have.
const KINDS: [&str; 15] = [
    "reason",
    "winner",
    "variant",
    "turn",
    "offer_event",
    "paused",
    "rated",
    "start",
    "flag",
    "clock",
    "misere",
    "black_bot",
    "opening",
    "claim_event",
    "ply",
];

/// Tables about games that most games are not in.
const TABLES: [&str; 7] =
    ["watcher", "plan", "unsubscribed", "pairing", "analysis", "comment", "comment"];

/// Returns a game to look at.
pub(super) fn game(tables: &Tables, rng: &mut fastrand::Rng) -> Option<i64> {
    match rng.u8(..6) {
        0 | 1 => with_events(tables, rng).or_else(|| any(tables, rng)),
        2 => {
            let rows = tables.columns(TABLES[rng.usize(..TABLES.len())], ["game"]);
            let games: Vec<_> = rows.filter_map(|[game]| number(game)).collect();
            rng.choice(games).or_else(|| any(tables, rng))
        }
        3 | 4 => {
            let kind = KINDS[rng.usize(..KINDS.len())];
            let rows: Vec<_> = tables.columns("game", ["id", kind]).collect();
            let mut values: Vec<_> = rows.iter().map(|[_, value]| *value).collect();
            values.sort_unstable();
            values.dedup();
            let value = rng.choice(values)?;
            let alike = rows.into_iter().filter(|[_, it]| *it == value);
            let games: Vec<_> = alike.filter_map(|[id, _]| number(id)).collect();
            rng.choice(games)
        }
        _ => any(tables, rng),
    }
}

/// Returns a game in which two kinds of events happened, whether many games have both or few.
fn with_events(tables: &Tables, rng: &mut fastrand::Rng) -> Option<i64> {
    let mut games: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for [game, action] in tables.columns("event", ["game", "action"]) {
        let (Some(game), Some(action)) = (number(game), action) else { continue };
        let word = action.split(' ').next().unwrap_or_default();
        let kind = match word {
            "offer" => action,
            _ if is_move(action) => "move",
            _ => word,
        };
        games.entry(kind).or_default().insert(game);
    }
    let kinds: Vec<_> = games.into_values().collect();
    (0..8).find_map(|_| {
        let [one, other] = [0; 2].map(|_| rng.choice(&kinds));
        rng.choice(one? & other?)
    })
}

fn any(tables: &Tables, rng: &mut fastrand::Rng) -> Option<i64> {
    let games: Vec<_> = tables.columns("game", ["id"]).filter_map(|[id]| number(id)).collect();
    rng.choice(games)
}

/// Returns a game that is over.
pub(super) fn finished(tables: &Tables, rng: &mut fastrand::Rng) -> Option<i64> {
    let rows = tables.columns("game", ["id", "turn"]).filter(|[_, turn]| turn.is_none());
    let games: Vec<_> = rows.filter_map(|[id, _]| number(id)).collect();
    rng.choice(games)
}

/// Returns one of these players: half of the time one who plays a game, if there is one.
pub(super) fn player<'a>(
    tables: &Tables,
    players: &[[&'a str; 2]],
    game: i64,
    rng: &mut fastrand::Rng,
) -> Option<[&'a str; 2]> {
    let row = tables.columns_of("game", game, ["black", "white"]).next().unwrap_or_default();
    let own = players.iter().filter(|[id, _]| row.contains(&Some(*id)));
    let own: Vec<_> = own.copied().collect();
    rng.choice(own).filter(|_| rng.bool()).or_else(|| rng.choice(players).copied())
}
