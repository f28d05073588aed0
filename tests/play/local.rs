//! Games that `play` begins cause no mail.

use super::{USER, ok, play, run, take, texts, think};
use crate::harness::{ALICE, BOB, CAROL, InboundMessage, TestEnvironment};
use crate::reliability::state;

const DAY: i64 = 24 * 60;

/// Returns an environment with alice and bob, who want every mail, and carol.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new();
    for (name, address) in [("alice", ALICE), ("bob", BOB), ("carol", CAROL)] {
        env.ok(&format!("signup {name} {address}"));
        env.ok(&format!("receipt on --as {name}"));
        env.ok(&format!("set watchers all --as {name}"));
    }
    env
}

#[test]
fn whatever_happens_in_a_game_at_one_keyboard_is_not_mailed() {
    let env = club();
    let before = env.outbox();
    let (mut seat, id) = play(&env, "alice bob");
    for line in ["f5", "d6", "takeback", "f6", "say 1 hello", "say 1 hello --now"] {
        ok(&mut seat, id, line);
    }
    // Moves from other front ends cause no mail either.
    env.ok("move 1 e6 --as alice");
    let refused = env.fails(1, "move 1 c3 --as alice");
    assert!(refused.contains("it is bob's turn") && !refused.contains("mailed"), "{refused}");
    let legal = env.legal(1);
    env.ok(&format!("move 1 {legal} --receipt --as bob"));
    let said = env.ok("say 1 hello --now --as bob");
    assert_eq!(said, "alice reads it with `show 1`.\n");
    assert!(env.ok("games --as alice").contains("alice's turn"));
    env.ok("away 2026-11-23 2026-11-25 --as alice");
    for line in ["watch 1 --as carol", "unmute 1 --as alice", "mute 1 --as alice"] {
        assert!(env.fails(1, line).contains("nobody is mailed about game 1"), "{line}");
    }
    ok(&mut seat, id, "resign");
    ok(&mut seat, id, "say 1 Good game");
    // A rematch is local, too, whichever player offers it.
    env.ok("rematch 1 --as bob");
    assert_eq!(env.game(2)["status"], "active");
    env.ok("annul 1");
    for _ in 0..3 {
        env.later(40 * DAY);
        assert!(env.ok("send").starts_with("0 sent."));
    }
    let claim = env.fails(1, "claim 2 --as alice");
    assert!(claim.contains("begun by `play`, so it has no clock"), "{claim}");
    env.ok("forfeit 2 alice");
    assert_eq!(env.outbox(), before);
    let ratings = "SELECT count(*) FROM rating";
    assert_eq!(env.sqlite().query_row(ratings, [], |row| row.get::<_, i64>(0)), Ok(0));
    state::check(&env.database());
}

#[test]
fn games_against_the_computer_are_not_mailed() {
    let env = club();
    let before = env.outbox();
    let (mut seat, id) = take(&env, "--variant mini", Some("alice"), USER).unwrap();
    for line in ["a2", "draw", "hint", "takeback", "resign"] {
        ok(&mut seat, id, line);
        think(&mut seat, id);
    }
    let again = ok(&mut seat, id, "rematch").begun.unwrap();
    think(&mut seat, again);
    let legal = env.legal(2);
    env.ok(&format!("move 2 {legal} --as alice"));
    env.ok("send");
    assert_eq!(env.outbox(), before);
    env.ok("leave --yes --as alice");
    assert_eq!(env.outbox(), [""; 0]);
    state::check(&env.database());
}

#[test]
fn a_digest_leaves_local_games_out() {
    let env = club();
    env.ok("set mail digest 18:00 --as bob");
    let (mut seat, id) = play(&env, "alice bob");
    ok(&mut seat, id, "f5");
    env.later(DAY);
    env.ok("send");
    env.ok("new mini alice bob");
    env.ok("move 2 a2 --as alice");
    env.mails();
    env.later(DAY);
    env.ok("send");
    let digest = env.mail_to(BOB).text;
    assert!(digest.starts_with("1 game waits for you, bob"), "{digest}");
    assert!(digest.contains("ame 2") && !digest.contains("ame 1"), "{digest}");
}

#[test]
fn a_mail_about_a_local_game_is_answered() {
    let env = club();
    take(&env, "--variant mini", Some("alice"), USER).unwrap();
    env.mails();
    env.receive(&InboundMessage::new(ALICE, "show 1"));
    let shown = env.mail_to(ALICE);
    assert!(shown.text.contains("alice (black"), "{}", shown.text);
    env.receive(&shown.reply("hint 1"));
    env.ok("send");
    let hint = env.last_mail_to(ALICE).text;
    assert!(hint.contains("The hint that you asked for:"), "{hint}");
}

#[test]
fn failing_mail_is_reported_to_the_opponents_of_other_games() {
    let refuse =
        format!(r#"case "$*" in *{ALICE}) echo "550 5.1.1 no such user" >&2; exit 67;; esac"#);
    let command = format!("['sh', '-c', '''{refuse}''', 'sendmail']");
    let env = TestEnvironment::new();
    env.configure(&format!("[transport]\nkind = 'sendmail'\ncommand = {command}"));
    for (name, address) in [("alice", ALICE), ("bob", BOB), ("carol", CAROL)] {
        env.run(&format!("signup {name} {address}"));
    }
    play(&env, "alice carol");
    take(&env, "", Some("alice"), USER).unwrap();
    for _ in 0..3 {
        env.run("new mini alice bob");
    }
    env.later(DAY);
    env.run("send");
    env.later(DAY);
    env.run("send");
    assert_eq!((env.count("bob paused"), env.count("carol paused")), (1, 0), "{:?}", env.outbox());
}

#[test]
fn offers_at_one_keyboard_need_no_answer() {
    let env = club();
    let (mut seat, id) = play(&env, "alice bob --variant mini");
    ok(&mut seat, id, "a2");
    ok(&mut seat, id, "a3");
    // From another front end, too, as long as the game is local.
    let taken = env.ok("takeback 1 --as alice");
    assert!(taken.contains("Your last move is taken back"), "{taken}");
    assert_eq!(env.plies(1), 0);
    assert!(env.fails(1, "pause 1 --as alice").contains("game 1 has no clock to stop"));
    assert!(run(&mut seat, id, "accept").is_err());
    assert_eq!(env.ok("draw 1 --as bob"), "You and alice agreed on a draw in this game.\n");
    let again = ok(&mut seat, id, "rematch");
    assert!(texts(&again).starts_with("bob accepts the rematch."), "{again:?}");
}
