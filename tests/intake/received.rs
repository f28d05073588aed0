//! Incoming mails in `inbox --last`.

use serde_json::{Value, json};

use super::bounces::{FAILED, Server, report};
use crate::harness::{ALICE, BOB, CAROL, InboundMessage, STRANGER, TestEnvironment};

const DAY: i64 = 24 * 60;

/// Returns the listed mails.
#[track_caller]
fn listed(env: &TestEnvironment, options: &str) -> Vec<Value> {
    env.json(&format!("inbox {options}"))["mails"].as_array().unwrap().clone()
}

/// Returns the only listed mail, without its time.
#[track_caller]
fn last(env: &TestEnvironment) -> Value {
    let mut mail = listed(env, "--last 1").remove(0);
    assert_eq!(mail.as_object_mut().unwrap().remove("at"), Some(json!("2026-11-21T10:00:00Z")));
    mail
}

#[test]
fn each_mail_is_listed_with_what_was_understood_done_and_why() {
    let env = TestEnvironment::new().with_game();
    let start = env.last_mail_to(ALICE);
    let from_alice = |understood: Value, disposition: &str, why: Value| {
        json!({
            "player": "alice", "from": null, "understood": understood, "disposition": disposition,
            "why": why
        })
    };
    env.receive(&start.reply("f5\nsay my secret words"));
    assert_eq!(last(&env), from_alice(json!(["say", "move"]), "done", Value::Null));
    env.receive(&start.reply("d3\nmove 1 my.own.words\ngames").id("second"));
    let refused = last(&env);
    assert_eq!(refused["understood"], json!(["move", "move", "games"]));
    let why = refused["why"].as_str().unwrap();
    assert!(
        why.contains("the next move is #2") && why.contains("move: not a valid command"),
        "{why}"
    );
    env.receive(&start.reply("d3\nmove 1 my.own.words\ngames").id("second"));
    assert_eq!(last(&env), from_alice(json!([]), "copy", json!("processed before")));
    env.receive(&start.reply("set timezone MySecret").id("words"));
    assert_eq!(last(&env)["why"], "set: \"...\" is not a time zone");
    env.receive(&start.reply("hello there, my dear").id("third"));
    assert_eq!(last(&env), from_alice(json!([]), "done", json!("no command was found")));
    env.receive(&start.reply("player a\"secretword\nplan 1 c3\"secretword").id("quotes"));
    let why = last(&env)["why"].as_str().unwrap().to_owned();
    assert!(why.contains("player: there is no player \"...\""), "{why}");
    env.receive(&start.reply("say my secret words\n\n> hello").id("unclear"));
    let why = last(&env)["why"].as_str().unwrap().to_owned();
    assert!(
        why.starts_with("say: what you said was not passed on, because it cannot be told"),
        "{why}"
    );
    env.receive(&InboundMessage::new(ALICE, "resign 1"));
    let why = json!("the sender is asked to confirm");
    assert_eq!(last(&env), from_alice(json!(["resign"]), "held", why));
    let question = env.last_mail_to(ALICE);
    env.receive(&question.reply("no thanks"));
    assert_eq!(last(&env), from_alice(json!(["no", "resign"]), "done", Value::Null));
    env.receive(&InboundMessage::new(STRANGER, "buy this"));
    let mail = last(&env);
    assert_eq!((&mail["player"], &mail["from"]), (&Value::Null, &json!(STRANGER)));
    assert_eq!(mail["disposition"], "stranger");
    // Another player's address is shown as the name.
    env.receive(&start.reply("d3").from(BOB).id("fourth"));
    let mail = last(&env);
    assert_eq!((&mail["player"], &mail["from"]), (&json!("alice"), &json!("bob")));
    assert_eq!(mail["disposition"], "mismatch");
    env.receive(&start.reply("d3").with("Auto-Submitted", "auto-replied"));
    assert_eq!(last(&env), from_alice(json!([]), "ignored", json!("auto-submitted")));
    env.pipe(b"From: alice@example.org\nContent-Type: multipart/mixed\n\n");
    let mail = last(&env);
    assert_eq!((&mail["player"], &mail["disposition"]), (&json!("alice"), &json!("quarantined")));
    assert!(!mail["why"].as_str().unwrap().is_empty());

    let all = listed(&env, "--last 100");
    assert_eq!(all.len(), 13);
    let text = env.ok("inbox --last 100") + &format!("{all:?}");
    for private in ["secret", "my.own.words", "hello", "buy this", ALICE, BOB] {
        assert!(!text.contains(private), "{private}: {text}");
    }
    assert_eq!(listed(&env, "--player bob").len(), 0);
    assert_eq!(listed(&env, "--player alice").len(), 12);
    assert_eq!(listed(&env, "--disposition done --last 2").len(), 2);
    assert_eq!(listed(&env, "--disposition ignored --player alice").len(), 1);
    let refused = env.fails(2, "inbox --disposition lost");
    assert!(refused.contains("quarantined"), "{refused}");
    env.fails(1, "inbox --player nobody");
}

