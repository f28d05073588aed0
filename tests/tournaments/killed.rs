//! Processes that are killed while tournaments of all formats go on.

use std::thread;
use std::time::{Duration, Instant};

use super::{club, join, model};
use crate::harness::Running;

/// The games of the three tournaments.
const GAMES: i64 = 50;

#[test]
fn killed_processes_lose_and_double_nothing() {
    let env = club();
    for name in ["eve", "finn", "gus"] {
        env.ok(&format!("signup {name} {name}@example.org"));
    }
    let players = ["alice", "bob", "carol", "dave", "eve", "finn", "gus"];
    for (name, options, players) in [
        ("cup", "--double", &players[..5]),
        ("swiss", "--format swiss --rounds 3", &players[..6]),
        ("club", "--format league", &players),
    ] {
        env.ok(&format!("tournament new {name} mini {options}"));
        join(&env, players, name);
        env.ok(&format!("tournament start {name}"));
    }
    let mut rng = fastrand::Rng::with_seed(3);
    let begin = Instant::now();
    env.ok("games");
    // How long `send`, and how long a resignation may take.
    let mut spans = [4 * begin.elapsed(); 2];
    let (mut killed, mut done) = (0, 0);
    let count = |sql: &str| -> i64 { env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap() };
    let next = || {
        let sqlite = env.sqlite();
        let sql = "SELECT game.id, name FROM game JOIN player ON player.id = to_move
             WHERE turn IS NOT NULL ORDER BY game.id LIMIT 1";
        let game = sqlite.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
        game.ok().map(|(game, name): (i64, String)| format!("resign {game} --as {name}"))
    };
    for round in 0..400 {
        let resignation = next().filter(|_| round % 3 > 0);
        let span = &mut spans[usize::from(resignation.is_some())];
        let words = resignation.unwrap_or_else(|| "send".to_owned());
        let running = Running::start(env.command(&words));
        thread::sleep(span.mul_f64(rng.f64()));
        let ran = running.kill();
        assert!(matches!(ran.status, None | Some(0)), "{words}: {ran:?}");
        let is_done = ran.status.is_some();
        (killed, done) = (killed + i32::from(!is_done), done + i32::from(is_done));
        *span = span.mul_f64(if is_done { 0.8 } else { 1.25 }).min(Duration::from_secs(2));
        let games = count("SELECT count(*) FROM game");
        assert_eq!(games, count("SELECT count(DISTINCT game) FROM pairing"), "round {round}");
        if count("SELECT count(*) FROM game WHERE turn IS NULL") == GAMES {
            break;
        }
    }
    // What is left is done undisturbed.
    env.ok("send");
    while let Some(words) = next() {
        env.ok(&words);
        env.ok("send");
    }
    assert_eq!(count("SELECT count(*) FROM game WHERE turn IS NULL"), GAMES);
    assert!(killed > 20 && done > 20, "{killed} {done}");
    for (tournament, state, over, players) in [
        ("cup", "finished", "The tournament cup is over.", 5),
        ("swiss", "finished", "The tournament swiss is over.", 6),
        ("club", "open", "Season 1 of the league club is over.", 7),
    ] {
        let shown = env.json(&format!("tournament {tournament}"));
        assert_eq!(shown["state"], state);
        model::check(&env.sqlite(), &shown);
        let mails = format!("SELECT count(*) FROM outbox WHERE text LIKE '{over}%'");
        assert_eq!(count(&mails), players, "{tournament}");
    }
    assert_eq!(count("SELECT count(*) FROM outbox WHERE text LIKE 'Round _ of the%'"), 2 * 6);

    // The next season begins once, however often `send` is killed meanwhile.
    env.later(8 * 24 * 60);
    for _ in 0..20 {
        let running = Running::start(env.command("send"));
        thread::sleep(spans[0].mul_f64(rng.f64()));
        running.kill();
        let pairings = count("SELECT count(*) FROM pairing WHERE season = 2");
        assert!([0, 21].contains(&pairings), "{pairings}");
    }
    env.ok("send");
    assert_eq!(count("SELECT count(*) FROM game") - GAMES, 14, "four at once for seven players");
    let mails =
        "SELECT count(*) FROM outbox WHERE text LIKE 'Season 2 of the league club has started.%'";
    assert_eq!(count(mails), 7);
    assert!(env.ok("verify").contains("Nothing is wrong"));
}
