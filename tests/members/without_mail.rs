//! Players without an address.

use serde_json::{Value, json};

use crate::harness::{ALICE, TestEnvironment};

const DAY: i64 = 24 * 60;

/// Returns an environment with ann and ben, who have no address, and alice, who has one.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new();
    let signed_up = env.json("signup ann --no-mail");
    assert_eq!(signed_up, json!({"player": "ann", "address": null}));
    env.ok("signup ben --no-mail");
    env.ok(&format!("signup alice {ALICE}"));
    env
}

#[test]
fn two_people_without_addresses_play_and_nothing_is_mailed() {
    let env = club();
    env.ok("set quiet 09:00-12:00 --as ann");
    let game = env.json("new othello ann ben --clock 1d");
    assert_eq!(game["deadline"], "2026-11-22T12:00:00Z", "{game}");
    assert!(!env.ok("show 1").contains("starts on"), "the clock starts at once");
    env.ok("set grace 2h --as ann");
    env.ok("move 1 f5 --as ann --receipt");
    assert_eq!(env.game(1)["deadline"], "2026-11-22T10:00:00Z");
    let line = env.fails(1, "move 1 c4 --as ann");
    assert!(line.contains("it is ben's turn in game 1; see `outflank show 1`"), "{line}");
    assert!(env.ok("say 1 hello --as ann").contains("ben gets no mail"));
    assert!(env.ok("show 1 --as ben").contains("hello"));
    // Reminders and the flag are recorded, but not mailed.
    env.later(DAY - 60);
    env.ok("send");
    env.later(60);
    env.ok("send");
    assert_eq!(env.json("claim 1 --as ann")["result"]["winner"], "black");
    env.ok("rematch 1 --as ben");
    assert!(env.ssh("ann", "analyze 1").failed(1).contains("the result is mailed, and ann has no"));
    assert_eq!((env.outbox(), env.all_mails().len()), (Vec::<String>::new(), 0));
    let players = env.json("players --addresses");
    let address = |number: usize| &players["players"][number]["address"];
    assert_eq!((address(0), address(1)), (&json!(ALICE), &Value::Null));
    assert_eq!(env.json("players")["players"][1]["address"], Value::Null);
    assert!(env.json("players")["players"][0].get("address").is_none());
    let line = env.fails(1, "new othello ann alice --rated");
    assert!(line.contains("ann has no address, so the game cannot be rated"), "{line}");
    env.ok("backup copy.db");
}

#[test]
fn a_move_counts_as_told_to_a_player_without_an_address() {
    let env = club();
    env.ok("new othello ann ben");
    env.ok("move 1 f5 --as ann");
    let said = env.ok("takeback 1 --as ann");
    assert!(said.contains("ben was asked whether your last move may be taken back."), "{said}");
    env.ok("accept 1 --as ben");
    assert_eq!(env.game(1)["ply"], 0);
}

#[test]
fn a_player_without_an_address_counts_as_reminded() {
    let env = club();
    env.ok("new othello ann alice");
    for days in [30, 23, 7] {
        env.later(days * DAY);
        env.ok("send");
    }
    env.last_mail_to(ALICE).says("ann has not moved for 60 days, so you can claim the game.");
    env.ok("claim 1 --as alice");
}

#[test]
fn an_address_makes_an_ordinary_player() {
    let env = club();
    env.ok("new othello ann alice");
    env.mails();
    env.ok("address ann ann@example.org");
    let mail = env.mail_to("ann@example.org");
    mail.says("Legal moves");
    env.receive(&mail.reply("f5"));
    assert_eq!(env.plies(1), 1);
    env.ok("new othello alice ann --rated");
}
