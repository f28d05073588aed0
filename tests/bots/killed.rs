//! Processes killed while computer players play.

use std::thread;
use std::time::Duration;

use super::{events, jobs};
use crate::harness::{ALICE, Running, TestEnvironment};
use crate::reliability::state;

const KILLS: usize = 200;
/// The number of alice's games against a computer player. They come first.
const OWN_GAMES: i64 = 6;

/// Returns a move command of alice, if it is her turn in one of her games.
fn own_move(env: &TestEnvironment) -> Option<String> {
    let waiting = env.json("games alice --next")["games"][0]["game"].as_i64()?;
    let game = env.game(waiting);
    if game["turn"].as_str() != Some(if waiting % 2 == 0 { "white" } else { "black" }) {
        return None;
    }
    Some(format!("--as alice move {waiting} {}", game["legal"][0].as_str()?))
}

#[test]
fn killed_processes_lose_and_double_no_move() {
    let env = TestEnvironment::new();
    let mut rng = fastrand::Rng::with_seed(11);
    env.ok(&format!("signup alice {ALICE}"));
    for game in 1..=OWN_GAMES {
        let players = if game % 2 == 0 { "bot:1 alice" } else { "alice bot:1" };
        env.ok(&format!("new othello {players}"));
    }
    let (mut span, mut kills, mut games) = (Duration::from_millis(20), 0, OWN_GAMES);
    let mut reported = 0;
    for round in 0.. {
        if kills == KILLS {
            break;
        }
        assert!(round < 10 * KILLS, "only {kills} kills");
        if jobs(&env).len() < 4 {
            let (black, white) = (rng.u8(0..3), rng.u8(0..3));
            let size = rng.choice(["4x4", "4x5", "6x6"]).unwrap();
            env.ok(&format!("new othello bot:{black} bot:{white} --size {size}"));
            games += 1;
        }
        let own = if round % 2 == 0 { own_move(&env) } else { None };
        let running = Running::start(env.command(own.as_deref().unwrap_or("send")));
        thread::sleep(span.mul_f64(rng.f64()));
        let ran = running.kill();
        kills += usize::from(ran.status.is_none());
        reported += usize::from(own.is_some() && ran.stdout.contains("Last move"));
        span = span.mul_f64(if ran.status.is_none() { 1.02 } else { 0.9 });
        // The lease of the process ends after some rounds.
        env.later_seconds(50);
    }
    env.later(10);
    env.ok("send");
    assert_eq!(jobs(&env), [""; 0]);
    assert_eq!(state::check(&env.database()) as i64, games);
    for game in OWN_GAMES + 1..=games {
        // A repeated move would be illegal, and a lost one would leave the game active.
        assert_eq!(env.game(game)["status"], "finished", "game {game}");
    }
    let mut own_moves = 0;
    for game in 1..=OWN_GAMES {
        let alice = if game % 2 == 0 { "w " } else { "b " };
        let moves = events(&env, game);
        own_moves += moves.iter().filter(|made| made.starts_with(alice)).count();
        let passes = moves.iter().filter(|made| made.ends_with("auto-pass")).count();
        let is_over = env.game(game)["status"] == "finished";
        assert!(is_over || !moves.last().is_some_and(|last| last.starts_with(alice)) || passes > 0);
    }
    assert!(own_moves >= reported, "{own_moves} moves, and {reported} were reported");
    // Each turn was mailed once.
    let twice = "SELECT count(*) FROM (SELECT 1 FROM outbox WHERE kind IN ('turn', 'over')
                 GROUP BY game, events, kind HAVING count(*) > 1)";
    assert_eq!(env.sqlite().query_row(twice, [], |row| row.get::<_, i64>(0)), Ok(0));
}
