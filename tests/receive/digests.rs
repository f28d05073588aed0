//! Replies to daily digests: a move is for the position that the digest drew.

use serde_json::json;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Mail, TestEnvironment};

/// Minutes.
const HOUR: i64 = 60;

/// A digest to bob that draws games 1 and 2 after f5. Game 3 waits for carol.
fn with_digest(settings: &str) -> (TestEnvironment, Mail) {
    let env = TestEnvironment::new().config(settings).with_game();
    env.ok("--as bob set mail digest 18:00");
    env.ok(&format!("new othello {CAROL} {BOB}"));
    env.ok("new othello carol bob");
    env.mails();
    env.ok("move 1 f5");
    env.ok("move 2 f5");
    env.later(8 * HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    digest.says("2 games wait for you, bob");
    (env, digest)
}

#[test]
fn a_move_is_made_in_the_position_that_the_digest_drew() {
    for settings in ["", "[receive]\nplus_addressing = false"] {
        let (env, digest) = with_digest(settings);
        assert_eq!(env.receive(&digest.reply("1 d6\nmove 2 d6#2")), "done");
        assert_eq!((env.plies(1), env.plies(2)), (2, 2), "{settings}");
        env.mails();
    }
}

#[test]
fn a_move_for_a_position_that_has_changed_is_refused_with_the_present_one() {
    for settings in ["", "[receive]\nplus_addressing = false"] {
        let (env, digest) = with_digest(settings);
        env.ok("move 1 d6 c3");
        env.mails();
        // These would be legal now, too.
        for line in ["1 d3", "move 1 d3", "move 1 f4", "pass 1", "move 1 d3#2"] {
            assert_eq!(env.receive(&digest.reply(line)), "done", "{line}");
            let refused = env.mail_to(BOB);
            refused.says("the next move is #4, not #2").says("Score: black 5, white 2");
            assert_eq!(env.plies(1), 3, "{line}");
            env.later(HOUR);
        }
        let refused = env.last_mail_to(BOB);
        assert_eq!(env.receive(&refused.reply("d3")), "done");
        assert_eq!(env.plies(1), 4);
        // As in any mail, another number than that of the digest counts.
        env.ok("move 1 c4");
        env.mails();
        let legal = env.legal(1);
        assert_eq!(env.receive(&digest.reply(&format!("move 1 {legal}#6"))), "done");
        assert_eq!(env.plies(1), 6);
        env.mails();
    }
}

#[test]
fn a_move_for_a_position_that_was_taken_back_is_refused() {
    let (env, digest) = with_digest("");
    env.ok("takeback 1 --as alice");
    env.ok("accept 1 --as bob");
    env.ok("move 1 d3");
    env.mails();
    // The number is that of the next move, and the move would be legal.
    for line in ["1 c3", "move 1 c3#2", "1 c5"] {
        assert_eq!(env.receive(&digest.reply(line)), "done", "{line}");
        env.mail_to(BOB).says("alice has taken back f5, so your c").says("was not made.");
        assert_eq!(env.moves(1), ["d3"], "{line}");
        env.later(HOUR);
    }
    assert_eq!(env.receive(&digest.reply("resign 1")), "held");
    env.mail_to(BOB).says("- resign 1: the position in the mail that you replied to was taken");
    assert_eq!(env.receive(&digest.reply("resign 2")), "done");
    assert_eq!(env.game(2)["result"]["reason"], "resigned");
    env.mails();
}

#[test]
fn a_move_in_a_game_that_the_digest_did_not_draw_is_refused() {
    let (env, digest) = with_digest("");
    env.ok("move 3 f5");
    env.mails();
    for line in ["3 d6", "move 3 d6#2", "plan 3 c3 d3", "pass 3"] {
        assert_eq!(env.receive(&digest.reply(line)), "done", "{line}");
        env.mail_to(BOB)
            .says("the board of game 3 was not in the mail that you replied to; look at the board")
            .says("Score: black 4, white 1")
            .says("Reply with your move, such as d6");
        assert_eq!(env.plies(3), 1, "{line}");
        env.later(HOUR);
    }
    let refused = env.last_mail_to(BOB);
    // Other commands work as in any mail, and games of others are refused as in any mail.
    assert_eq!(env.receive(&digest.reply("show 3\nplan 3\nmove 99 d3\nunsubscribe 3")), "done");
    env.mail_to(BOB).says("You have no plan for game 3.").says("there is no game 99");
    assert_eq!(env.receive(&refused.reply("d6")), "done");
    assert_eq!(env.plies(3), 2);
    env.mails();
}

/// Boards beyond the first ten do not fit, so they were not seen.
#[test]
fn a_game_that_is_only_named_was_not_drawn() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    env.ok(&format!("signup bob {BOB}"));
    env.ok("--as bob set mail digest 18:00");
    for game in 1..=11 {
        env.ok("new mini alice bob");
        env.ok(&format!("move {game} b1"));
        env.later(1);
    }
    env.mails();
    env.later(8 * HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    digest.says("Boards that did not fit here: those of 11.");
    assert_eq!(env.receive(&digest.reply("10 a1\n11 a1")), "done");
    assert_eq!((env.plies(10), env.plies(11)), (2, 1));
    env.last_mail_to(BOB).says("the board of game 11 was not in the mail");
    env.mails();
}

#[test]
fn without_the_record_of_the_digest_every_move_is_refused() {
    let (env, digest) = with_digest("");
    env.later(24 * HOUR * 11);
    env.ok("send");
    env.mails();
    for line in ["1 d6", "move 1 d6#2", "plan 1 d6 c3"] {
        assert_eq!(env.receive(&digest.reply(line)), "done", "{line}");
        env.mail_to(BOB)
            .says("that daily mail is so old that the position in it is not known any more")
            .says("Score: black 4, white 1");
        assert_eq!(env.plies(1), 1, "{line}");
    }
    env.later(HOUR);
    assert_eq!(env.receive(&digest.reply("show 1\nresign 1")), "done");
    assert_eq!(env.game(1)["result"]["reason"], "resigned");
    env.mails();
}

#[test]
fn an_answer_in_reply_to_a_digest_is_for_what_was_open_before_it() {
    for (before, after, is_taken) in
        [("draw", "", true), ("draw", "takeback", false), ("", "draw", false)]
    {
        let env = TestEnvironment::new().with_game();
        env.ok("--as bob set mail digest 18:00");
        env.ok("move 1 f5");
        let offer = |offer: &str| {
            if !offer.is_empty() {
                env.ok(&format!("{offer} 1 --as alice"));
            }
        };
        offer(before);
        env.later(8 * HOUR);
        env.ok("send");
        let digest = env.last_mail_to(BOB);
        digest.says("1 game waits for you");
        env.later(1);
        offer(after);
        env.mails();
        let unchanged = env.game(1);
        assert_eq!(env.receive(&digest.reply("accept 1")), "done");
        assert_eq!(env.game(1) != unchanged, is_taken, "{before}, {after}");
        if !is_taken {
            let refused = env.last_mail_to(BOB);
            refused.says("did not show what is open now in game 1: alice");
            assert_eq!(env.receive(&refused.reply("decline")), "done");
            assert!(env.game(1)["offer"].is_null());
        }
        env.mails();
    }
}

/// A button in a digest opens a mail about one game.
#[test]
fn a_button_of_a_digest_is_for_the_position_that_it_shows() {
    let (env, digest) = with_digest("");
    let html = digest.html().unwrap();
    let links = html.split("href=\"mailto:").skip(1).map(|link| link.split('"').next().unwrap());
    let link = links.filter(|link| link.ends_with("body=d6%0D%0A")).last().unwrap();
    let address = link.split('?').next().unwrap().replace("%2B", "+").replace("%40", "@");
    env.ok("move 2 d6 c3");
    env.ok("draw 2 --as carol");
    env.mails();
    assert_eq!(env.receive(&InboundMessage::new(BOB, "d3\naccept").to(&address)), "done");
    let refused = env.mail_to(BOB);
    refused.says("the next move is #4, not #2").says("did not show what is open now in game 2");
    assert_eq!(env.plies(2), 3);
    assert_eq!(env.game(2)["offer"], json!({ "by": "black", "offer": "draw" }));
    env.mails();
}
