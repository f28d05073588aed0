//! A command stores one time, though the clock runs while it works.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use outflank::app::{Actor, App, FrontEnd, Line, PlayerCommand, Rng, Session, load_config};
use outflank::clock::Clock;
use outflank::command::PlayerRef;

use crate::harness::{ALICE, BOB, CAROL, TestEnvironment};

/// A clock that is a second later at each reading.
struct Running(Arc<AtomicI64>);

impl Clock for Running {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0.fetch_add(1, Ordering::Relaxed) + 1, 0).unwrap()
    }
}

/// Returns the times in the tables after this one.
fn times(env: &TestEnvironment, after: i64) -> Vec<i64> {
    let sqlite = env.sqlite();
    let sql = "SELECT DISTINCT at FROM (
            SELECT at FROM event UNION ALL SELECT turn_starts_at FROM event
            UNION ALL SELECT created_at FROM game UNION ALL SELECT since FROM game
            UNION ALL SELECT turn_starts_at FROM game
            UNION ALL SELECT created_at FROM challenge UNION ALL SELECT closed_at FROM challenge
            UNION ALL SELECT said_at FROM comment UNION ALL SELECT created_at FROM outbox
            UNION ALL SELECT queued_at FROM job UNION ALL SELECT created_at FROM held)
        WHERE at > ?1";
    let mut select = sqlite.prepare(sql).unwrap();
    select.query_map([after], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// The commands that store something, each with its author.
const LINES: [(&str, &str); 33] = [
    ("alice", "move 1 f5"),
    ("bob", "say 1 hello"),
    ("bob", "move 1 d6"),
    ("bob", "note 1 A word"),
    ("bob", "takeback 1"),
    ("alice", "accept 1"),
    ("bob", "move 1 f6"),
    ("bob", "plan 1 e6 f4"),
    ("alice", "move 1 e6"),
    ("alice", "draw 1"),
    ("bob", "decline 1"),
    ("bob", "pause 1"),
    ("alice", "accept 1"),
    ("alice", "unpause 1"),
    ("carol", "watch 1"),
    ("bob", "away 2026-12-01 2026-12-03"),
    ("bob", "mute 1"),
    ("bob", "unmute 1"),
    ("bob", "block alice"),
    ("bob", "unblock alice"),
    ("alice", "resign 1"),
    ("alice", "rematch 1"),
    ("bob", "accept 1"),
    ("alice", "abort 2"),
    ("alice", "analyze 1"),
    ("carol", "challenge bob --clock 2d"),
    ("bob", "say 3 Why not?"),
    ("bob", "accept 3"),
    ("bob", "challenge anyone"),
    ("bob", "decline 4"),
    ("bob", "set quiet 22:00-07:00"),
    ("carol", "set address new@example.org"),
    ("bob", "leave --yes"),
];

#[test]
fn a_command_stores_one_time() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 30d"));
    env.ok(&format!("signup carol {CAROL}"));
    for player in ["alice", "bob"] {
        env.ok(&format!("--as {player} set watchers all"));
    }
    let time = Arc::new(AtomicI64::new(env.now().timestamp() + 60));
    for (number, (player, line)) in (0..).zip(LINES) {
        let mut open = || {
            let config = load_config(Some(&env.config_file())).unwrap();
            let clock = Box::new(Running(Arc::clone(&time)));
            App::open(&env.database(), false, config, clock, Rng::seeded(number))
        };
        let Line::Command(command) = Line::parse(line, None) else { panic!("{line}") };
        let command: PlayerCommand = *command;
        let actor = Actor::Player(PlayerRef::Name(player.to_owned()));
        let before = time.load(Ordering::Relaxed);
        let done = command.run(&mut Session::new(actor, FrontEnd::none(), &mut open));
        done.unwrap_or_else(|error| panic!("{player}: {line}: {error}"));
        let stored = times(&env, before);
        assert!(stored.len() <= 1, "{player}: {line} at {before}: {stored:?}");
    }
    let run = env.run("verify");
    assert!(run.stdout.starts_with("Nothing is wrong"), "{run:?}");
}
