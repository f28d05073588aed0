//! Fresh databases opened by many at once, and databases of older versions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use outflank::store::{Error, Store};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::state;
use crate::harness::{BOB, TestEnvironment};

const MANY: usize = 16;

/// The schema, its version, the application id and the journal mode.
fn schema(database: &Path) -> (Vec<String>, i64, i64, String) {
    let sqlite = Connection::open(database).unwrap();
    let pragma = |name| sqlite.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    let mut tables =
        sqlite.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name").unwrap();
    let tables = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let log = sqlite.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    (tables, pragma("user_version"), pragma("application_id"), log)
}

/// The schema of a database that only one process has opened.
fn undisturbed() -> (Vec<String>, i64, i64, String) {
    let env = TestEnvironment::new();
    state::store(&env).write(|_| Ok::<_, Error>(())).unwrap();
    schema(&env.database())
}

#[test]
fn processes_can_open_a_fresh_database_at_once() {
    let expected = undisturbed();
    for round in 0..12 {
        let env = TestEnvironment::new();
        let all: Vec<_> = (0..MANY).map(|n| format!("signup player{n} p{n}@example.org")).collect();
        for ran in env.run_at_once(&all) {
            assert_eq!(ran.status, Some(0), "round {round}: {ran:?}");
        }
        assert_eq!(schema(&env.database()), expected);
        let players = env.json("players")["players"].as_array().unwrap().len();
        assert_eq!(players, MANY, "round {round}");
    }
}

#[test]
fn threads_can_open_a_fresh_database_at_once() {
    let expected = undisturbed();
    for round in 0..24 {
        let env = TestEnvironment::new();
        let (path, now) = (env.database(), env.now());
        let barrier = Barrier::new(MANY);
        thread::scope(|scope| {
            for n in 0..MANY {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let mut store = Store::open(path, false).unwrap();
                    let (name, address) = (format!("player{n}"), format!("p{n}@example.org"));
                    store.write(|tx| tx.add_player(&name, &address, &[1; 32], now)).unwrap();
                });
            }
        });
        assert_eq!(schema(&path), expected, "round {round}");
        let players = state::store(&env).read(|db| db.players()).unwrap();
        assert_eq!(players.len(), MANY, "round {round}");
    }
}

/// Rows of every table as the first version of the program wrote them.
const FIRST: &str = "
INSERT INTO installation VALUES (1, 'abcdefghijkl', 1700000000);
INSERT INTO player VALUES
    (1, 'alice', 'alice@example.org', 1700000001), (2, 'Bob', 'bob@example.org', 1700000002),
    (7, 'carol', 'carol@example.org', 1700000003);
INSERT INTO game (id, variant, board_rows, board_columns, misere, anywhere, pass, black, white,
    thread, created_at, ply, turn, to_move, to_wait, since, black_discs, white_discs)
VALUES (5, 'othello', 8, 8, 0, 0, 'auto', 1, 2, 'game-5.abcdefghijkl@club.example', 1700000010,
    2, 'black', 1, 2, 1700000030, 3, 3);
INSERT INTO game (id, variant, black, white, thread, created_at, resigned, ply, since,
    black_discs, white_discs, winner, reason)
VALUES (6, 'oddthello', 7, 1, 'game-6.abcdefghijkl@club.example', 1700000011, 'white', 0,
    1700000040, 1, 1, 'black', 'resigned');
INSERT INTO move VALUES (5, 1, 'f5', 0, 1700000020), (5, 2, 'd6', 0, 1700000030);
INSERT INTO outbox (id, message_id, game, player, event, ply, state, tries, created_at, due_at,
    lease, lease_until, sent_to, last_error)
VALUES
    (1, '5.0.started.a@club.example', 5, 1, 'started', 0, 'sent', 1, 1700000010, 1700000010,
        NULL, 0, 'old@example.org', NULL),
    (2, '5.1.turn.b@club.example', 5, 2, 'turn', 1, 'superseded', 3, 1700000020, 1700000080,
        NULL, 0, 'bob@example.org', '451 later'),
    (3, '5.2.turn.c@club.example', 5, 1, 'turn', 2, 'queued', 0, 1700000030, 1700000030,
        NULL, 0, NULL, NULL),
    (9, '6.0.over.d@club.example', 6, 7, 'over', 0, 'failed', 1, 1700000040, 1700000040,
        'x', 1700000200, 'carol@example.org', '550 no');
";

