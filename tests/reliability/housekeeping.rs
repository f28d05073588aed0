//! Deletion of old records.

use std::fs;

use rusqlite::Connection;

use super::state;
use crate::harness::{ALICE, BOB, InboundMessage, Mail, TestEnvironment};

/// A day in minutes.
const DAY: i64 = 24 * 60;

/// Returns the number of mails in the outbox.
fn mails(env: &TestEnvironment) -> usize {
    env.outbox().len()
}

fn last_id(sqlite: &Connection) -> i64 {
    let last = "SELECT seq FROM sqlite_sequence WHERE name = 'outbox'";
    sqlite.query_row(last, [], |row| row.get(0)).unwrap()
}

#[test]
fn mails_are_kept_as_long_as_their_state_says() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5 d6 c3");
    let states = ["failed", "queued", "paused", "superseded"];
    for (id, state) in (4..).zip(states) {
        env.ok("--as alice show 1");
        let add = "INSERT INTO outbox (id, message_id, kind, player, game, ply, events, state, created_at,
                due_at)
            SELECT ?1, ?1, 'turn', 1, 1, 0, 0, ?2, created_at, due_at + iif(?2 = 'queued', 871200, 0)
            FROM outbox WHERE id = 1";
        env.sqlite().execute(add, (id, state)).unwrap();
    }
    env.later(10 * DAY);
    env.ok("send");
    assert_eq!(mails(&env), 7, "a report may come back until then");
    env.later(1);
    env.ok("send");
    assert_eq!(env.outbox(), ["alice turn failed", "alice turn queued", "alice turn paused"]);
    let failed = || env.count("alice turn failed");
    env.later(20 * DAY - 1);
    env.ok("send");
    assert_eq!(failed(), 1);
    env.later(1);
    env.ok("send");
    assert_eq!((failed(), env.count("alice turn paused")), (0, 1));
    env.ok("mail 1");

    // Ids are not reused.
    let last = last_id(&env.sqlite());
    env.sqlite().execute_batch("DELETE FROM outbox").unwrap();
    env.ok("move 1 d3");
    assert_eq!(last_id(&env.sqlite()), last + 1);
    state::check(&env.database());
}

#[test]
fn the_outbox_does_not_grow_where_send_never_runs() {
    let env = TestEnvironment::new();
    let mut most = 0;
    for day in 0..60 {
        env.ok(&format!("new mini {ALICE} {BOB}"));
        env.ok(&format!("--as alice resign {}", day + 1));
        most = most.max(mails(&env));
        env.later(DAY);
    }
    // Four mails a day for ten days, plus less than one batch.
    assert!(most < 4 * 12 + 50, "{most}");
}

#[test]
fn many_old_mails_are_deleted_while_others_write() {
    let env = TestEnvironment::new().with_ticking_clock().with_game();
    env.sqlite()
        .execute_batch(
            "UPDATE outbox SET id = 60000 + id;
             INSERT INTO outbox (id, message_id, kind, player, game, ply, events, state, created_at, due_at)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
             SELECT i, i, 'turn', 1, 1, 0, 0, 'sent', i, i FROM n",
        )
        .unwrap();
    let send = env.start("send");
    for number in 0..5 {
        env.ok(&format!("signup player{number} player{number}@example.org"));
    }
    send.finish().ok();
    assert_eq!(mails(&env), 2 + 10_000, "a `send` does not take for ever");
    env.ok("send");
    assert_eq!(mails(&env), 2);
}

/// Returns a mail server's report that this mail failed, to its return path.
fn report(about: &Mail) -> InboundMessage {
    let text = format!(
        "--b1\nContent-Type: text/plain\n\nI'm sorry to have to inform you.\n\n\
         --b1\nContent-Type: message/delivery-status\n\n\
         Reporting-MTA: dns; mx.example.org\n\n\
         Final-Recipient: rfc822; {ALICE}\nAction: failed\nStatus: 5.1.1\n\
         Diagnostic-Code: smtp; 550 5.1.1 User unknown\n\n\
         --b1\nContent-Type: message/rfc822\n\n{}\n\n--b1--\n",
        about.raw.replace("\r\n", "\n").trim_end(),
    );
    InboundMessage::new("", &text)
        .to(&about.return_path())
        .with("From", "MAILER-DAEMON@mx.example.org (Mail Delivery System)")
        .without("Content-Transfer-Encoding")
        .with("Content-Type", "multipart/report; report-type=delivery-status;\r\n\tboundary=\"b1\"")
}

