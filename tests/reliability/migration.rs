//! A fresh database that many open at once.

use std::path::Path;
use std::sync::Barrier;
use std::thread;

use outflank::store::Store;
use rusqlite::Connection;

use crate::house::{House, words};

const MANY: usize = 16;

/// The schema, and whose database in which version it is.
fn schema(database: &Path) -> (Vec<String>, i64, i64, String) {
    let sqlite = Connection::open(database).unwrap();
    let pragma = |name| sqlite.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    let mut tables =
        sqlite.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name").unwrap();
    let tables = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let log = sqlite.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    (tables, pragma("user_version"), pragma("application_id"), log)
}

/// The schema of a database that was opened by one process alone.
fn undisturbed() -> (Vec<String>, i64, i64, String) {
    let house = House::new();
    drop(house.store());
    schema(&house.database())
}

#[test]
fn processes_that_open_a_fresh_database_at_once() {
    let expected = undisturbed();
    for round in 0..12 {
        let house = House::new();
        let all: Vec<_> =
            (0..MANY).map(|n| words(&format!("signup p{n} p{n}@example.org"))).collect();
        for ran in house.at_once(&all) {
            assert_eq!(ran.status, Some(0), "round {round}: {ran:?}");
        }
        assert_eq!(schema(&house.database()), expected);
        let players = house.json(&["players"])["players"].as_array().unwrap().len();
        assert_eq!(players, MANY, "round {round}");
    }
}

#[test]
fn threads_that_open_a_fresh_database_at_once() {
    let expected = undisturbed();
    for round in 0..24 {
        let house = House::new();
        let (path, now) = (house.database(), house.now());
        let barrier = Barrier::new(MANY);
        thread::scope(|scope| {
            for n in 0..MANY {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let store = Store::open(path).unwrap();
                    let (name, address) = (format!("p{n}"), format!("p{n}@example.org"));
                    store.write(|db| db.add_player(&name, &address, &[1; 32], now)).unwrap();
                });
            }
        });
        assert_eq!(schema(&path), expected, "round {round}");
        let players = house.store().read(|db| db.players()).unwrap();
        assert_eq!(players.len(), MANY, "round {round}");
    }
}
