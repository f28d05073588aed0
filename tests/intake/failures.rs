//! Failed deliveries to a player: refused at once, bounced, or reported in a notice.

use std::fs;

use super::bounces::{FAILED, Server, report};
use crate::harness::{ALICE, BOB, InboundMessage, Mail, TestEnvironment, run_with_input};

const DAY: i64 = 24 * 60;

/// Sets a transport that refuses all mail to alice with this exit status and reply.
fn refuse(env: &TestEnvironment, status: u8, reply: &str) {
    let script = format!(r#"case "$*" in *{ALICE}) echo "{reply}" >&2; exit {status};; esac"#);
    let command = format!("['sh', '-c', '''{script}''', 'sendmail']");
    env.configure(&format!("[transport]\nkind = 'sendmail'\ncommand = {command}"));
}

fn failures(env: &TestEnvironment) -> i64 {
    let select = "SELECT failures FROM player WHERE name = 'alice'";
    env.sqlite().query_row(select, [], |row| row.get(0)).unwrap()
}

/// Returns a notice by qmail that this mail could not be delivered.
fn notice(about: &Mail) -> InboundMessage {
    notice_with(about, "550 5.1.1 unknown user")
}

fn notice_with(about: &Mail, reply: &str) -> InboundMessage {
    let text = format!(
        "Hi. This is the qmail-send program at mx.example.org.\n\
         I'm afraid I wasn't able to deliver your message to the following addresses.\n\
         This is a permanent error; I've given up. Sorry it didn't work out.\n\n\
         <{ALICE}>:\nRemote host said: {reply}\n\n\
         --- Below this line is a copy of the message.\n\n{}",
        about.raw.replace("\r\n", "\n")
    );
    InboundMessage::new("", &text)
        .to(&about.return_path())
        .with("From", "MAILER-DAEMON@mx.example.org")
        .subject("failure notice")
}

/// Returns an environment with game 1, and the mail to alice about its start.
fn game() -> (TestEnvironment, Mail) {
    let env = TestEnvironment::new().with_envelopes();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    let first = env.mails().into_iter().find(|mail| mail.to == ALICE).unwrap();
    (env, first)
}

/// Removes the delivered mails, because a repeated Message-ID fails a test.
fn remove_mails(env: &TestEnvironment) {
    let new = env.path("outflank.maildir/new");
    fs::remove_dir_all(&new).unwrap();
    fs::create_dir(&new).unwrap();
}

/// Returns the only new mail, which must be a repetition of this one.
#[track_caller]
fn same_again(env: &TestEnvironment, first: &Mail) -> Mail {
    let again = env.mail_to(ALICE);
    remove_mails(env);
    assert_eq!((again.id(), &again.text), (first.id(), &first.text));
    again
}

#[test]
fn a_refused_recipient_counts_and_a_refusal_of_the_host_is_shown() {
    for (status, reply, state, counted) in [
        (67, "550 5.1.1 no such user", "queued", 1),
        (68, "550 no such domain", "queued", 1),
        (67, "550 5.7.1 your host is blocked", "failed", 0),
        (65, "554 message rejected", "failed", 0),
    ] {
        let env = TestEnvironment::new();
        refuse(&env, status, reply);
        env.run("new mini alice@example.org bob@example.org").ok();
        let shown = env.json("mail 1");
        assert!(shown["mails"][0]["error"].as_str().unwrap().contains(reply), "{shown}");
        assert_eq!(shown["mails"][0]["state"], state, "{status} {reply}");
        assert_eq!(failures(&env), counted, "{status} {reply}");
    }
}

#[test]
fn refused_recipients_pause_like_bounces_and_opponents_are_notified_once() {
    let env = TestEnvironment::new();
    let start = || {
        env.run(&format!("new mini {ALICE} {BOB}")).ok();
    };
    refuse(&env, 75, "450 later");
    (0..3).for_each(|_| start());
    refuse(&env, 67, "550 5.1.1 no such user");
    (0..3).for_each(|_| start());
    assert_eq!((failures(&env), env.count("bob paused")), (3, 0), "all on one day");
    env.later(DAY);
    // All six mails fail in one batch.
    env.run("send");
    assert_eq!((failures(&env), env.count("bob paused")), (9, 1));
    start();
    assert_eq!((env.count("alice started queued"), env.mails().len()), (0, 0));
    assert_eq!(env.outbox()[env.outbox().len() - 2], "alice started paused");
}

#[test]
fn a_turn_mail_to_a_refused_address_is_sent_again_after_one_and_after_three_days() {
    let env = TestEnvironment::new();
    refuse(&env, 67, "550 5.1.1 no such user");
    env.ok(&format!("new mini {ALICE} {BOB}"));
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push((failures(&env), env.count("bob paused")));
        env.later(DAY);
        env.run("send");
    }
    assert_eq!(seen, [(1, 0), (2, 0), (2, 0), (3, 1)]);
}

