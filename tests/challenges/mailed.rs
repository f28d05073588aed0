//! The mails about challenges, and the replies to them.

use super::club;
use crate::harness::{ALICE, BOB, CAROL, InboundMessage, TestEnvironment};

#[test]
fn a_challenge_is_answered_by_mail_in_the_thread_of_its_game() {
    let env = club();
    env.ok("challenge bob --size 10x10 --clock 3d --color black --as alice");
    let asked = env.mail_to(BOB);
    insta::assert_snapshot!("challenge", asked.text);
    for button in ["accept%201", "decline%201"] {
        assert!(asked.html().unwrap().contains(&format!("body={button}%0D")), "{button}");
    }
    let thread = asked.header("References");
    assert!(thread.starts_with("<game-1."), "{thread}");

    // A comment is mailed to the other player at once.
    assert_eq!(env.receive(&asked.reply("say Which opening do you like?")), "done");
    let mails = env.mails();
    let said = mails.iter().find(|mail| mail.to == ALICE).unwrap();
    said.says("| bob: Which opening do you like?").says("bob says something about challenge 1.");
    assert_eq!(env.receive(&said.reply("say Any.")), "done");
    let answer = env.mails().into_iter().find(|mail| mail.to == BOB).unwrap();
    answer.says("| alice: Any.");

    assert_eq!(env.receive(&answer.reply("accept")), "done");
    let mails = env.mails();
    let begun = mails.iter().find(|mail| mail.to == ALICE).unwrap();
    begun.says("game 1 against bob has begun");
    assert_eq!(begun.header("References"), thread);

    // A late reply answers the challenge, not an offer in the game.
    env.ok("draw 1 --as alice");
    env.mails();
    for answer in ["accept", "accept 1", "decline"] {
        env.later(1);
        assert_eq!(env.receive(&asked.reply(answer)), "done");
        env.mail_to(BOB).says("challenge 1 is over: game 1 has begun");
    }
    assert_eq!(env.game(1)["offer"]["offer"], "draw");
}

#[test]
fn a_challenge_that_a_mail_program_wraps_keeps_its_options() {
    let env = club();
    env.ok("challenge alice --as bob");
    let mail = env.mail_to(ALICE);
    let begin = "challenge carol othello --size 10x10 --clock 10d+1d,max=15d";
    let wrapped = format!("{begin} --free-weekends\n--flag hard --no-away --color white --unrated");
    assert_eq!(env.receive(&mail.reply(&wrapped)), "done");
    let asked = env.mails().into_iter().find(|mail| mail.to == CAROL).unwrap();
    asked
        .says("alice is white")
        .says("at most 15 days, free weekends")
        .says("no absences. Not rated.");

    let prose = format!("{begin}\nI hope that you like large boards");
    assert_eq!(env.receive(&mail.reply(&prose).id("second@alice.example")), "done");
    let answer = env.mail_to(ALICE);
    answer.says("‹challenge").says("\"I\" does not belong here").says("I hope that you like");
}

#[test]
fn a_question_that_was_not_sent_needs_no_withdrawal() {
    let env = club();
    env.ok("set quiet 09:00-11:00 --as bob");
    env.ok("challenge bob --as alice");
    env.ok("decline 1 --as alice");
    assert_eq!(env.outbox(), ["bob challenge superseded"]);
    env.ok("challenge bob --as alice");
    env.later(60);
    env.ok("send");
    env.mail_to(BOB);
    env.ok("decline 2 --as alice");
    env.mail_to(BOB).says("alice withdrew the challenge to a game of Othello.");
    assert!(env.fails(1, "accept 2 --as bob").contains("challenge 2 is over: alice withdrew it"));
    // The challenge is no longer open at the next try of its mail.
    env.ok("set quiet 10:00-12:00 --as bob");
    env.ok("challenge bob --as alice");
    env.outage_seconds(15 * 24 * 3600);
    env.sqlite().execute("UPDATE outbox SET tries = 1 WHERE state = 'queued'", []).unwrap();
    env.ok("send");
    assert!(env.mails().iter().all(|mail| !mail.text.contains("Reply (accept 3)")));
}