#[test]
fn mail_about_a_deleted_record_is_handled() {
    let env = TestEnvironment::new().with_envelopes().with_game();
    let mail = env.mails_to(ALICE).remove(0);
    env.later(11 * DAY);
    env.ok("send");
    assert_eq!(mails(&env), 0);
    assert_eq!(env.receive(&report(&mail)), "ignored: a report about an unknown mail");
    assert_eq!(env.outbox(), [""; 0]);
    // The reply token is valid for longer than the mail's record is kept.
    assert_eq!(env.receive(&mail.reply("f5")), "done");
    assert_eq!(env.plies(1), 1);
}

#[test]
fn after_a_pause_a_player_gets_a_new_mail_for_each_waiting_game() {
    let env = TestEnvironment::new().with_envelopes().with_game();
    // Game 2 waits for alice after a move, game 3 after none; game 4 does not wait for her, and game 5
    // is muted.
    for _ in 2..=5 {
        env.ok(&format!("new othello {ALICE} {BOB}"));
    }
    env.ok("move 2 f5 d6");
    env.ok("move 4 f5");
    env.ok("--as alice unsubscribe 5");
    let known = env.mails_to(ALICE);
    for mail in &known[..3] {
        env.later(DAY / 2);
        assert_eq!(env.receive(&report(mail)), "bounce");
    }
    // Game 1 waits for alice, but her mail is paused.
    env.ok("move 1 f5 f6");
    assert_eq!(env.outbox().last().unwrap(), "alice turn paused");
    // A reminder is not due yet.
    env.later(28 * DAY);
    env.ok("send");
    let kept = env.outbox();
    assert!(kept.iter().any(|mail| mail == "alice turn paused"), "{kept:?}");
    assert_eq!(kept.iter().filter(|mail| mail.ends_with("sent")).count(), 0, "{kept:?}");

    // A bounced mail is sent again with its Message-ID.
    let new = env.path("outflank.maildir/new");
    fs::remove_dir_all(&new).unwrap();
    fs::create_dir(&new).unwrap();
    assert_eq!(env.receive(&known[0].reply("show 1")), "done");
    env.ok("send");
    let about = |mail: &Mail| {
        let id = mail.id();
        id.trim_start_matches('<').splitn(4, '.').take(3).collect::<Vec<_>>().join(".")
    };
    let mut got: Vec<_> = env.all_mails().values().map(about).collect();
    got.sort();
    assert_eq!(got, ["1.2.answer", "1.2.turn", "2.2.turn", "3.0.started"]);
    assert_eq!(env.receive(&known[0].reply("show 2")), "done");
    assert_eq!(env.all_mails().len(), got.len() + 1, "only once");
}

#[test]
fn a_player_who_ends_a_pause_with_a_move_gets_no_turn_mail_for_that_turn() {
    let env = TestEnvironment::new().with_envelopes().with_game();
    for _ in 0..2 {
        env.receive(&env.mails_to(ALICE)[0].reply("show 1"));
    }
    let known = env.mails_to(ALICE);
    for mail in &known {
        env.later(DAY / 2);
        assert_eq!(env.receive(&report(mail)), "bounce");
    }
    env.ok("move 1 f5 f6");
    assert_eq!(env.outbox().last().unwrap(), "alice turn paused");
    assert_eq!(env.receive(&known[0].reply("e6#3")), "done");
    env.ok("send");
    assert_eq!(env.count("alice turn sent"), 0, "{:?}", env.outbox());
    assert_eq!(env.count("bob turn sent"), 1, "{:?}", env.outbox());
}
