//! New databases opened by many processes at once, and databases of earlier versions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use outflank::store::{Error, Store};
use rusqlite::Connection;
use serde_json::Value;

use super::state;
use crate::harness::{BOB, InboundMessage, TestEnvironment};

const MANY: usize = 16;
/// The number of games in the database of version 12.
const GAMES: usize = 8;

/// Returns the schema without comments and spaces, with its version, the application id and the journal mode.
fn schema(database: &Path) -> (Vec<String>, i64, i64, String) {
    let sqlite = Connection::open(database).unwrap();
    let pragma = |name| sqlite.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    let mut tables =
        sqlite.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name").unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    // A migrated table has comments elsewhere, and quotes around a new name.
    let code = |line: &str| line.split("--").next().unwrap().replace([' ', '"'], "");
    let tables = tables.map(|sql| sql.unwrap().lines().map(code).collect()).collect();
    let log = sqlite.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    (tables, pragma("user_version"), pragma("application_id"), log)
}

/// Returns the schema of a database that only one process has opened.
fn undisturbed() -> (Vec<String>, i64, i64, String) {
    let env = TestEnvironment::new();
    state::store(&env).write_or_create(|_| Ok::<_, Error>(())).unwrap();
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
                    store
                        .write_or_create(|tx| tx.add_player(&name, &address, &[1; 32], now))
                        .unwrap();
                });
            }
        });
        assert_eq!(schema(&path), expected, "round {round}");
        let players = state::store(&env).read(|db| db.players()).unwrap();
        assert_eq!(players.len(), MANY, "round {round}");
    }
}

/// Creates the database of version 12 from its dump, as `.dump` of sqlite3 writes it.
fn version_12(env: &TestEnvironment) {
    let sqlite = env.sqlite();
    sqlite.pragma_update(None, "journal_mode", "WAL").unwrap();
    // The tables of a dump are in no particular order.
    sqlite.pragma_update(None, "foreign_keys", false).unwrap();
    sqlite.execute_batch(include_str!("schema-12.sql")).unwrap();
}

/// Creates a database of version 14 from that of version 12, with settings that version 12 did not have.
fn version_14(env: &TestEnvironment) {
    version_12(env);
    let sqlite = env.sqlite();
    sqlite.execute_batch(include_str!("../../migrations/0013_time_and_mail.sql")).unwrap();
    sqlite.execute_batch(include_str!("../../migrations/0014_faults_lines_subjects.sql")).unwrap();
    let settings =
        "UPDATE player SET subject = 'turn', failed_from = 5, failed_until = 7 WHERE id = 1";
    sqlite.execute(settings, []).unwrap();
    sqlite.pragma_update(None, "user_version", 14).unwrap();
}

/// Creates a database of version 15 from that of version 14.
fn version_15(env: &TestEnvironment) {
    version_14(env);
    let sqlite = env.sqlite();
    sqlite.pragma_update(None, "foreign_keys", false).unwrap();
    sqlite.execute_batch(include_str!("../../migrations/0015_company.sql")).unwrap();
    sqlite.pragma_update(None, "user_version", 15).unwrap();
}

/// Returns the players with these columns, as texts.
fn players(env: &TestEnvironment, columns: &[String]) -> Vec<String> {
    let quoted: Vec<_> = columns.iter().map(|column| format!("quote({column})")).collect();
    let sql = format!("SELECT {} FROM player ORDER BY id", quoted.join(" || ' ' || "));
    let sqlite = env.sqlite();
    let mut select = sqlite.prepare(&sql).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Checks that a reply contains the expected one. Later versions may add keys.
fn assert_contains(reply: &Value, expected: &Value, place: &str) {
    match (reply, expected) {
        (Value::Object(reply), Value::Object(expected)) => {
            for (key, expected) in expected {
                let found = reply.get(key).unwrap_or_else(|| panic!("{place}.{key} is missing"));
                assert_contains(found, expected, &format!("{place}.{key}"));
            }
        }
        (Value::Array(reply), Value::Array(expected)) if reply.len() == expected.len() => {
            for (number, (found, expected)) in reply.iter().zip(expected).enumerate() {
                assert_contains(found, expected, &format!("{place}[{number}]"));
            }
        }
        _ => assert_eq!(reply, expected, "{place}"),
    }
}

#[test]
fn a_database_of_version_12_gets_the_schema_of_a_fresh_one() {
    let env = TestEnvironment::new();
    version_12(&env);
    drop(state::store(&env));
    assert_eq!(schema(&env.database()), undisturbed());
}

#[test]
fn the_database_of_version_12_has_rows_in_every_table() {
    let env = TestEnvironment::new();
    version_12(&env);
    let (sqlite, tables) = (env.sqlite(), "SELECT name FROM sqlite_schema WHERE type = 'table'");
    let mut tables = sqlite.prepare(tables).unwrap();
    for table in tables.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap) {
        let any = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        assert!(sqlite.query_row(&any, [], |row| row.get::<_, bool>(0)).unwrap(), "{table}");
    }
}

