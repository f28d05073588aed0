//! Imports that are killed.

use std::fmt::Write;
use std::fs;

use crate::harness::{Running, TestEnvironment, until};

const GAMES: usize = 400;
const KILLS: usize = 6;

#[test]
fn a_killed_import_leaves_whole_games_and_goes_on() {
    let env = TestEnvironment::new();
    let mut text = String::new();
    for number in 0..GAMES {
        let tags = format!("[Black \"Black {number}\"]\n[White \"White\"]\n");
        writeln!(text, "{tags}1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5 13-0").unwrap();
    }
    fs::write(env.path("games.pgn"), text).unwrap();
    let import = format!("import {} --format pgn", env.path("games.pgn").display());
    let stored = || -> usize {
        if !env.database().exists() {
            return 0;
        }
        env.sqlite().query_row("SELECT count(*) FROM game", [], |row| row.get(0)).unwrap()
    };
    for kill in 1..=KILLS {
        let mut running = Running::start(env.command(&import));
        until("games are stored", || stored() >= kill * GAMES / 10 || running.has_ended());
        running.kill();
        assert!(env.ok("verify").starts_with("Nothing is wrong: "));
    }
    let before = stored();
    let done = env.json(&format!("{import} --json"));
    let count = |key: &str| usize::try_from(done[key].as_u64().unwrap()).unwrap();
    assert_eq!((count("known"), count("imported")), (before, GAMES - before));
    let games = env.json("games --imported");
    assert_eq!(games["games"].as_array().unwrap().len(), GAMES);
    assert!(games["games"].as_array().unwrap().iter().all(|game| game["ply"] == 9));
    assert!(env.ok("verify").starts_with("Nothing is wrong: "));
}