/// Creates a database as the first version of the program did.
fn first_schema(env: &TestEnvironment) {
    let sqlite = Connection::open(env.database()).unwrap();
    sqlite.pragma_update(None, "journal_mode", "WAL").unwrap();
    sqlite.execute_batch(include_str!("../../migrations/0001_games.sql")).unwrap();
    sqlite.execute_batch(FIRST).unwrap();
    sqlite.pragma_update(None, "application_id", 0x4f66_6c6b).unwrap();
    sqlite.pragma_update(None, "user_version", 1).unwrap();
}

/// Creates the database that the program with schema 2 left.
fn second_schema(env: &TestEnvironment) {
    let sqlite = env.sqlite();
    // The tables of a dump are in no particular order.
    sqlite.pragma_update(None, "foreign_keys", false).unwrap();
    sqlite.execute_batch(include_str!("schema-2.sql")).unwrap();
}

/// What these columns of all rows of a table say.
fn rows(sqlite: &Connection, table: &str, columns: &[&str]) -> Vec<Vec<Value>> {
    let sql = format!("SELECT {} FROM {table} ORDER BY 1, 2", columns.join(", "));
    let mut select = sqlite.prepare(&sql).unwrap();
    let row = |row: &rusqlite::Row| (0..columns.len()).map(|at| row.get(at)).collect();
    select.query_map([], row).unwrap().map(Result::unwrap).collect()
}

/// Removes what schema 2 did not show of games, which have none of it.
fn without_later_keys(reply: &mut serde_json::Value) {
    let games = reply.get_mut("games").and_then(|games| games.as_array_mut());
    games.into_iter().flatten().for_each(without_later_keys);
    let keys = ["deadline", "seconds_left", "clock", "offer", "paused"];
    let Some(game) = reply.as_object_mut().filter(|game| game.contains_key("variant")) else {
        return;
    };
    for key in keys {
        let value = game.remove(key).unwrap_or_default();
        assert!(value.is_null() || value == false, "{key}: {value}");
    }
}

#[test]
fn a_database_of_the_second_schema_gives_the_same_replies() {
    let env = TestEnvironment::new();
    second_schema(&env);
    let replies: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(include_str!("schema-2.json")).unwrap();
    for (command, expected) in replies {
        let mut reply = env.json(&command);
        without_later_keys(&mut reply);
        if let Some(rules) = reply.get_mut("rules").and_then(|rules| rules.as_object_mut()) {
            // Schema 2 did not show it.
            assert!(rules.remove("discs_each").is_some(), "{command}");
        }
        assert_eq!(reply, expected, "{command}");
    }
    state::check(&env.database());
    assert_eq!(
        env.ok("move 3 a2").lines().next(),
        Some("Game 3: Twente Othello, alice (black, B) - carol (white, W)")
    );
}

/// Games of schema 2 that the stored database has not: White begins, passes automatically, and
/// somebody resigns after that or after a pass that was not automatic.
const MORE_GAMES: &str = "
INSERT INTO game (id, variant, board_rows, board_columns, misere, anywhere, pass, start, frame,
    black, white, thread, created_at, resigned, ply, turn, to_move, to_wait, since, black_discs,
    white_discs, winner, reason)
VALUES
    (21, 'mini', 4, 4, 0, 0, 'auto', '(w bw-- ---- ---- ----)', 'a1', 1, 2, 'game-21@localhost',
        1, NULL, 1, 'black', 1, 2, 1, 1, 1, NULL, NULL),
    (22, 'mini', 4, 4, 0, 0, 'auto', '(w bw-- ---- ---- ----)', 'a1', 1, 2, 'game-22@localhost',
        1, 'white', 1, NULL, NULL, NULL, 9, 1, 1, 'black', 'resigned'),
    (23, 'mini', 4, 4, 0, 0, 'auto', '(b wb-- ---- ---- ----)', 'a1', 1, 2, 'game-23@localhost',
        1, 'black', 1, NULL, NULL, NULL, 9, 1, 1, 'white', 'resigned'),
    (24, 'mini', 4, 4, 0, 0, 'explicit', '(w bw-- ---- ---- ----)', 'a1', 1, 2,
        'game-24@localhost', 1, 'white', 1, NULL, NULL, NULL, 9, 1, 1, 'black', 'resigned'),
    (25, 'oddthello', NULL, NULL, NULL, NULL, NULL, '(w ------ -wb--- --bw-- ---bw- ------)',
        'A-2', 1, 2, 'game-25@localhost', 1, 'black', 0, NULL, NULL, NULL, 9, 3, 3, 'white',
        'resigned');
INSERT INTO move VALUES (21, 1, 'pass', 1, 1), (22, 1, 'pass', 1, 1), (23, 1, 'pass', 1, 1),
    (24, 1, 'pass', 0, 5);
";

