//! The ratings of a club, calculated from nothing but the logs of its games.

use std::collections::BTreeMap;
use std::path::Path;

use outflank::log::GameId;
use outflank::rating::{List, Rating, Score, rate};
use outflank::store::{Store, StoredGame};
use outflank_rules::Color;
use rusqlite::{Connection, Row};

/// The rating of a player after a game: the list, when the game ended, its number and the player.
type Ratings = BTreeMap<(String, i64, i64, i64), Rating>;

/// Checks that the stored ratings are those that follow from the logs. Where ratings are to be calculated
/// again, only those before that must be right.
pub fn check(database: &Path) {
    let sqlite = Connection::open(database).unwrap();
    let mut pending = sqlite.prepare("SELECT list, ended_at, game FROM recalculation").unwrap();
    let pending = pending.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))));
    let pending: BTreeMap<String, (i64, i64)> = pending.unwrap().map(Result::unwrap).collect();
    let (stored, expected) = (stored(&sqlite), from_logs(database, &sqlite));
    let games = |ratings: &Ratings| ratings.keys().cloned().collect::<Vec<_>>();
    assert_eq!(games(&stored), games(&expected), "the rated games");
    for (key, rating) in stored {
        let (list, ended_at, game, _) = &key;
        if pending.get(list).is_none_or(|from| (*ended_at, *game) < *from) {
            assert_eq!(rating, expected[&key], "{key:?}");
        }
    }
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

fn from_logs(database: &Path, sqlite: &Connection) -> Ratings {
    let store = Store::open(database, false).unwrap();
    let mut ids = sqlite.prepare("SELECT id FROM game").unwrap();
    let ids = ids.query_map([], |row| row.get(0).map(GameId)).unwrap().map(Result::unwrap);
    let games = ids.map(|id| store.read(|db| db.game(id)).unwrap().unwrap());
    let mut rated: Vec<_> = games.filter(counts).map(|game| (end(&game), game)).collect();
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
    stored.rated
        && stored.game.outcome().is_some_and(|outcome| outcome.reason.counts())
        && Color::BOTH.into_iter().all(|color| made.iter().filter(|&&by| by == color).count() >= 2)
}

/// Returns when a game ended.
fn end(stored: &StoredGame) -> chrono::DateTime<chrono::Utc> {
    let is_over = |events: &usize| stored.game.after(*events).unwrap().outcome().is_some();
    let end = (0..=stored.times.len()).find(is_over).unwrap();
    stored.times[end - 1]
}
