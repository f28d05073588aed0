//! Conflicting commands at the same moment.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;

use super::state;
use crate::harness::{ALICE, BOB, TestEnvironment, until};

/// Runs commands at once. Checks that one succeeds and the others are refused; returns its index.
fn one_wins(env: &TestEnvironment, all: &[String]) -> usize {
    let ran = env.run_at_once(all);
    let won: Vec<_> = (0..all.len()).filter(|&n| ran[n].status == Some(0)).collect();
    assert_eq!(won.len(), 1, "{ran:?}");
    let lost = ran.iter().filter(|ran| ran.status != Some(0));
    lost.for_each(|ran| drop(ran.failed(1).to_owned()));
    won[0]
}

/// Returns the plies of all turn mails in the outbox.
fn mails_of_turns(env: &TestEnvironment) -> Vec<i64> {
    let sqlite = env.sqlite();
    let mut plies =
        sqlite.prepare("SELECT ply FROM outbox WHERE kind = 'turn' ORDER BY ply").unwrap();
    plies.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Runs `many` processes at once that make the same move, for several rounds. `command` returns a
/// command from a move, its ply and the player to move.
fn race(many: usize, rounds: usize, command: impl Fn(&str, usize, &str) -> String) {
    let mut env = TestEnvironment::new().with_game();
    let mut made = Vec::new();
    for _ in 0..rounds {
        let mut game = env.game(1);
        if game["status"] != "active" {
            env = TestEnvironment::new().with_game();
            made.clear();
            game = env.game(1);
        }
        let turn = game["turn"].as_str().unwrap();
        let player = game[turn]["player"].as_str().unwrap();
        let legal: Vec<_> =
            game["legal"].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
        let all: Vec<_> =
            (0..many).map(|n| command(legal[n % legal.len()], made.len() + 1, player)).collect();
        let won = one_wins(&env, &all);

        made.push(legal[won % legal.len()].to_owned());
        assert_eq!(env.moves(1), made);
        assert_eq!(mails_of_turns(&env), (1..=made.len() as i64).collect::<Vec<_>>());
    }
    assert_eq!(state::check(&env.database()), 1);
}

// No player must pass in the first moves of a game.
const ROUNDS: usize = 7;

#[test]
fn writers_queue_and_readers_do_not() {
    let env = TestEnvironment::new().with_game();
    let turn = fs::File::options().write(true).open(env.path("outflank.db-lock")).unwrap();
    turn.lock().unwrap();
    env.ok("show 1");
    let moving = env.start("move 1 f5");
    let waits = format!(":{} ", turn.metadata().unwrap().ino());
    until("the move waits for its turn", || {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(|lock| lock.contains("-> FLOCK") && lock.contains(&waits))
    });
    assert_eq!(env.plies(1), 0);
    drop(turn);
    moving.finish().ok();
    assert_eq!(env.plies(1), 1);
}

#[test]
fn simultaneous_moves_of_one_player_are_made_once() {
    for (many, times) in [(2, 3), (8, 1)] {
        for _ in 0..times {
            race(many, ROUNDS, |cell, _, player| format!("move 1 {cell} --as {player}"));
        }
    }
}

#[test]
fn simultaneous_moves_at_one_ply_are_made_once() {
    for (many, times) in [(2, 3), (8, 1)] {
        for _ in 0..times {
            race(many, ROUNDS, |cell, ply, _| format!("move 1 {cell}#{ply}"));
        }
    }
}

#[test]
fn simultaneous_resignations_count_once() {
    for _ in 0..5 {
        let env = TestEnvironment::new().with_game();
        let won = one_wins(&env, &["alice", "bob"].map(|name| format!("resign 1 --as {name}")));
        let winner = ["white", "black"][won];
        assert_eq!(env.game(1)["result"]["winner"], winner);
        let overs: i64 = env
            .sqlite()
            .query_row("SELECT count(*) FROM outbox WHERE kind = 'over'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(overs, 2);
    }
}

#[test]
fn simultaneous_signups_get_a_name_once() {
    for _ in 0..5 {
        let env = TestEnvironment::new();
        let all: Vec<_> = (0..8).map(|n| format!("signup Carol carol{n}@example.org")).collect();
        one_wins(&env, &all);
    }
}

#[test]
fn simultaneous_new_games_share_their_new_players() {
    let env = TestEnvironment::new();
    let all = vec![format!("new mini {ALICE} {BOB}"); 8];
    let ran = env.run_at_once(&all);
    assert!(ran.iter().all(|ran| ran.status == Some(0)), "{ran:?}");
    assert_eq!(state::check(&env.database()), 8);
    assert_eq!(state::store(&env).read(|db| db.players()).unwrap().len(), 2);
    // Each of the processes has delivered its own mails or another's.
    env.ok("send");
    let to: Vec<_> = env.all_mails().into_values().map(|mail| mail.to).collect();
    assert_eq!(to.len(), 16);
    assert_eq!(to.into_iter().collect::<BTreeSet<_>>().len(), 2);
}

#[test]
fn simultaneous_senders_send_each_mail_once() {
    let env = TestEnvironment::new();
    // A file in place of the Maildir keeps the mails in the outbox.
    std::fs::write(env.path("outflank.maildir"), "").unwrap();
    for n in 0..20 {
        env.ok(&format!("new mini a{n}@example.org b{n}@example.org"));
    }
    std::fs::remove_file(env.path("outflank.maildir")).unwrap();
    env.later(60);
    let ran = env.run_at_once(&vec!["send --json".to_owned(); 8]);
    let sent: Vec<_> = ran.into_iter().map(|run| run.json()["sent"].as_u64().unwrap()).collect();
    assert_eq!(sent.iter().sum::<u64>(), 40, "{sent:?}");
    assert_eq!(env.all_mails().len(), 40);
}
