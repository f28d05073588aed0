//! What beginners write who do not know the commands: nothing begins by itself, and the answer has buttons.

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, TestEnvironment, buttons};

const COMPUTER: &str = "Reply ‹challenge bot:novice›";
const ANYONE: &str = "Reply ‹challenge anyone›";
const LIST: &str = "Reply ‹challenges›";

/// Returns a club whose mail server checks senders.
pub fn club() -> TestEnvironment {
    TestEnvironment::new().config("[receive]\nauthserv_id = \"mx.club.example\"")
}

/// Returns a mail that is no reply, from this player beyond doubt.
pub fn written(from: &str, text: &str) -> InboundMessage {
    let result = "mx.club.example; dmarc=pass header.from=example.org";
    InboundMessage::new(from, text).with("Authentication-Results", result)
}

#[test]
fn a_word_of_a_beginner_is_asked_back_with_a_button() {
    let env = club();
    env.ok(&format!("signup alice {ALICE}"));
    env.mails();
    for (text, expected) in [
        ("play", &[COMPUTER, ANYONE, LIST][..]),
        ("Play!", &[COMPUTER, ANYONE, LIST]),
        ("I want to play", &[COMPUTER, ANYONE, LIST]),
        ("new game", &[COMPUTER, ANYONE, LIST]),
        ("new othello", &[COMPUTER, ANYONE, LIST]),
        ("othello", &[COMPUTER, ANYONE, LIST]),
        ("Hello, how does this work?", &[COMPUTER, ANYONE, LIST]),
        ("yes", &[COMPUTER, ANYONE, LIST]),
        ("computer", &[COMPUTER]),
        ("bot", &[COMPUTER]),
        ("bot:novice", &[COMPUTER]),
        ("novice", &[COMPUTER]),
        ("bot:learner", &["Reply ‹challenge bot:learner›"]),
        ("learner", &["Reply ‹challenge bot:learner›"]),
        ("play computer", &[COMPUTER]),
        ("play the computer", &[COMPUTER]),
        ("I want to play against the computer.", &[COMPUTER]),
        ("challenge computer", &[COMPUTER]),
        ("challenge bot", &[COMPUTER]),
        ("challenge novice", &[COMPUTER]),
        ("anyone", &[ANYONE]),
        ("play anyone", &[ANYONE]),
        ("challenge someone", &[ANYONE]),
    ] {
        assert_eq!(env.receive(&written(ALICE, text)), "done", "{text}");
        let answer = env.mail_to(ALICE);
        assert_eq!(buttons(&answer), expected, "{text}:\n{}", answer.text);
        assert_eq!(env.json("games --all")["games"].as_array().unwrap().len(), 0, "{text}");
        assert_eq!(env.json("challenges")["challenges"].as_array().unwrap().len(), 0, "{text}");
        // After three mails without a command there would be no answer.
        env.later(1800);
        env.receive(&written(ALICE, "games"));
        env.later(1800);
        env.mails();
    }
}

#[test]
fn a_request_in_ones_own_words_signs_up() {
    for text in [
        "signup carol",
        "sign up carol",
        "Sign up: carol",
        "signup: carol",
        "sign-up carol",
        "register carol",
        "join carol",
        "Join as carol",
        "I would like to sign up as carol.",
        "I'd like to join as carol",
        "please sign me up as carol",
    ] {
        let env = TestEnvironment::new().with_game();
        assert_eq!(env.receive(&InboundMessage::new(CAROL, text)), "held", "{text}");
        env.mail_to(CAROL).says("signup carol");
    }
    for text in [
        "join us",
        "I would like to sign up",
        "register",
        "join the club today",
        "sign up carol\nand bob",
    ] {
        let env = TestEnvironment::new().with_game();
        assert_ne!(env.receive(&InboundMessage::new(CAROL, text)), "held", "{text}");
    }
}

#[test]
fn what_is_almost_a_command_says_what_to_write() {
    let env = club().with_game();
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("challenge bob --as carol");
    env.mails();
    for (text, says) in [
        ("challenge othello bob", "challenge bob othello"),
        ("challenge bot", "Did you mean ‹challenge bot:novice›?"),
        ("accept 7", "there is no game 7"),
    ] {
        assert_eq!(env.receive(&written(ALICE, text)), "done", "{text}");
        env.mail_to(ALICE).says(says);
    }
    // A number that is another's: the answer names one's own.
    assert_eq!(env.receive(&written(BOB, "accept 1")), "done");
    let answer = env.mail_to(BOB);
    answer.says("accept 2");
    assert!(buttons(&answer).contains(&"Reply ‹accept 2›".to_owned()), "{answer:#?}");
}

#[test]
fn undo_and_bots_are_commands_in_mails() {
    let env = club().with_game();
    env.ok("set grace 10m --as alice");
    env.ok("move 1 f5");
    assert_eq!(env.receive(&written(ALICE, "undo 1")), "done");
    assert!(env.moves(1).is_empty());
    env.mails();
    assert_eq!(env.receive(&written(ALICE, "bots")), "done");
    env.mail_to(ALICE).says("bot:novice").says("against the one above it in this table");
}
