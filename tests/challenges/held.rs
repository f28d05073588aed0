//! Challenges in unverified mail: they wait for a yes in canonical form.

use super::club;
use crate::harness::{ALICE, BOB, InboundMessage};

#[test]
fn a_challenge_in_unverified_mail_waits_for_a_yes() {
    let env = club();
    let text =
        "challenge BOB reversi --clock 240h+24h --position (b ---- -wb- -bw- ----) --unrated";
    assert_eq!(env.receive(&InboundMessage::new(ALICE, text)), "held");
    let question = env.mail_to(ALICE);
    let canonical =
        "challenge bob othello --position (b ---- -wb- -bw- ----) --clock 10d+1d --unrated";
    question.says(&format!("- {canonical} (not done yet)"));
    assert!(!question.raw.contains("240h"), "{}", question.raw);
    assert_eq!(env.receive(&question.reply("yes")), "done");
    let mails = env.mails();
    mails[0].says("You challenged bob to a game of Othello 4x4.");
    mails[1].says("alice challenges you to a game of Othello 4x4.");
    assert_eq!(env.json("show 1")["clock"], "10d+1d");

    // The answer is for the challenge, not for a later offer in its game.
    assert_eq!(env.receive(&InboundMessage::new(BOB, "accept 1")), "held");
    let question = env.mail_to(BOB);
    question.says("accept 1: the challenge by alice to bob, a game of Othello 4x4");
    env.ok("accept 1 --as bob");
    env.ok("draw 1 --as alice");
    env.mails();
    assert_eq!(env.receive(&question.reply("yes")), "done");
    env.mail_to(BOB).says("‹accept 1› was not done: challenge 1 is over: game 1 has begun");
    assert_eq!(env.game(1)["offer"]["offer"], "draw");
}

#[test]
fn an_answer_to_nothing_is_not_held() {
    let env = club();
    assert_eq!(env.receive(&InboundMessage::new(BOB, "accept 1")), "done");
    env.mail_to(BOB).says("there is no game 1");
}

#[test]
fn only_a_challenge_whose_values_are_known_is_held() {
    let env = club();
    env.ok("new othello alice bob --moves f5d6");
    env.mails();
    for (text, held) in [
        ("challenge bot:3 --size 6x6", Some("challenge bot:3 othello --size 6x6")),
        ("challenge anyone --color white", Some("challenge anyone othello --color white")),
        ("challenge anyone --from 1", Some("challenge anyone othello --from 1#2")),
        ("challenge buy-now-at.example", None),
        ("challenge bob@example.org", None),
        ("challenge bot:evil.example", None),
    ] {
        env.later(24 * 60);
        let disposition = env.receive(&InboundMessage::new(ALICE, text));
        let mail = env.mail_to(ALICE);
        match held {
            Some(words) => {
                assert_eq!(disposition, "held", "{text}");
                mail.says(words);
                env.receive(&mail.reply("no"));
                env.later(30 * 24 * 60);
            }
            None => {
                assert_eq!(disposition, "done", "{text}");
                let (_, argument) = text.split_once(' ').unwrap();
                assert!(!mail.raw.contains(argument), "{}", mail.raw);
            }
        }
        env.mails();
    }
}
