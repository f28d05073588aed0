//! A database with a replica, which Litestream makes.

use std::fs;

use rusqlite::Connection;

use crate::harness::{ALICE, BOB, Purpose, Server, TestEnvironment};

/// The log above which a commit without a replica empties it, in bytes.
const MAX_BYTES: u64 = 100 * (4096 + 24);

/// Returns a club whose database knows that it has a replica.
fn replicated() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.configure("[host]\nreplica = \"litestream.yml\"");
    env.ok(&format!("signup alice {ALICE}"));
    env.ok(&format!("signup bob {BOB}"));
    env.ok("send");
    let settings = env.config_file().with_file_name("litestream.yml");
    assert_eq!(replica(&env).as_deref(), settings.to_str());
    env
}

/// Returns what the database knows of its replica.
fn replica(env: &TestEnvironment) -> Option<String> {
    env.sqlite().query_row("SELECT max(settings) FROM replica", [], |row| row.get(0)).unwrap()
}

fn log_length(env: &TestEnvironment) -> u64 {
    fs::metadata(env.path("outflank.db-wal")).map_or(0, |file| file.len())
}

/// Makes the log longer by this many megabytes. The connection is kept: its end would empty the log.
fn write_megabytes(env: &TestEnvironment, megabytes: u64) -> Connection {
    let sqlite = env.sqlite();
    sqlite.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    let big =
        format!("CREATE TABLE big AS SELECT zeroblob({megabytes}000000) AS bytes; DROP TABLE big");
    sqlite.execute_batch(&big).unwrap();
    sqlite
}

#[test]
fn checkpoints_are_left_to_litestream() {
    let env = replicated();
    let _connection = write_megabytes(&env, 2);
    let before = log_length(&env);
    // Neither a commit of a process without a configuration nor `send` empties the log.
    env.ok("send");
    fs::remove_file(env.config_file()).unwrap();
    env.ok("new othello alice bob --moves f5");
    assert!(log_length(&env) > before && before > 4 * MAX_BYTES, "{before}");
}

#[test]
fn a_log_that_litestream_leaves_is_emptied_by_send() {
    let env = replicated();
    let _connection = write_megabytes(&env, 65);
    env.ok("send");
    assert_eq!(log_length(&env), 0);
}

#[test]
fn a_configuration_without_a_replica_ends_it() {
    let env = replicated();
    env.configure("");
    env.ok("send");
    assert_eq!(replica(&env), None);
    env.ok("new othello alice bob --moves f5");
    env.ok("send");
    assert_eq!(log_length(&env), 0);
}

#[test]
fn the_pages_of_a_copy_are_public_and_only_read() {
    let env = TestEnvironment::new().with_game();
    env.configure("[web]\nurl = 'https://club.example'\npublic = true");
    env.ok("backup copy.db");
    let token = env.token(Purpose::Page, "alice", 1, 0);
    let before = fs::read(env.path("copy.db")).unwrap();
    let server = Server::start_as(&env, "--db copy.db web --read-only --listen 127.0.0.1:0");
    assert!(server.page("/game/1").contains("alice"));
    let page = server.page(&format!("/play/{token}"));
    assert!(
        page.starts_with("HTTP/1.1 404 ") && page.contains("Open your link at the club"),
        "{page}"
    );
    drop(server);
    assert!(fs::read(env.path("copy.db")).unwrap() == before);
    env.configure("");
    let refused = env.fails(1, "--db copy.db web --read-only --listen 127.0.0.1:0");
    assert!(refused.contains("which are off; set public = true in [web]"), "{refused}");
}