#[test]
fn games_of_the_second_schema_with_passes_and_resignations_are_migrated() {
    let env = TestEnvironment::new();
    second_schema(&env);
    env.sqlite().execute_batch(MORE_GAMES).unwrap();
    let before = 11;
    assert_eq!(state::check(&env.database()), before + 5);
    let sqlite = env.sqlite();
    let log: Vec<String> = sqlite
        .prepare(
            "SELECT concat_ws(' ', game, number, at, author, action) FROM event WHERE game > 20
             ORDER BY game, number",
        )
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        log,
        [
            "21 1 1 w auto-pass",
            "22 1 1 w auto-pass",
            "22 2 9 w resign",
            "23 1 1 b auto-pass",
            "23 2 9 b resign",
            "24 1 5 w pass",
            "24 2 9 w resign",
            "25 1 9 b resign",
        ]
    );
    assert_eq!(env.game(21)["legal"], serde_json::json!(["c1"]));
    env.ok("move 21 c1");
    state::check_commands(&env);
}

#[test]
fn a_database_of_the_first_schema_is_migrated_without_loss() {
    let env = TestEnvironment::new();
    first_schema(&env);
    drop(state::store(&env));
    let log = rows(&env.sqlite(), "event", &["game", "number", "at", "author", "action"]);
    let text = |text: &str| Value::Text(text.to_owned());
    let event = |game: i64, number: i64, at: i64, author, action| {
        let numbers = [game, number, 1_700_000_000 + at].map(Value::Integer);
        [&numbers[..], &[text(author), text(action)]].concat()
    };
    assert_eq!(
        log,
        [event(5, 1, 20, "b", "f5"), event(5, 2, 30, "w", "d6"), event(6, 1, 40, "w", "resign"),]
    );

    // It has the same schema as a fresh database.
    let (fresh, version, application, log) = undisturbed();
    let (migrated, ..) = schema(&env.database());
    assert_eq!(migrated.len(), fresh.len());
    let (_, now_version, now_application, now_log) = schema(&env.database());
    assert_eq!((now_version, now_application, now_log), (version, application, log));

    // Everybody has a secret that is nobody else's.
    let secrets = |table| rows(&env.sqlite(), table, &["length(secret)", "secret"]);
    let mut all = [secrets("player"), secrets("installation")].concat();
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|row| row[0] == Value::Integer(32)), "{all:?}");
    let count = all.len();
    all.sort_by_key(|row| format!("{row:?}"));
    all.dedup();
    assert_eq!(all.len(), count);

    // The game continues in its thread.
    env.ok("--as alice move 5 c3");
    let mails = env.all_mails();
    let to_bob = mails.values().find(|mail| mail.to == BOB).expect("a mail to bob");
    assert!(to_bob.raw.contains("<game-5.abcdefghijkl@club.example>"), "{to_bob:?}");
    assert_eq!(env.json("games --all")["games"].as_array().unwrap().len(), 2);
    env.ok("new mini alice bob");
    assert_eq!(env.game(7)["game"], 7, "numbers go on");
}

#[test]
fn numbers_of_mails_are_not_reused_after_a_migration() {
    let env = TestEnvironment::new();
    second_schema(&env);
    // The last mails were deleted.
    env.sqlite().execute_batch("DELETE FROM outbox WHERE id > 20").unwrap();
    env.ok("move 3 a2");
    let numbers = rows(&env.sqlite(), "outbox", &["id", "kind"]);
    let after: Vec<_> = numbers.iter().map(|row| &row[0]).skip(20).collect();
    assert_eq!(after, [&Value::Integer(40), &Value::Integer(41)], "{numbers:?}");
}

#[test]
fn mail_that_was_delivered_long_ago_is_not_migrated() {
    let env = TestEnvironment::new();
    second_schema(&env);
    env.sqlite().execute_batch("UPDATE outbox SET state = 'failed' WHERE id = 3").unwrap();
    drop(state::store(&env));
    let kept = rows(&env.sqlite(), "outbox", &["id", "due_at"]);
    let kept: Vec<_> = kept.iter().map(|row| &row[0]).collect();
    let deleted = [1, 2, 7, 8, 13, 14];
    let expected: Vec<_> =
        (1..=39).filter(|id| !deleted.contains(id)).map(Value::Integer).collect();
    assert_eq!(kept, expected.iter().collect::<Vec<_>>());
}

#[test]
fn an_old_database_opened_by_many_at_once_is_migrated_once() {
    for round in 0..4 {
        let env = TestEnvironment::new();
        first_schema(&env);
        for ran in env.run_at_once(&vec!["games --all".to_owned(); MANY]) {
            assert_eq!(ran.status, Some(0), "round {round}: {ran:?}");
        }
        assert_eq!(env.json("players")["players"].as_array().unwrap().len(), 3);
    }
}
