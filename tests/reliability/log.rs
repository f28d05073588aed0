//! The write-ahead log: it stays short, and `send` empties it.

use std::fs;

use crate::harness::{ALICE, BOB, TestEnvironment};

/// The limit of the log in bytes: 100 pages with their headers, and the pages of one command.
const MAX_BYTES: u64 = 150 * (4096 + 24);

fn length(env: &TestEnvironment) -> u64 {
    fs::metadata(env.path("outflank.db-wal")).map_or(0, |file| file.len())
}

#[test]
fn the_log_stays_short_without_send() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    let mut longest = 0;
    for _ in 0..30 {
        env.ok(&format!("move 1 {}", env.legal(1)));
        longest = longest.max(length(&env));
    }
    assert!((1..MAX_BYTES).contains(&longest), "{longest}");
}

#[test]
fn the_log_stays_short_when_each_process_commits_once() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    env.ok("tournament new cup othello");
    let mut longest = 0;
    for _ in 0..40 {
        env.ok("join cup --as alice");
        env.ok("withdraw cup --as alice");
        longest = longest.max(length(&env));
    }
    assert!((1..MAX_BYTES).contains(&longest), "{longest}");
}

#[test]
fn send_empties_the_log() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --moves f5"));
    assert_ne!(length(&env), 0);
    env.ok("send");
    assert_eq!(length(&env), 0);
}

#[test]
fn send_does_not_empty_a_log_in_use() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --moves f5"));
    let other = env.sqlite();
    other.execute_batch("BEGIN; SELECT count(*) FROM game").unwrap();
    env.ok("move 1 d6");
    env.ok("send");
    assert_ne!(length(&env), 0);
    assert_eq!(env.plies(1), 2);
}
