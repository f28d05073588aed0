//! Housekeeping in killed processes.

use std::thread;
use std::time::Duration;

use super::{DAY, HOUR, events, timed};
use crate::harness::{Running, TestEnvironment, until};
use crate::reliability::state;

const GAMES: i64 = 60;

/// Runs `send` again and again, and kills each process at a random moment.
fn send_and_kill(env: &TestEnvironment, rng: &mut fastrand::Rng) {
    for _ in 0..15 {
        let running = Running::start(env.command("send"));
        thread::sleep(Duration::from_micros(rng.u64(0..40_000)));
        running.kill();
    }
    // By then the claims of the killed processes have ended.
    env.later(HOUR);
    env.ok("send");
}

#[test]
fn killed_housekeeping_does_everything_once() {
    let env = timed("--clock 5d");
    let mut rng = fastrand::Rng::with_seed(7);
    for game in 2..=GAMES {
        let players = if game % 2 == 0 { "alice bob" } else { "bob alice" };
        env.ok(&format!("new mini {players} --clock 5d"));
    }
    env.later(4 * DAY);
    send_and_kill(&env, &mut rng);
    let count = |sql: &str| env.sqlite().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM reminder WHERE stage = 1"), GAMES);
    assert_eq!(count("SELECT count(*) FROM reminder WHERE delivered_at IS NULL"), 0);
    env.later(20 * HOUR);
    send_and_kill(&env, &mut rng);
    assert_eq!(count("SELECT count(*) FROM reminder WHERE stage = 2"), GAMES);
    env.later(DAY);
    send_and_kill(&env, &mut rng);
    for game in 1..=GAMES {
        assert_eq!(events(&env, game).len(), 1, "{game}: {:?}", events(&env, game));
    }
    assert_eq!(count("SELECT count(*) FROM outbox WHERE kind = 'flagged'"), 2 * GAMES);
    assert_eq!(
        count("SELECT count(*) FROM outbox WHERE kind = 'flagged' AND state = 'sent'"),
        2 * GAMES
    );
    assert_eq!(count("SELECT count(*) FROM game WHERE alarm_at IS NOT NULL"), 0);
    state::check(&env.database());
}

#[test]
fn a_watch_runs_the_next_alarm() {
    let env = TestEnvironment::new().with_ticking_clock();
    env.later_seconds(-57);
    env.ok("new othello alice@example.org bob@example.org --clock 1m");
    env.later_seconds(57);
    let service = env.start("send --watch");
    until("a flag", || env.count("bob flagged sent") == 1);
    service.stop("TERM").ok();
    assert_eq!(events(&env, 1).len(), 1);
}
