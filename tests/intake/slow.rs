//! Slow loops: unmarked automatic answers to our mails, minutes or hours later.

use crate::harness::{ALICE, CAROL, InboundMessage, TestEnvironment};

const AWAY: &str = "Thank you for your mail. We will come back to you.";
/// The number of mails in a row without a command that are answered.
const MOST: usize = 3;

/// Lets a robot answer its last mail every quarter of an hour.
fn robot(env: &TestEnvironment, mails: usize, text: &str) {
    for _ in 0..mails {
        env.receive(&env.last_mail_to(ALICE).reply(text));
        env.later(15);
    }
}

#[test]
fn a_robot_that_answers_every_quarter_of_an_hour_gets_three_answers() {
    let env = TestEnvironment::new().with_game();
    robot(&env, 192, AWAY);
    assert_eq!(env.count("alice answer"), MOST);
    assert_eq!(env.dispositions()["unanswered"], 192 - MOST as u64);
    env.last_mail_to(ALICE).says("The next mail without a command gets no answer.");
}

#[test]
fn after_a_command_mails_are_answered_again() {
    let env = TestEnvironment::new().with_game();
    robot(&env, 5, AWAY);
    assert_eq!(env.count("alice answer"), MOST);
    env.receive(&env.last_mail_to(ALICE).reply("show 1"));
    assert_eq!(env.count("alice answer"), MOST + 1);
    robot(&env, 5, AWAY);
    assert_eq!(env.count("alice answer"), 2 * MOST + 1);
    // A refused command counts as a command, an invalid one does not.
    env.receive(&env.last_mail_to(ALICE).reply("a1"));
    robot(&env, 5, "move 1");
    assert_eq!(env.count("alice answer"), 3 * MOST + 2);
}

#[test]
fn an_address_gets_twenty_answers_a_day_to_mails_without_a_command() {
    let env = TestEnvironment::new().with_game();
    let idle = |env: &TestEnvironment| {
        let before = env.count("alice answer");
        env.receive(&env.last_mail_to(ALICE).reply(AWAY));
        env.later(15);
        env.count("alice answer") > before
    };
    let command = |env: &TestEnvironment| {
        env.receive(&env.last_mail_to(ALICE).reply("receipt off"));
        env.later(15);
    };
    let round = || {
        command(&env);
        idle(&env)
    };
    let answered = (0..30).filter(|_| round()).count();
    assert_eq!(answered, 20);
    env.later(24 * 60);
    assert!(round(), "the next day it is answered again");
}

#[test]
fn verified_and_unverified_mails_in_a_row_are_counted_separately() {
    let env = TestEnvironment::new().with_game();
    for _ in 0..5 {
        env.receive(&InboundMessage::new(ALICE, AWAY));
        env.later(60);
    }
    assert_eq!(env.count("alice answer"), MOST);
    robot(&env, 5, AWAY);
    assert_eq!(env.count("alice answer"), 2 * MOST);
    // After a forged command, only unverified mails are answered again.
    env.later(24 * 60);
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    assert_eq!(env.count("alice confirm"), 1);
    env.receive(&env.mails_to(ALICE)[0].reply(AWAY));
    assert_eq!(env.count("alice answer"), 2 * MOST);
    env.receive(&InboundMessage::new(ALICE, AWAY));
    assert_eq!(env.count("alice answer"), 2 * MOST + 1);
}

#[test]
fn a_stranger_without_a_command_gets_three_answers() {
    let env = TestEnvironment::new().with_game();
    for _ in 0..6 {
        env.receive(&InboundMessage::new(CAROL, "signup 1x"));
        env.later(60);
    }
    assert_eq!(env.mails_to(CAROL).len(), MOST);
    env.later(24 * 60);
    env.receive(&InboundMessage::new(CAROL, "help"));
    assert_eq!(env.mails_to(CAROL).len(), MOST + 1);
}