#[test]
fn what_was_said_about_a_challenge_is_mailed_however_it_ends() {
    let env = club();
    env.ok("challenge bob --as alice");
    let asked = env.mail_to(BOB);
    assert_eq!(env.receive(&asked.reply("decline\nsay Sorry, no time.")), "done");
    let mails = env.mails();
    let to_alice: Vec<_> = mails.iter().filter(|mail| mail.to == ALICE).collect();
    let [declined] = to_alice[..] else { panic!("{mails:?}") };
    declined.says("bob declined your challenge").says("| bob: Sorry, no time.");

    // A comment waits for the end of quiet hours; meanwhile its reader or its author ends the challenge.
    for (by, end) in [("carol", "decline 2 --as carol"), ("bob", "decline 3 --as carol")] {
        let id = if by == "carol" { 2 } else { 3 };
        env.ok("challenge bob --as carol");
        env.ok("send");
        env.mails();
        env.ok("set quiet 09:00-11:00 --as carol");
        env.ok("set quiet 09:00-11:00 --as bob");
        env.ok(&format!("say {id} first --as {by}"));
        env.later(1);
        env.ok(&format!("say {id} second --as {by}"));
        env.ok(end);
        env.no_mail();
        env.later(2 * 60);
        env.ok("send");
        let reader = if by == "carol" { BOB } else { CAROL };
        let mails = env.mails().into_iter().filter(|mail| mail.to == reader);
        let text: String = mails.map(|mail| mail.text).collect();
        for words in ["first", "second"] {
            assert!(text.contains(&format!("| {by}: {words}\n")), "{text}");
        }
        assert_eq!(text.contains("carol withdrew the challenge"), by == "carol");
        env.later(22 * 60);
    }
}

#[test]
fn words_about_a_challenge_that_has_ended_do_not_reach_a_reader_who_has_blocked_their_author() {
    let env = club();
    env.ok("challenge bob --as alice");
    env.mails();
    env.ok("set quiet 09:00-11:00 --as alice");
    env.ok("say 1 nonsense --as bob");
    env.ok("decline 1 --as bob");
    env.ok("block bob --as alice");
    env.later(2 * 60);
    env.ok("send");
    let mail = env.mail_to(ALICE);
    mail.says("bob declined your challenge");
    assert!(!mail.raw.contains("nonsense"), "{}", mail.raw);
}

/// Newcomers who know nobody can play soon.
#[test]
fn two_mails_after_signing_up_a_person_plays_a_first_move() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup host {ALICE}"));
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    env.receive(&env.mail_to(CAROL).reply("yes"));
    let welcome = env.mail_to(CAROL);
    let html = welcome.html().unwrap();
    for next in ["challenge%20bot%3Anovice", "challenge%20anyone", "challenges"] {
        assert!(html.contains(&format!("body={next}%0D")), "{next}: {html}");
    }
    assert_eq!(env.receive(&welcome.reply("challenge bot:novice")), "done");
    env.ok("send");
    let mails = env.mails();
    let turn = mails.iter().find(|mail| mail.text.contains("Your turn, carol")).unwrap();
    assert_eq!(env.receive(&turn.reply(&env.legal(1))), "done");
    let own = env.json("history 1")["moves"].as_array().unwrap().clone();
    let color = if env.game(1)["black"]["player"] == "carol" { "black" } else { "white" };
    assert!(own.iter().any(|made| made["by"] == color), "{own:?}");
}

#[test]
fn help_and_the_mail_after_a_game_say_what_to_do_next() {
    let env = TestEnvironment::new().with_game();
    env.ok("resign 1 --as bob");
    let over = env.mails().into_iter().find(|mail| mail.to == ALICE).unwrap();
    over.says("Reply ‹rematch› to play bob again, ‹challenge bot:novice› for a game against");
    assert_eq!(env.receive(&over.reply("help")), "done");
    let help = env.mail_to(ALICE);
    help.says("To play, reply ‹challenge bot:novice› for a game against the computer");
    for mail in [over, help] {
        let html = mail.html().unwrap();
        assert!(html.contains("body=challenge%20bot%3Anovice%0D"), "{html}");
    }
}
