//! The commands `mute` and `unmute`, which are also called `unsubscribe` and `subscribe`.

use crate::harness::{BOB, TestEnvironment};

#[test]
fn a_muted_game_sends_no_turn_mails() {
    let env = TestEnvironment::new().with_game();
    for (mute, unmute) in [("mute", "unmute"), ("unsubscribe", "subscribe"), ("mute", "subscribe")]
    {
        assert_eq!(env.json(&format!("--as bob {mute} 1"))["subscribed"], false);
        env.ok(&format!("move 1 {}", env.legal(1)));
        env.no_mail();
        assert_eq!(env.json(&format!("--as bob {unmute} 1"))["subscribed"], true);
        env.mail_to(BOB);
        env.ok(&format!("move 1 {}", env.legal(1)));
        env.mails();
    }
    assert!(env.fails(2, "mute 1").contains("`mute` needs --as NAME, to say who mutes the game"));
}

#[test]
fn a_turn_that_was_mailed_before_the_game_was_muted_is_not_mailed_again() {
    let env = TestEnvironment::new().with_game();
    env.turn_after("f5");
    env.ok("mute 1 --as bob");
    env.ok("unmute 1 --as bob");
    env.no_mail();
}

#[test]
fn a_turn_that_a_receipt_has_told_is_not_mailed_again() {
    let env = TestEnvironment::new().with_game();
    // Bob's d2 leaves alice without a move.
    env.ok("new mini alice bob --moves b1a1c4d4d3b4a4c1d1");
    env.ok("mute 2 --as bob");
    env.mails();
    env.ok("move 2 d2 --receipt --as bob");
    env.mail_to(BOB).says("It is your turn again.");
    env.ok("unmute 2 --as bob");
    env.no_mail();
}

#[test]
fn the_mail_about_the_start_tells_a_turn_that_was_muted_while_it_waited() {
    let env = TestEnvironment::new().with_game();
    env.ok("set quiet 09:00-21:00 --as bob");
    env.ok("new othello bob alice");
    env.ok("mute 2 --as bob");
    env.ok("unmute 2 --as bob");
    env.mails();
    env.later(12 * 60);
    env.ok("send");
    env.mail_to(BOB);
    env.no_mail();
}

#[test]
fn both_names_work_by_mail() {
    let env = TestEnvironment::new().with_game();
    let mail = env.turn_after("f5");
    for (word, says) in [
        ("mute", "bob gets no turn mails for game 1 until ‹unmute 1›."),
        ("subscribe", "bob gets turn mails for game 1."),
        ("unsubscribe 1", "bob gets no turn mails for game 1 until ‹unmute 1›."),
        ("unmute 1", "bob gets turn mails for game 1."),
    ] {
        env.later(60);
        assert_eq!(env.receive(&mail.reply(word)), "done", "{word}");
        env.mails().iter().find(|mail| mail.text.starts_with("Reply to")).unwrap().says(says);
    }
}
