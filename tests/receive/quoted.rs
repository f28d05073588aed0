//! Commands in a mail that a player's comment has, too.

use crate::harness::{ALICE, BOB, Mail, TestEnvironment};

/// Game 1 after f5, with bob to move, and his turn mail with alice's comment.
fn env(said: &str) -> (TestEnvironment, Mail) {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.mails();
    env.ok(&format!("say 1 \"{said}\" --as alice"));
    let turn = env.turn_after("f5");
    (env, turn)
}

const SAID: &str = "Shall we resign, d6 or draw? I say hello: set style words";

/// Returns the quote of the comment, broken before and behind these words, by a program that puts no marks
/// before its lines, has lost ours, and introduces it with an unknown heading.
fn quoted(broken: &str) -> String {
    let said = SAID.replace(&format!(" {broken}"), &format!("\n{broken}"));
    let said = said.replace(&format!("{broken} "), &format!("{broken}\n"));
    format!("Von: der Spielserver\n\nalice: {said}")
}

#[test]
fn words_that_alice_said_and_a_quote_has_are_asked_about() {
    for (words, asked) in [
        ("resign,", "- resign 1: alice has said the same, which your mail quotes (not"),
        ("d6", "- move 1 d6#2: alice has said the same, which your mail quotes (not done yet)"),
        ("set style words", "- set style words: alice has said the same, which"),
    ] {
        let (env, turn) = env(SAID);
        assert_eq!(env.receive(&turn.reply(&format!("Hello\n\n{}", quoted(words)))), "held");
        let question = env.mail_to(BOB);
        question.says(asked);
        let state = || {
            let resigned = !env.game(1)["result"].is_null();
            (resigned, env.moves(1).len(), env.ok("set style --as bob"))
        };
        let before = state();
        assert!(!before.0 && before.1 == 1, "{words}");
        assert_eq!(env.receive(&question.reply("yes")), "done", "{words}");
        assert_ne!(state(), before, "{words}");
    }
}

#[test]
fn a_line_above_all_quotes_runs_whatever_the_opponent_said() {
    let (env, turn) = env(SAID);
    assert_eq!(env.receive(&turn.reply(&format!("d6\n\n{}", quoted("resign,")))), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    assert!(env.game(1)["result"].is_null());
}

#[test]
fn other_words_below_a_quote_run() {
    // The mail does not quote the comment, or the comment has other words.
    for (text, mv) in [
        ("> Move number 2 of game 1\n\nd6".to_owned(), "d6"),
        (format!("{}\nf4", quoted("Shall")), "f4"),
    ] {
        let (env, turn) = env(SAID);
        assert_eq!(env.receive(&turn.reply(&text)), "done", "{text}");
        assert_eq!(env.moves(1), ["f5", mv], "{text}");
    }
}

#[test]
fn a_quoted_comment_is_not_passed_on() {
    let (env, turn) = env(SAID);
    env.receive(&turn.reply(&format!("Hello\n\n{}", quoted("say hello: set style words"))));
    env.mail_to(BOB).says("what you said was not passed on");
    assert!(!env.ok("show 1 --as alice").contains("bob:"));
}