#[test]
fn a_bounce_names_the_mail_and_its_player_without_addresses() {
    let env = TestEnvironment::new().with_envelopes().with_game();
    let report = report(Server::Postfix, &env.last_mail_to(ALICE), FAILED);
    assert_eq!(env.receive(&report), "bounce");
    let mail = last(&env);
    assert_eq!(mail["player"], "alice");
    let why = mail["why"].as_str().unwrap();
    assert!(why.starts_with("mail 1 of ours: it bounced: "), "{why}");
    assert!(!why.contains('@'), "{why}");
}

#[test]
fn a_player_who_leaves_is_erased_from_the_list() {
    for command in ["leave --yes --as bob", "remove bob --ban"] {
        let env = TestEnvironment::new().with_game();
        env.receive(&InboundMessage::new(BOB, "games"));
        env.receive(&env.last_mail_to(ALICE).reply("f5").from(BOB));
        env.receive(&InboundMessage::new(ALICE, "games"));
        env.receive(&InboundMessage::new("Bob+news@example.org", "hello"));
        assert_eq!(listed(&env, "--last 9").len(), 4);
        env.ok(command);
        env.ok("send");
        let rest = listed(&env, "--last 9");
        assert_eq!(rest.len(), 1, "{rest:#?}");
        assert_eq!(rest[0]["player"], "alice");
        // Later, the address of a banned sender is not kept either.
        env.receive(&InboundMessage::new(BOB, "games"));
        let from = &last(&env)["from"];
        assert_eq!(*from == Value::Null, command.contains("ban"), "{from}");
    }
}

#[test]
fn the_list_keeps_thirty_days_and_ten_thousand_mails() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(CAROL, "hello"));
    env.later(20 * DAY);
    env.receive(&InboundMessage::new(CAROL, "hello again"));
    env.later(10 * DAY + 1);
    assert_eq!(listed(&env, "--last 9").len(), 1, "even if `send` never runs");
    let rows = || {
        let count = "SELECT count(*) FROM received";
        env.sqlite().query_row(count, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(rows(), 2);
    env.ok("send");
    assert_eq!(rows(), 1);
    let now = env.now().timestamp();
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                INSERT INTO received (received_at, understood, disposition, why)
                SELECT ?1, '', 'stranger', '' FROM n";
    env.sqlite().execute(many, [now]).unwrap();
    env.receive(&InboundMessage::new(CAROL, "hello once more"));
    assert_eq!(rows(), 10_000);
    assert_eq!(last_sender(&env), CAROL);
}

/// Returns the sender of the last mail.
fn last_sender(env: &TestEnvironment) -> String {
    listed(env, "--last 1")[0]["from"].as_str().unwrap().to_owned()
}

#[test]
fn a_clock_that_was_ahead_does_not_keep_a_mail_for_longer() {
    let env = TestEnvironment::new().with_game();
    env.later(1000 * DAY);
    env.receive(&InboundMessage::new(CAROL, "hello"));
    env.later(-1000 * DAY);
    env.ok("send");
    assert_eq!(listed(&env, "--last 1")[0]["at"], "2026-11-21T10:00:00Z");
}
