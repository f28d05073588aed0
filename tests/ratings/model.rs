//! The ratings and records of a club, calculated from nothing but the logs of its games.

use std::collections::BTreeMap;
use std::path::Path;

use outflank::store::Store;
use outflank_model::log::{Action, Event, GameId};
use outflank_model::rating::{List, Rating, Score, rate};
use outflank_model::time_control::TimeControl;
use outflank_model::{Side, StoredGame};
use outflank_rules::Color;
use rusqlite::{Connection, Row};

/// The rating of a player after a game: the list, when the game ended, its number and the player.
type Ratings = BTreeMap<(String, i64, i64, i64), Rating>;

/// Checks the stored ratings and records against the logs. If a list waits for a recalculation, only its
/// earlier ratings must be right.
pub fn check(database: &Path) {
    let sqlite = Connection::open(database).unwrap();
    let mut pending = sqlite.prepare("SELECT list, ended_at, game FROM recalculation").unwrap();
    let pending = pending.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))));
    let pending: BTreeMap<String, (i64, i64)> = pending.unwrap().map(Result::unwrap).collect();
    let games = games(database, &sqlite);
    check_records(&sqlite, &games);
    let (stored, expected) = (stored(&sqlite), from_logs(games));
    let keys = |ratings: &Ratings| ratings.keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&stored), keys(&expected), "the rated games");
    for (key, rating) in stored {
        let (list, ended_at, game, _) = &key;
        if pending.get(list).is_none_or(|from| (*ended_at, *game) < *from) {
            assert_eq!(rating, expected[&key], "{key:?}");
        }
    }
}

/// Checks the stored records against the logs.
fn check_records(sqlite: &Connection, games: &[StoredGame]) {
    let mut expected: BTreeMap<(i64, String, String), [i64; 3]> = BTreeMap::new();
    let mut turns: BTreeMap<i64, [i64; 2]> = BTreeMap::new();
    for stored in games.iter().filter(|stored| stored.game.counts()) {
        let winner = stored.game.outcome().unwrap().winner;
        let list = List::of(stored.game.start().rules()).to_string();
        for color in Color::BOTH {
            let Some(player) = stored.side(color).id() else { continue };
            let against = match stored.side(!color) {
                Side::Person(opponent) => ("player".to_owned(), opponent.id.0.to_string()),
                Side::Bot { name, .. } => ("bot".to_owned(), name.clone()),
                Side::Guest(_) => continue,
            };
            for (kind, about) in [(color.to_string(), list.clone()), against] {
                let record = expected.entry((player.0, kind, about)).or_default();
                record[winner.map_or(1, |winner| if winner == color { 0 } else { 2 })] += 1;
            }
            if stored.agreement.terms.control == TimeControl::None {
                continue;
            }
            let events = stored.game.events();
            let is_turn = |event: &Event| match event.action {
                Action::Move(_) => event.by == Some(color),
                Action::Claim => event.by == Some(!color),
                Action::TimeOut(player) => player == color,
                _ => false,
            };
            let ends: Vec<_> = (0..events.len()).filter(|&at| is_turn(&events[at])).collect();
            let is_late = |&end: &usize| {
                let begin = ends.iter().rfind(|&&before| before < end).map_or(0, |it| it + 1);
                !matches!(events[end].action, Action::Move(_))
                    || events[begin..end].iter().any(|it| it.action == Action::Flag(color))
            };
            let [all, late] = turns.entry(player.0).or_default();
            *all += ends.len() as i64;
            *late += ends.iter().filter(|end| is_late(end)).count() as i64;
        }
    }
    let mut select = sqlite.prepare("SELECT * FROM record WHERE won + drawn + lost <> 0").unwrap();
    let stored = select.query_map([], |row| {
        let key = (row.get("player")?, row.get("kind")?, row.get("about")?);
        Ok((key, [row.get("won")?, row.get("drawn")?, row.get("lost")?]))
    });
    assert_eq!(stored.unwrap().map(Result::unwrap).collect::<BTreeMap<_, _>>(), expected);
    let mut select =
        sqlite.prepare("SELECT * FROM player WHERE timed_turns + late_turns <> 0").unwrap();
    let stored = select.query_map([], |row| {
        Ok((row.get("id")?, [row.get("timed_turns")?, row.get("late_turns")?]))
    });
    assert_eq!(stored.unwrap().map(Result::unwrap).collect::<BTreeMap<_, _>>(), turns);
}

fn stored(sqlite: &Connection) -> Ratings {
    let mut select = sqlite.prepare("SELECT * FROM rating").unwrap();
    let row = |row: &Row| {
        let ended_at = row.get("ended_at")?;
        let rating = Rating {
            rating: row.get("rating")?,
            deviation: row.get("deviation")?,
            volatility: row.get("volatility")?,
            games: row.get("games")?,
            ended_at: chrono::DateTime::from_timestamp(ended_at, 0).unwrap(),
        };
        Ok(((row.get("list")?, ended_at, row.get("game")?, row.get("player")?), rating))
    };
    select.query_map([], row).unwrap().map(Result::unwrap).collect()
}

fn games(database: &Path, sqlite: &Connection) -> Vec<StoredGame> {
    let store = Store::open(database, false).unwrap();
    let mut ids = sqlite.prepare("SELECT id FROM game").unwrap();
    let ids = ids.query_map([], |row| row.get(0).map(GameId)).unwrap().map(Result::unwrap);
    ids.map(|id| store.read(|db| db.game(id)).unwrap().unwrap()).collect()
}

fn from_logs(games: Vec<StoredGame>) -> Ratings {
    let mut rated: Vec<_> =
        games.into_iter().filter(counts).map(|game| (end(&game), game)).collect();
    rated.sort_by_key(|(end, game)| (*end, game.id));
    let mut last: BTreeMap<(String, i64), Rating> = BTreeMap::new();
    let mut all = Ratings::new();
    for (end, game) in rated {
        let list = List::of(game.game.start().rules()).to_string();
        let players = game.sides().map(|side| side.id().unwrap().0);
        let before = players.map(|player| last.get(&(list.clone(), player)).copied());
        let winner = game.game.outcome().unwrap().winner;
        let score = Score::of(winner.map(|winner| winner == Color::Black));
        for (player, rating) in players.into_iter().zip(rate(before, score, end)) {
            last.insert((list.clone(), player), rating);
            all.insert((list.clone(), end.timestamp(), game.id.0, player), rating);
        }
    }
    all
}

/// Returns whether the result of a game counts for ratings.
fn counts(stored: &StoredGame) -> bool {
    let made = stored.game.plies().iter().filter(|ply| !ply.auto);
    let made: Vec<_> = made.map(|ply| ply.by).collect();
    stored.agreement.rated
        && stored.game.outcome().is_some_and(|outcome| outcome.reason.counts())
        && Color::BOTH.into_iter().all(|color| made.iter().filter(|&&by| by == color).count() >= 2)
}

/// Returns when a game ended.
fn end(stored: &StoredGame) -> chrono::DateTime<chrono::Utc> {
    let is_over = |events: &usize| stored.game.after(*events).unwrap().outcome().is_some();
    let end = (0..=stored.times.len()).find(is_over).unwrap();
    stored.times[end - 1]
}
