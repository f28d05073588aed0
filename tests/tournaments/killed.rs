//! Processes that are killed while a tournament goes on.

use std::thread;
use std::time::{Duration, Instant};

use super::{club, join, model, play_on};
use crate::harness::Running;

#[test]
fn killed_processes_lose_and_double_nothing() {
    let env = club();
    env.ok("tournament new cup mini --double");
    join(&env, &["alice", "bob", "carol", "dave"], "cup");
    env.ok("tournament start cup");
    let mut rng = fastrand::Rng::with_seed(3);
    let begin = Instant::now();
    env.ok("games");
    let mut span = 4 * begin.elapsed();
    let (mut killed, mut done) = (0, 0);
    let count = |sql: &str| -> i64 { env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap() };
    for round in 0..200 {
        let words = match count("SELECT count(*) FROM game WHERE turn IS NOT NULL") {
            0 => "send".to_owned(),
            _ if round % 3 == 0 => "send".to_owned(),
            _ => {
                let sql = "SELECT id FROM game WHERE turn IS NOT NULL ORDER BY id LIMIT 1";
                let game = count(sql);
                format!("resign {game} --as {}", name(&env.sqlite(), game))
            }
        };
        let running = Running::start(env.command(&words));
        thread::sleep(span.mul_f64(rng.f64()));
        let ran = running.kill();
        assert!(matches!(ran.status, None | Some(0)), "{words}: {ran:?}");
        (killed, done) =
            (killed + u32::from(ran.status.is_none()), done + u32::from(ran.status.is_some()));
        span =
            span.mul_f64(if ran.status.is_some() { 0.8 } else { 1.25 }).min(Duration::from_secs(2));
        let games = count("SELECT count(*) FROM game");
        assert_eq!(games, count("SELECT count(DISTINCT game) FROM pairing"), "round {round}");
        if count("SELECT count(*) FROM game WHERE turn IS NULL") == 12 {
            break;
        }
    }
    for game in 1..=12 {
        env.ok("send");
        play_on(&env, game);
    }
    env.ok("send");
    assert_eq!(env.json("tournament cup")["state"], "finished");
    assert!(killed > 3 && done > 3, "{killed} {done}");
    let ended = "SELECT count(*) FROM outbox WHERE text LIKE 'The tournament cup is over.%'";
    assert_eq!(count(ended), 4);
    model::check(&env.sqlite(), &env.json("tournament cup"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

/// Returns the name of the player to move.
fn name(sqlite: &rusqlite::Connection, game: i64) -> String {
    let sql = "SELECT name FROM game JOIN player ON player.id = to_move WHERE game.id = ?1";
    sqlite.query_row(sql, [game], |row| row.get(0)).unwrap()
}
