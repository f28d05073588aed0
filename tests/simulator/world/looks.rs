//! Which game and which player somebody asks about. Everything comes from the tables and a seed.

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
    match rng.u8(..4) {
        0 => {
            let rows = tables.columns(TABLES[rng.usize(..TABLES.len())], ["game"]);
            let games: Vec<_> = rows.filter_map(|[game]| number(game)).collect();
            rng.choice(games).or_else(|| any(tables, rng))
        }
        1 | 2 => {
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
