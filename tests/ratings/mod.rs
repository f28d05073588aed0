//! Ratings: the games that count, and numbers that all follow from the logs.

mod annulled;
mod counted;
pub mod model;
mod pages;

use chrono::TimeDelta;

use crate::harness::Club;
use crate::reliability::state;

/// Four moves of either player in a game on 8x8.
const MOVES: &str = "f5 d6 c3 d3";

/// Returns a club of four players.
fn club() -> Club {
    let mut club = Club::new(3, "2027-01-04T08:00:00Z");
    for name in ["ann", "ben", "cat", "dan"] {
        club.ok(&format!("signup {name} {name}@example.org"));
    }
    club
}

/// Runs a command a day later, and checks the ratings after it.
fn next_day(club: &mut Club, actor: Option<&str>, words: &str) {
    club.later(TimeDelta::days(1));
    club.keep_watch();
    club.run(actor, words).unwrap_or_else(|error| panic!("{words}: {error}"));
    state::check(&club.database());
}

/// Starts a rated game with two moves of each player.
fn start(club: &mut Club, players: &str, options: &str) {
    club.ok(&format!("new othello {players} --rated {options}"));
    let game = last_game(club);
    club.ok(&format!("move {game} {MOVES}"));
}

/// Returns the number of the last game.
fn last_game(club: &Club) -> i64 {
    rows(club, "SELECT max(id) FROM game")[0]
}

/// Returns the numbers that a query selects.
fn rows(club: &Club, sql: &str) -> Vec<i64> {
    let connection = rusqlite::Connection::open(club.database()).unwrap();
    let mut select = connection.prepare(sql).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}
