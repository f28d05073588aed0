//! Several processes that want the same thing at the same moment.

use std::collections::BTreeSet;

use crate::house::{House, Ran, words};
use crate::state;

/// Runs these commands at once: one wins, the others are refused. Returns which won.
fn one_wins(house: &House, all: &[Vec<String>]) -> usize {
    let ran = house.at_once(all);
    let won: Vec<_> = (0..all.len()).filter(|&n| ran[n].status == Some(0)).collect();
    assert_eq!(won.len(), 1, "{ran:?}");
    let lost = ran.iter().filter(|ran| ran.status != Some(0));
    lost.for_each(|ran| drop(ran.failed(1).to_owned()));
    won[0]
}

/// Every move of the game stands once in the outbox.
fn mails_of_turns(house: &House) -> Vec<i64> {
    let sqlite = house.sqlite();
    let mut plies =
        sqlite.prepare("SELECT ply FROM outbox WHERE event = 'turn' ORDER BY ply").unwrap();
    plies.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Lets so many processes move at once, again and again; `command` makes the command of one of
/// them out of a move, its number and who is on turn.
fn race(many: usize, rounds: usize, command: impl Fn(&str, usize, &str) -> String) {
    let mut house = House::with_game();
    let mut made = Vec::new();
    for _ in 0..rounds {
        let mut game = house.json(&["show", "1"]);
        if game["status"] != "active" {
            house = House::with_game();
            made.clear();
            game = house.json(&["show", "1"]);
        }
        let turn = game["turn"].as_str().unwrap();
        let player = game[turn]["player"].as_str().unwrap();
        let legal: Vec<_> =
            game["legal"].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
        let all: Vec<_> = (0..many)
            .map(|n| words(&command(legal[n % legal.len()], made.len() + 1, player)))
            .collect();
        let won = one_wins(&house, &all);

        made.push(legal[won % legal.len()].to_owned());
        let history = house.json(&["history", "1"]);
        let history: Vec<_> =
            history["moves"].as_array().unwrap().iter().map(|ply| ply["move"].clone()).collect();
        assert_eq!(history, made);
        assert_eq!(mails_of_turns(&house), (1..=made.len() as i64).collect::<Vec<_>>());
    }
    assert_eq!(state::check(&house.database()), 1);
}

// The first moves of a game: nobody passes by itself, so a player is never on turn twice.
const ROUNDS: usize = 7;

#[test]
fn two_or_eight_move_for_the_same_player() {
    for (many, times) in [(2, 3), (8, 1)] {
        for _ in 0..times {
            race(many, ROUNDS, |cell, _, player| format!("move 1 {cell} --as {player}"));
        }
    }
}

#[test]
fn two_or_eight_move_at_the_same_ply() {
    for (many, times) in [(2, 3), (8, 1)] {
        for _ in 0..times {
            race(many, ROUNDS, |cell, ply, _| format!("move 1 {cell}#{ply}"));
        }
    }
}

#[test]
fn both_resign_at_once() {
    for _ in 0..5 {
        let house = House::with_game();
        let won = one_wins(&house, &[words("resign 1 --as alice"), words("resign 1 --as bob")]);
        let winner = ["white", "black"][won];
        assert_eq!(house.json(&["show", "1"])["result"]["winner"], winner);
        let overs: i64 = house
            .sqlite()
            .query_row("SELECT count(*) FROM outbox WHERE event = 'over'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(overs, 2);
    }
}

#[test]
fn a_name_is_given_once() {
    for _ in 0..5 {
        let house = House::new();
        let all: Vec<_> =
            (0..8).map(|n| words(&format!("signup Carol carol{n}@example.org"))).collect();
        one_wins(&house, &all);
    }
}

#[test]
fn games_that_start_at_once_share_their_new_players() {
    let house = House::new();
    let all = vec![words("new mini alice@example.org bob@example.org"); 8];
    let ran = house.at_once(&all);
    assert!(ran.iter().all(|ran| ran.status == Some(0)), "{ran:?}");
    assert_eq!(state::check(&house.database()), 8);
    assert_eq!(house.store().read(|db| db.players()).unwrap().len(), 2);
    // Each of them has delivered, for itself or for another.
    house.done(&["send"]);
    let to: Vec<_> = house.mails().into_values().map(recipient).collect();
    assert_eq!(to.len(), 16);
    assert_eq!(to.into_iter().collect::<BTreeSet<_>>().len(), 2);
}

fn recipient(mail: String) -> String {
    mail.lines().find_map(|line| line.strip_prefix("Delivered-To: ")).unwrap().to_owned()
}

#[test]
fn senders_at_once_send_each_mail_once() {
    let house = House::new();
    // No folder can be made in a file: the mails stay in the outbox.
    std::fs::write(house.path("outflank.maildir"), "").unwrap();
    for n in 0..20 {
        house.done(&["new", "mini", &format!("a{n}@example.org"), &format!("b{n}@example.org")]);
    }
    std::fs::remove_file(house.path("outflank.maildir")).unwrap();
    house.wait(3600);
    let ran = house.at_once(&vec![words("send --json"); 8]);
    let sent = |ran: &Ran| {
        assert_eq!(ran.status, Some(0), "{ran:?}");
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["sent"].as_u64().unwrap()
    };
    assert_eq!(ran.iter().map(sent).sum::<u64>(), 40, "{ran:?}");
    assert_eq!(house.mails().len(), 40);
}