#[test]
fn a_notice_without_a_report_counts_once() {
    let (env, first) = game();
    let message = notice(&first);
    assert_eq!(env.receive(&message), "bounce");
    assert_eq!(env.receive(&message), "copy");
    assert_eq!(failures(&env), 1);
    assert!(env.json("mail 1")["mails"][0]["error"].as_str().unwrap().contains("550 5.1.1"));
}

#[test]
fn a_copy_of_a_report_does_not_count_after_the_mail_was_sent_again() {
    let (env, first) = game();
    let message = report(Server::Postfix, &first, FAILED);
    assert_eq!(env.receive(&message), "bounce");
    remove_mails(&env);
    env.later(DAY);
    env.ok("send");
    same_again(&env, &first);
    assert_eq!(env.receive(&message), "copy");
    env.later(3 * DAY);
    env.ok("send");
    assert_eq!((env.mails().len(), failures(&env)), (0, 1));
}

#[test]
fn delays_and_answers_do_not_count() {
    let (env, first) = game();
    let quoted = format!("I am away.\n\n{}", first.raw);
    let away = InboundMessage::new("", &quoted).to(&first.return_path()).with("From", ALICE);
    for message in [
        away.clone().with("Auto-Submitted", "auto-replied"),
        away.clone().sent_by(ALICE),
        notice(&first).subject("Warning: message 1a delayed 24 hours"),
        notice_with(&first, "450 try again\n\nIt will be retried for 4 days."),
        InboundMessage::new("", "Not delivered.")
            .to(&first.return_path())
            .with("From", "MAILER-DAEMON@mx.example.org"),
    ] {
        let disposition = env.receive(&message);
        assert!(disposition.starts_with("ignored: "), "{disposition}");
    }
    let disposition = env.receive(&away);
    assert!(disposition.starts_with("ignored: "), "{disposition}");
    assert_eq!(failures(&env), 0);
}

#[test]
fn a_report_of_a_refusal_by_policy_is_shown_to_the_host_and_does_not_count() {
    let (env, first) = game();
    env.ok("move 1 f5");
    assert_eq!(env.receive(&notice_with(&first, "550 5.7.1 your host is blocked")), "bounce");
    assert_eq!((failures(&env), env.outbox()[0].as_str()), (0, "alice started failed"));
    let shown = env.json("mail")["mails"][0].clone();
    assert!(shown["error"].as_str().unwrap().contains("5.7.1 your host is blocked"), "{shown}");
}

