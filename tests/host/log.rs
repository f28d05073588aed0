//! The log of a game, for the host.

use serde_json::{Value, json};

use crate::harness::{ALICE, InboundMessage, TestEnvironment};

const DAY: i64 = 24 * 60;

/// Returns the events, each with its author and its text.
fn events(log: &Value) -> Vec<String> {
    let events = log["events"].as_array().unwrap().iter();
    events
        .map(|it| format!("{} {}", it["by"].as_str().unwrap(), it["what"].as_str().unwrap()))
        .collect()
}

#[test]
fn the_log_has_flags_pauses_extensions_and_mails() {
    let env = TestEnvironment::new();
    env.ok("new othello alice@example.org bob@example.org --clock 5d");
    env.ok("move 1 f5 --as alice");
    env.ok("say 1 'my secret words' --as alice");
    env.ok("note 1 'my private note' --as alice");
    env.ok("pause 1 --as bob");
    env.ok("accept 1 --as alice");
    env.later(DAY);
    env.ok("unpause 1 --as alice");
    env.ok("extend 1 2d bob --reason 'a storm'");
    env.later(6 * DAY);
    env.ok("send");
    env.later(2 * DAY);
    env.ok("send");
    env.ok("claim 1 --as alice");
    let log = env.json("log 1");
    assert_eq!(
        events(&log),
        [
            "black move",
            "black say",
            "black note",
            "white offer",
            "black accept",
            "black unpause",
            "host extend",
            "clock flag",
            "black claim",
        ]
    );
    let of = |number: usize| log["events"][number - 1].clone();
    assert_eq!(
        of(1),
        json!({
            "event": 1, "at": "2026-11-21T10:00:00Z", "by": "black", "player": "alice", "what": "move",
            "text": "f5"
        })
    );
    assert_eq!(of(5)["text"], "accepts the request for a pause");
    assert_eq!(of(6)["at"], "2026-11-22T10:00:00Z");
    assert_eq!(of(7)["text"], "gives bob (white) 2 days more: a storm");
    assert_eq!(
        (&of(8)["text"], &of(8)["player"]),
        (&json!("the time of bob (white) is over"), &Value::Null)
    );
    let mails = log["mails"].as_array().unwrap();
    let turn = mails.iter().find(|mail| mail["about"] == "turn").unwrap();
    assert_eq!(
        (&turn["to"], &turn["event"], &turn["state"]),
        (&json!("bob"), &json!(1), &json!("sent"))
    );
    assert_eq!(turn["sent"], "2026-11-21T10:00:00Z");
    for about in ["started", "flagged", "notice", "reminder", "over"] {
        assert!(mails.iter().any(|mail| mail["about"] == about), "{about}: {mails:#?}");
    }
    let text = env.ok("log 1") + &log.to_string();
    for private in ["secret", "my private", ALICE] {
        assert!(!text.contains(private), "{private}: {text}");
    }
}

#[test]
fn only_the_host_sees_the_log() {
    let env = TestEnvironment::new().with_game();
    assert!(env.fails(2, "log 1 --as alice").contains("acts for no player"));
    assert_ne!(env.ssh("alice", "log 1").status, Some(0));
    assert_eq!(env.receive(&env.last_mail_to(ALICE).reply("log 1")), "done");
    env.mail_to(ALICE).says("No command was found");
    env.fails(1, "log 2");
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "log 1")), "done");
}
