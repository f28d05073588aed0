//! Mails of games against computer players, with hints and analyses.

use super::{receiving, sent, to};
use crate::harness::{ALICE, BOB, Mail, TestEnvironment};

/// Receives alice's reply to a mail, empties the queue, and returns her last mail.
fn answered(env: &TestEnvironment, mail: &Mail, text: &str) -> Mail {
    assert_eq!(env.receive(&mail.reply(text)), "done");
    env.ok("send");
    env.last_mail_to(ALICE)
}

#[test]
fn a_game_against_a_computer_player_in_mails() {
    let env = receiving();
    let started = sent(&env, &format!("new mini {ALICE} bot:1 --moves b1a1c4d4d3b4"));
    let [started] = &started[..] else { panic!("{} mails", started.len()) };
    insta::assert_snapshot!("bot-started", started.text);
    let html = started.html().unwrap();
    assert!(html.contains("body=hint") && html.contains("to see what your moves are"), "{html}");
    assert!(!html.contains("To add a word"), "{html}");

    let turn = sent(&env, "move 1 a4");
    insta::assert_snapshot!("bot-turn", to(&turn, ALICE).text);
    // The reply quotes the offer, as mail programs do.
    let text = format!("hint\n\n{}", turn[0].quoted());
    let hint = answered(&env, &turn[0], &text);
    insta::assert_snapshot!("hint", hint.text);

    let over = answered(&env, &turn[0], "resign");
    insta::assert_snapshot!("bot-over", over.text);
    let analysis = answered(&env, &over, "analyze");
    analysis.says(" 3  alice (black)  c4      -14     6  a2      exact");
    analysis.says(" 4  bot:1 (white)  d4      -14                exact");
}

#[test]
fn the_mail_about_the_end_of_a_game_without_moves_offers_no_analysis() {
    let env = TestEnvironment::new().with_game();
    env.ok("abort 1 --as alice");
    let over = env.last_mail_to(BOB);
    over.says("alice (black) declined the game.");
    for part in [&over.text, &over.html().unwrap()] {
        assert!(!part.to_lowercase().contains("analyze"), "{part}");
    }
}

#[test]
fn an_analysis_of_a_whole_game_needs_no_parentheses() {
    let env = receiving();
    env.ok(&format!("new mini {ALICE} {BOB} --moves b1a1c4d4d3b4a4c1d1d2a3a2"));
    let over = env.last_mail_to(ALICE);
    let analysis = answered(&env, &over, "analyze");
    let (_, table) = analysis.text.split_once("Depth\n").unwrap();
    let (table, _) = table.split_once("The game is over.").unwrap();
    let table = table.replace("(black)", "").replace("(white)", "");
    assert!(!table.contains('('), "{}", analysis.text);
}

#[test]
fn a_hint_refused_in_a_mail() {
    let env = TestEnvironment::new().with_game();
    let started = env.last_mail_to(ALICE);
    assert_eq!(env.receive(&started.reply("hint")), "done");
    let refused = env.mail_to(ALICE);
    refused
        .says("game 1 between two people is not over; its moves can be evaluated after its end.");
}