#[test]
fn a_bounced_turn_mail_is_sent_again_after_one_and_after_three_days() {
    let (env, first) = game();
    // These failures do not count, so the mail is not paused.
    let notice = |about: &Mail| notice_with(about, "550 5.7.1 your host is blocked");
    remove_mails(&env);
    assert_eq!(env.receive(&notice(&first)), "bounce");
    env.later(DAY - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    let second = same_again(&env, &first);
    assert_eq!(env.receive(&notice(&second)), "bounce");
    env.later(2 * DAY - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    let third = same_again(&env, &first);
    assert_eq!(env.receive(&notice(&third)), "bounce");
    env.later(20 * DAY);
    env.ok("send");
    env.no_mail();
    assert_eq!(env.outbox()[0], "alice started failed");
}

#[test]
fn a_turn_mail_that_bounces_for_the_last_time_has_failed() {
    let (env, first) = game();
    let policy = "550 5.7.1 your host is blocked";
    for (reply, days) in [("550 5.1.1 no such user", 1), (policy, 2), ("550 5.1.1 unknown", 0)] {
        assert_eq!(env.receive(&notice_with(&first, reply)), "bounce");
        remove_mails(&env);
        env.later(days * DAY);
        env.ok("send");
    }
    // Only two of its bounces count, so mail to alice is not paused.
    assert_eq!((failures(&env), env.outbox()[0].as_str()), (2, "alice started failed"));
}

#[test]
fn a_bounced_turn_mail_is_not_sent_again_when_the_game_has_moved_on() {
    for change in ["move 1 f5", "resign 1 --as bob"] {
        let (env, first) = game();
        assert_eq!(env.receive(&notice(&first)), "bounce");
        env.ok(change);
        let to_alice = |mail: &Mail| mail.to == ALICE && mail.id() == first.id();
        env.later(5 * DAY);
        env.ok("send");
        assert!(!env.mails().iter().any(to_alice), "{change}");
    }
}

#[test]
fn failures_on_one_day_do_not_pause() {
    let env = TestEnvironment::new().with_envelopes();
    for _ in 0..4 {
        env.ok(&format!("new othello {ALICE} {BOB}"));
    }
    let mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == ALICE).collect();
    for mail in &mails[..3] {
        assert_eq!(env.receive(&notice(mail)), "bounce");
    }
    assert_eq!((failures(&env), env.count("bob paused")), (3, 0));
    env.later(DAY);
    assert_eq!(env.receive(&notice(&mails[3])), "bounce");
    assert_eq!(
        (failures(&env), env.count("bob paused"), env.count("alice started paused")),
        (4, 1, 4)
    );
}

#[test]
fn failures_are_forgotten_after_a_month() {
    let env = TestEnvironment::new().with_envelopes();
    for _ in 0..3 {
        env.ok(&format!("new othello {ALICE} {BOB}"));
    }
    let mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == ALICE).collect();
    for (mail, expected) in mails.iter().zip([1, 2, 2]) {
        assert_eq!(env.receive(&notice(mail)), "bounce");
        assert_eq!(failures(&env), expected);
        env.later(16 * DAY);
    }
    assert_eq!(env.count("bob paused"), 0);
}

#[test]
fn a_command_of_the_player_ends_a_pause() {
    for (words, expected) in
        [("show 1", 1), ("games --as bob", 1), ("games --as alice", 0), ("move 1 f5 --as alice", 0)]
    {
        let (env, first) = game();
        env.receive(&notice(&first));
        assert_eq!(failures(&env), 1);
        env.ok(words);
        assert_eq!(failures(&env), expected, "{words}");
    }
    let (env, first) = game();
    env.receive(&notice(&first));
    let mut ssh = env.command("ssh alice");
    ssh.env("SSH_ORIGINAL_COMMAND", "show 1");
    run_with_input(ssh, b"").ok();
    assert_eq!(failures(&env), 0);
}

#[test]
fn a_mail_ends_no_pause_of_the_player_named_in_the_environment() {
    let (env, first) = game();
    env.receive(&notice(&first));
    let mail = InboundMessage::new(BOB, "games");
    let mut receive = env.receive_command(&mail, &[]);
    receive.env("OUTFLANK_AS", "alice");
    run_with_input(receive, &mail.bytes()).silent(0);
    assert_eq!(failures(&env), 1);
}
