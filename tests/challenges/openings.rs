//! Openings that are drawn when a game begins.

use std::collections::HashSet;

use serde_json::json;

use super::club;
use crate::harness::{ALICE, BOB};

#[test]
fn a_challenge_can_have_its_opening_drawn() {
    let env = club();
    let made = env.json("challenge bob --opening balanced --clock 3d --color black --as alice");
    assert_eq!((&made["opening"], &made["rated"]), (&json!("balanced"), &json!(true)));
    let asked = env.mail_to(BOB);
    asked.says("alice challenges you to a game of Othello with a balanced opening.");
    asked.says("Rules: the first 8 moves are drawn by lot");
    let begun = env.json("accept 1 --as bob");
    assert_eq!((&begun["ply"], &begun["given"]), (&json!(8), &json!(8)));
    assert_eq!((&begun["last"]["given"], &begun["turn"]), (&json!(true), &json!("black")));
    let moves = env.json("history 1")["moves"].clone();
    assert!(moves.as_array().unwrap().iter().all(|it| it["given"] == true), "{moves}");
    env.mails();

    // Nobody has moved yet.
    assert!(env.fails(1, "takeback 1 --as alice").contains("you have made no move in game 1"));
    let first = env.legal(1);
    assert!(env.fails(1, &format!("move 1 {first}#1 --as alice")).contains("is #9, not #1"));
    env.ok(&format!("move 1 {first}#9 --as alice"));
    env.mail_to(BOB).says(&format!("Your turn, bob ({first} by alice)."));
    assert!(env.fails(1, "abort 1 --as alice").contains("you have already moved in game 1"));
    env.ok("takeback 1 --as alice");
    env.ok("accept 1 --as bob");
    assert_eq!(env.game(1)["ply"], 8, "given moves stay");
    assert!(env.fails(1, "takeback 1 --as alice").contains("nothing to take back"));
    env.ok("abort 1 --as bob");
    assert_eq!(env.game(1)["result"]["reason"], "declined");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn a_game_from_a_drawn_opening_is_rated_in_the_list_of_othello_by_own_moves() {
    let env = club();
    let play = |game: i64, count: usize| {
        for _ in 0..count {
            env.ok(&format!("move {game} {}", env.legal(game)));
        }
    };
    for (game, own, is_rated) in [(1, 3, false), (2, 4, true)] {
        env.ok("new othello alice bob --opening balanced --rated");
        play(game, own);
        env.ok(&format!("resign {game} --as bob"));
        let ratings = env.ok("player alice").contains('±');
        assert_eq!(ratings, is_rated, "{own} moves: {}", env.ok("player alice"));
    }
    assert!(env.ok("standings othello").contains("alice"));
    // One move each: the game of one who leaves is annulled.
    env.ok("new othello alice bob --opening balanced");
    play(3, 2);
    env.ok("leave --yes --as bob");
    assert_eq!(env.game(3)["result"]["reason"], "annulled");
}

#[test]
fn a_pair_gets_another_opening_in_each_game() {
    let env = club();
    let mut had = HashSet::new();
    for game in 1..=6 {
        let players = if game % 2 == 0 { "alice bob" } else { "bob alice" };
        match game {
            3 => {
                env.ok("resign 2 --as alice");
                env.ok("rematch 2 --as alice");
                env.ok("accept 2 --as bob");
                assert_eq!(env.game(3)["black"]["player"], "bob");
            }
            _ => drop(env.ok(&format!("new othello {players} --opening balanced"))),
        }
        assert!(had.insert(env.moves(game)), "game {game}");
    }
    // A backup that is restored and a repeated command change nothing.
    let again = club();
    again.ok("new othello bob alice --opening balanced");
    assert_eq!(again.moves(1), env.moves(1), "the mark of the game draws it");
}

#[test]
fn only_othello_has_drawn_openings() {
    let env = club();
    for options in ["mini", "twente", "oddthello", "othello --size 6x6", "othello --misere"] {
        let line = env.fails(1, &format!("challenge bob {options} --opening balanced --as alice"));
        assert!(line.contains("--opening balanced is for Othello on 8x8"), "{options}: {line}");
    }
    for option in ["--moves f5", "--from 1"] {
        env.fails(2, &format!("new othello alice bob {option} --opening balanced"));
    }
    let line = env.fails(2, "new othello alice bob --opening wild");
    assert!(line.contains("[possible values: balanced]"), "{line}");
}

#[test]
fn an_opening_is_drawn_by_mail_and_against_the_computer() {
    let env = club();
    env.ok("challenge alice --as bob");
    let mail = env.mail_to(ALICE);
    let wrapped = "challenge bot:0 othello --color white --unrated --opening\nbalanced";
    assert_eq!(env.receive(&mail.reply(wrapped)), "done");
    let game = env.game(2);
    assert_eq!((&game["given"], &game["white"]["player"]), (&json!(8), &json!("alice")));
    env.ok("send");
    let mails = env.mails();
    let mail = mails.iter().find(|mail| mail.to == ALICE).unwrap();
    mail.says("--opening balanced› is\ndone.").says("Last moves: 1.(f5) 2.(").says(" 9.");
    assert!(env.ok("history 2").contains("f5 (given)"), "as people see it");
    env.ok("resign 2 --as alice");
    let analysis = env.json("analyze 2");
    let lost = analysis["moves"].as_array().unwrap().iter().take(8);
    assert!(lost.clone().count() == 8 && lost.into_iter().all(|it| it["loss"] == 0), "{analysis}");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}
