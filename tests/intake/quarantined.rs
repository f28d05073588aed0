//! The quarantine: its limits, and its mails in `inbox`.

use std::fs;

use serde_json::{Value, json};

use super::quarantine;
use crate::harness::{ALICE, BOB, SERVER, TestEnvironment};

fn listed(env: &TestEnvironment) -> Vec<Value> {
    env.json("inbox")["quarantined"].as_array().unwrap().clone()
}

/// Returns a mail by alice with these further fields and this body.
fn mail(fields: &str, body: &str) -> Vec<u8> {
    format!(
        "From: Alice <{ALICE}>\nTo: {SERVER}\nSubject: Re: Othello #1\nMessage-ID: <1@phone>\n\
             Date: Sat, 21 Nov 2026 09:59:00 +0000\n{fields}\n{body}"
    )
    .into_bytes()
}

fn multipart(boundary: &str) -> String {
    format!("Content-Type: multipart/mixed; boundary={boundary}\n")
}

#[test]
fn every_reason_is_named() {
    let nested: String = (0..30)
        .map(|level| format!("--b{level}\n{}\n", multipart(&format!("b{}", level + 1))))
        .collect();
    let many = format!("{}--b--\n", "--b\n\nf5\n".repeat(200));
    for (message, reason) in [
        (mail("", &"x".repeat(6_000_000)), "it is longer than 5 MiB"),
        (b"no mail at all".to_vec(), "it is not a mail"),
        (format!("From: {ALICE}\nSubject: cut").into_bytes(), "it is cut off in its header"),
        (mail(&format!("X-Long: {}\n", "x".repeat(300_000)), "f5\n"), "its header is too long"),
        (b"Subject: f5\n\nf5\n".to_vec(), "it has no From field"),
        (mail(&multipart("b"), "--b\n\nf5\n"), "it is cut off: a closing boundary is missing"),
        (mail("Content-Type: multipart/mixed\n", "f5\n"), "it has a multipart without a boundary"),
        (mail(&multipart("b"), &many), "it has more than 100 parts"),
        (mail(&multipart("b0"), &nested), "its parts are nested deeper than 20 levels"),
        (
            format!("From: {ALICE}, {BOB}\n\nf5\n").into_bytes(),
            "its From field does not name one author",
        ),
    ] {
        let env = TestEnvironment::new().with_game();
        env.pipe(&message);
        let mails = listed(&env);
        assert_eq!(mails.len(), 1, "{reason}");
        assert_eq!(mails[0]["reason"], reason);
        assert!(env.ok("inbox").contains(reason), "{}", env.ok("inbox"));
    }
}

#[test]
fn a_quarantined_mail_is_described() {
    let env = TestEnvironment::new().with_game();
    let long = mail("", &"x".repeat(6_000_000));
    env.pipe(&long);
    env.later(5);
    env.pipe(&long);
    env.pipe(b"From: mallory@evil.example\nSubject: \x1b[2J\xe2\x80\xae bad");
    let mails = listed(&env);
    assert_eq!(mails.len(), 2, "a copy is kept once");
    let file = mails[0]["file"].as_str().unwrap();
    assert_eq!(
        mails[0],
        json!({
            "file": file,
            "reason": "it is longer than 5 MiB",
            "player": "alice",
            "from": ALICE,
            "subject": "Othello #1",
            "message_id": "1@phone",
            "date": "Sat, 21 Nov 2026 09:59:00 +0000",
            "bytes": long.len(),
            "kept": 1_000_000,
            "came": "2026-11-21T10:00:00Z",
        })
    );
    let kept = fs::read(env.path("outflank.quarantine").join(file)).unwrap();
    assert_eq!(kept, long[..1_000_000]);
    assert_eq!(mails[1]["player"], Value::Null);
    assert_eq!(mails[1]["subject"], "[2J bad");
    let text = env.ok("inbox");
    for words in ["alice", "Othello #1", file, "mallory@evil.example"] {
        assert!(text.contains(words), "{text}");
    }

    // The host deletes the file.
    fs::remove_file(env.path("outflank.quarantine").join(file)).unwrap();
    assert_eq!(listed(&env).len(), 1);
    env.ok("send");
    let rows = env.sqlite().query_row("SELECT count(*) FROM quarantine", [], |row| row.get(0));
    assert_eq!(rows, Ok(1));
}

#[test]
fn a_mail_quarantined_by_an_earlier_version_is_listed() {
    let env = TestEnvironment::new().with_game();
    let folder = env.path("outflank.quarantine");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("0123.eml"), mail("", "")).unwrap();
    let mails = listed(&env);
    assert_eq!((&mails[0]["file"], &mails[0]["from"]), (&json!("0123.eml"), &json!(ALICE)));
    assert!(mails[0]["reason"].as_str().unwrap().contains("an earlier version"));
}

#[test]
fn the_quarantine_is_limited_in_bytes() {
    let env = TestEnvironment::new().config("[receive]\nquarantine_mb = 3").with_game();
    for number in 0..4 {
        env.pipe(&mail("", &format!("{number}{}", "x".repeat(6_000_000))));
    }
    let size: usize = quarantine(&env).iter().map(Vec::len).sum();
    assert_eq!(size, 3_000_000);
    assert_eq!((env.dispositions()["quarantined"], env.dispositions()["flood"]), (3, 1));
    // A small mail does not fit either, because it takes at least one block.
    env.pipe(b"no mail");
    assert_eq!(env.dispositions()["flood"], 2);
    assert_eq!(listed(&env).len(), 3);
    // After the host makes room, the next mail is kept.
    let file = fs::read_dir(env.path("outflank.quarantine")).unwrap().next().unwrap();
    fs::remove_file(file.unwrap().path()).unwrap();
    env.pipe(b"no mail");
    assert_eq!((listed(&env).len(), env.dispositions()["quarantined"]), (3, 4));
}
