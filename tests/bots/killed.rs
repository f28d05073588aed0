//! Processes that are killed while computer players play.

use std::thread;
use std::time::Duration;

use super::jobs;
use crate::harness::{Running, TestEnvironment};
use crate::reliability::state;

const KILLS: usize = 200;

#[test]
fn killed_processes_lose_and_double_no_move() {
    let env = TestEnvironment::new();
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut span, mut kills, mut games) = (Duration::from_millis(20), 0, 0);
    let mut round = 0;
    while kills < KILLS {
        round += 1;
        assert!(round < 10 * KILLS, "killed {kills} times only");
        if round == 1 || jobs(&env).len() < 4 {
            let (black, white) = (rng.u8(0..3), rng.u8(0..3));
            let size = rng.choice(["4x4", "4x5", "6x6"]).unwrap();
            env.ok(&format!("new othello bot:{black} bot:{white} --size {size}"));
            games += 1;
        }
        let running = Running::start(env.command("send"));
        thread::sleep(span.mul_f64(rng.f64()));
        let ran = running.kill();
        kills += usize::from(ran.status.is_none());
        span = span.mul_f64(if ran.status.is_none() { 1.02 } else { 0.9 });
        // The lease of the process ends after some rounds.
        env.later_seconds(50);
    }
    env.later(10);
    env.ok("send");
    assert_eq!(jobs(&env), [""; 0]);
    assert_eq!(state::check(&env.database()), games);
    for game in 1..=games as i64 {
        // A move that was made twice would be illegal, and one that is missing leaves it active.
        assert_eq!(env.game(game)["status"], "finished", "game {game}");
    }
}