#[test]
fn a_database_of_version_12_gives_the_same_replies() {
    let env = TestEnvironment::new();
    version_12(&env);
    let replies: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("schema-12.json")).unwrap();
    for (command, expected) in replies {
        assert_contains(&env.json(&command), &expected, &command);
    }
    assert_eq!(state::check(&env.database()), GAMES);
}

#[test]
fn a_database_of_version_14_keeps_its_players() {
    let env = TestEnvironment::new();
    version_14(&env);
    let columns = "SELECT name FROM pragma_table_info('player')";
    let columns: Vec<String> = {
        let sqlite = env.sqlite();
        let mut select = sqlite.prepare(columns).unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let before = players(&env, &columns);
    env.ok("signup hugo --no-mail");
    let after = players(&env, &columns);
    assert_eq!(after[..before.len()], before);
    let check = "SELECT count(*) FROM pragma_foreign_key_check";
    let dangling: i64 = env.sqlite().query_row(check, [], |row| row.get(0)).unwrap();
    assert_eq!(dangling, 0);
    assert_eq!(state::check(&env.database()), GAMES);
    assert_eq!(schema(&env.database()), undisturbed());
}

#[test]
fn the_games_of_version_15_are_mailed_as_before() {
    let env = TestEnvironment::new();
    version_15(&env);
    let local = "SELECT count(*) FROM game WHERE local";
    assert_eq!(env.plies(7), 1);
    assert_eq!(env.sqlite().query_row(local, [], |row| row.get::<_, i64>(0)), Ok(0));
    env.ok("move 7 a1 --as bob");
    env.ok("move 7 b1 --as alice");
    assert!(env.last_mail_to(BOB).raw.contains("<game-7.arthsbsjd2oi@club.example>"));
    assert_eq!(state::check(&env.database()), GAMES);
    assert_eq!(schema(&env.database()), undisturbed());
}

/// The address for bob's reply to the last mail of game 7.
const REPLY_TO: &str = "outflank+aecqgbybcpje3qlkvbopq2rd@club.example";

#[test]
fn a_game_of_version_12_continues_in_its_thread() {
    let env = TestEnvironment::new();
    version_12(&env);
    assert_eq!(env.receive(&InboundMessage::new(BOB, "a1").to(REPLY_TO)), "done");
    assert_eq!(env.plies(7), 2);
    env.ok("move 7 b1 --as alice");
    let mail = env.last_mail_to(BOB);
    assert!(mail.raw.contains("<game-7.arthsbsjd2oi@club.example>"), "{mail:?}");
    assert_eq!(state::check(&env.database()), GAMES);
}

#[test]
fn numbers_of_version_12_are_not_used_again() {
    let env = TestEnvironment::new();
    version_12(&env);
    let last = "SELECT max(id) FROM outbox";
    let last = |env: &TestEnvironment| env.sqlite().query_row(last, [], |row| row.get(0)).unwrap();
    let before: i64 = last(&env);
    // The records of the last mails are deleted.
    env.sqlite().execute("DELETE FROM outbox WHERE id > 30", []).unwrap();
    env.ok("new mini alice bob");
    assert_eq!(last(&env), before + 2);
    assert_eq!(env.game(9)["game"], 9);
}

#[test]
fn held_commands_of_version_15_become_rows() {
    let env = TestEnvironment::new();
    version_15(&env);
    let commands = "set address a@b.example\t0\tyour mail goes there\nleave\t0\tresigns\n\
                    challenge Cleaver othello\nmove 1 d3#1\naccept 9\tchallenge\tthe challenge by bob";
    let insert = "INSERT INTO held (id, player, address, commands, created_at)
                  VALUES (9, 2, 'alice@example.org', ?1, 1795213800)";
    env.sqlite().execute(insert, [commands]).unwrap();
    env.ok("signup hugo --no-mail");
    let sqlite = env.sqlite();
    let mut select = sqlite
        .prepare(
            "SELECT concat_ws('|', kind, words, events, sentence) FROM held_command
             WHERE held = 9 ORDER BY id",
        )
        .unwrap();
    let lines: Vec<String> =
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(
        lines,
        [
            "address|set address a@b.example|0|your mail goes there",
            "leave|leave|0|resigns",
            "other|challenge Cleaver othello",
            "other|move 1 d3#1",
            "other|accept 9|the challenge by bob",
        ]
    );
}

/// Makes the database one of version 30.
fn version_30(env: &TestEnvironment) {
    let older = "ALTER TABLE analysis_ply DROP COLUMN decided; PRAGMA user_version = 30";
    env.sqlite().execute_batch(older).unwrap();
}

#[test]
fn an_analysis_of_version_30_keeps_its_proofs() {
    let env = TestEnvironment::new().with_game();
    env.ok("resign 1 --as alice");
    let analysis = env.json("analyze 1");
    version_30(&env);
    assert_eq!(env.json("analyze 1"), analysis);
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

/// Makes the database one of version 29.
fn version_29(env: &TestEnvironment) {
    version_30(env);
    env.sqlite().execute_batch("DROP TABLE attachment; PRAGMA user_version = 29").unwrap();
}

#[test]
fn a_club_of_version_29_mails_files() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    version_29(&env);
    env.receive(&turn.reply("export 1 --format moves"));
    env.mail_to(BOB).says("1 game is attached as game-1.moves.");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

/// Makes the database one of version 28.
fn version_28(env: &TestEnvironment) {
    version_29(env);
    let older = "DROP TABLE signed_game; DROP TABLE club_key; PRAGMA user_version = 28";
    env.sqlite().execute_batch(older).unwrap();
}

#[test]
fn a_club_of_version_28_signs_its_games() {
    let env = TestEnvironment::new().with_game();
    env.ok("resign 1 --as alice");
    version_28(&env);
    std::fs::write(env.path("game.txt"), env.ok("history 1 --portable")).unwrap();
    assert!(env.ok("import --mail game.txt").ends_with("is game 2 now: signed by Outflank.\n"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

/// Makes the database one of version 27.
fn version_27(env: &TestEnvironment) {
    version_28(env);
    let older = "DROP INDEX game_digest; DROP INDEX game_imported; DROP INDEX game_finished;
        ALTER TABLE game DROP COLUMN digest; PRAGMA user_version = 27;
        CREATE INDEX game_finished ON game (since, id) WHERE turn IS NULL";
    env.sqlite().execute_batch(older).unwrap();
}

#[test]
fn games_of_version_27_are_not_imported() {
    let env = TestEnvironment::new().with_game();
    env.ok("resign 1 --as alice");
    version_27(&env);
    assert_eq!(env.json("games --finished")["games"][0]["game"], 1);
    assert_eq!(env.ok("games --imported"), "No imported games.\n");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

/// Makes the database one of version 25.
fn version_25(env: &TestEnvironment) {
    version_27(env);
    let older = "DROP TABLE replica; DROP TABLE handover; PRAGMA user_version = 25";
    env.sqlite().execute_batch(older).unwrap();
}

#[test]
fn a_club_of_version_25_can_get_a_replica() {
    let env = TestEnvironment::new().config("[host]\nreplica = '/etc/litestream.yml'").with_game();
    version_25(&env);
    env.ok("send");
    let replica: String =
        env.sqlite().query_row("SELECT settings FROM replica", [], |row| row.get(0)).unwrap();
    assert_eq!(replica, "/etc/litestream.yml");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

/// Makes the database one of version 24.
fn version_24(env: &TestEnvironment) {
    version_25(env);
    let older = "DROP INDEX player_letter; DROP INDEX player_created;
        ALTER TABLE player DROP COLUMN letter; ALTER TABLE player DROP COLUMN named;
        ALTER TABLE player DROP COLUMN letter_at; PRAGMA user_version = 24";
    env.sqlite().execute_batch(older).unwrap();
}

#[test]
fn players_of_version_24_are_named_and_get_no_letters() {
    let env = TestEnvironment::new().with_game();
    version_24(&env);
    env.ok("signup hugo --no-mail");
    let settings = &env.json("set --as alice")["settings"];
    assert_eq!((&settings["letter"], &settings["named"]), (&"off".into(), &"on".into()));
}

/// Makes the database one of version 23.
fn version_23(env: &TestEnvironment) {
    version_24(env);
    let columns = ["rounds", "division_size", "moved", "season", "began_at"];
    let columns = columns.map(|it| format!("ALTER TABLE tournament DROP COLUMN {it};")).concat();
    let older = format!(
        "CREATE TABLE old_entrant (tournament INTEGER NOT NULL REFERENCES tournament,
            player INTEGER NOT NULL REFERENCES player, joined_at INTEGER NOT NULL, number INTEGER,
            withdrawn INTEGER, PRIMARY KEY (tournament, player)) STRICT, WITHOUT ROWID;
         INSERT INTO old_entrant SELECT tournament, player, joined_at, number, withdrawn FROM entrant
            WHERE season = 1;
         CREATE TABLE old_pairing (tournament INTEGER NOT NULL REFERENCES tournament,
            number INTEGER NOT NULL, round INTEGER NOT NULL, black INTEGER NOT NULL REFERENCES player,
            white INTEGER NOT NULL REFERENCES player, game INTEGER UNIQUE REFERENCES game,
            PRIMARY KEY (tournament, number), CHECK (black <> white)) STRICT, WITHOUT ROWID;
         INSERT INTO old_pairing SELECT tournament, number, round, black, white, game FROM pairing;
         DROP TABLE entrant; DROP TABLE pairing; ALTER TABLE old_entrant RENAME TO entrant;
         ALTER TABLE old_pairing RENAME TO pairing; CREATE INDEX entrant_player ON entrant (player);
         {columns} PRAGMA user_version = 23"
    );
    env.sqlite().execute_batch(&older).unwrap();
}

#[test]
fn a_tournament_of_version_23_goes_on() {
    let env = TestEnvironment::new();
    for name in ["alice", "bob", "carol"] {
        env.ok(&format!("signup {name} {name}@example.org"));
    }
    for tournament in ["cup", "open"] {
        env.ok(&format!("tournament new {tournament} mini"));
        for name in ["alice", "bob", "carol"] {
            env.ok(&format!("join {tournament} --as {name}"));
        }
    }
    env.ok("tournament start cup");
    env.ok("send");
    let running = env.json("tournament cup");
    version_23(&env);
    assert_eq!(env.json("tournament cup"), running);
    assert_eq!(env.json("tournament open")["players"][2]["player"], "carol");
    env.ok("tournament start open");
    env.ok("withdraw cup --as bob");
    env.ok("send");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

/// Makes the database one of version 21.
fn version_21(env: &TestEnvironment) {
    version_23(env);
    let older = "DROP TABLE pairing; DROP TABLE entrant; DROP TABLE tournament;
        DROP INDEX game_opening; ALTER TABLE game DROP COLUMN opening;
        ALTER TABLE challenge DROP COLUMN opening; PRAGMA user_version = 21";
    env.sqlite().execute_batch(older).unwrap();
}

#[test]
fn a_challenge_of_version_21_begins_from_the_start() {
    let env = TestEnvironment::new().with_game();
    env.ok("challenge bob --as alice");
    version_21(&env);
    env.ok("accept 2 --as bob");
    assert_eq!((env.plies(1), env.plies(2)), (0, 0));
    assert!(env.ok("verify").contains("Nothing is wrong"));
    env.ok("challenge bob --opening balanced --as alice");
    env.ok("accept 3 --as bob");
    assert_eq!(env.plies(3), 8);
}

#[test]
fn players_of_version_20_are_reminded() {
    let env = TestEnvironment::new().with_game();
    version_21(&env);
    let older = "ALTER TABLE player DROP COLUMN reminders; PRAGMA user_version = 20";
    env.sqlite().execute_batch(older).unwrap();
    env.ok("signup hugo --no-mail");
    assert!(env.ok("set --as alice").contains("\nreminders: on\n"));
}
