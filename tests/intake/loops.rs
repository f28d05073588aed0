//! Automatic mail causes neither answers nor changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::bounces::paused;
use super::quarantine;
use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, Mail, SERVER, TestEnvironment, run_with_input,
};

/// Checks that a message is ignored for this reason and has no other effect.
#[track_caller]
fn is_ignored(env: &TestEnvironment, message: &InboundMessage, why: &str) {
    let (before, outbox) = (env.dispositions(), env.outbox());
    let disposition = env.receive(message);
    assert_eq!(
        disposition,
        format!("ignored: {why}"),
        "{}",
        String::from_utf8_lossy(&message.bytes())
    );
    assert_eq!((env.plies(1), env.outbox()), (0, outbox));
    let mut expected = before;
    *expected.entry(disposition).or_default() += 1;
    assert_eq!(env.dispositions(), expected);
}

#[test]
fn automatic_mail_causes_neither_answers_nor_changes() {
    let env = TestEnvironment::new().with_game();
    let reply = || env.last_mail_to(ALICE).reply("f5");
    for (field, value, why) in [
        ("Auto-Submitted", "auto-replied", "auto-submitted"),
        ("Auto-Submitted", "auto-generated", "auto-submitted"),
        ("Auto-Submitted", "AUTO-NOTIFIED; owner-email=\"no\"", "auto-submitted"),
        ("auto-submitted", "auto-replied (vacation)", "auto-submitted"),
        ("Auto-Submitted", "(no) auto-replied", "auto-submitted"),
        ("Auto-Submitted", "nonsense", "auto-submitted"),
        ("Auto-Submitted", "", "auto-submitted"),
        ("Precedence", "bulk", "bulk"),
        ("Precedence", "Junk", "bulk"),
        ("PRECEDENCE", " list ", "bulk"),
        ("Precedence", "auto_reply", "bulk"),
        ("X-Auto-Response-Suppress", "All", "suppressed"),
        ("X-Auto-Response-Suppress", "DR, OOF, AutoReply", "suppressed"),
        ("List-Id", "<players.example.org>", "list"),
        ("List-Id", "", "list"),
        ("Return-Path", "<>", "null-path"),
        ("Return-Path", " < > (bounce)", "null-path"),
        ("Return-Path", "<MAILER-DAEMON>", "null-path"),
        ("Return-Path", "mailer-daemon@mx.example.org", "null-path"),
    ] {
        is_ignored(&env, &reply().with(field, value), why);
    }
    for sender in ["", "<>", "MAILER-DAEMON", "mailer-daemon@mx.example.org"] {
        is_ignored(&env, &reply().sent_by(sender), "null-path");
    }
    let both = reply().and("Auto-Submitted", "no").and("Auto-Submitted", "auto-replied");
    is_ignored(&env, &both, "auto-submitted");
    for local in ["mailer-daemon", "MAILER-DAEMON", "postmaster", "no-reply", "NoReply"] {
        is_ignored(&env, &reply().with("From", &format!("{local}@example.org")), "daemon");
    }
    let person = reply()
        .and("Auto-Submitted", "No (by hand); x=y")
        .and("Precedence", "first-class")
        .and("Return-Path", "<alice@example.org>");
    assert_eq!(env.receive(&person), "done");
    assert_eq!(env.plies(1), 1);
    let inbox = env.ok("inbox");
    for (disposition, count) in env.dispositions() {
        let row = inbox.lines().find(|line| line.starts_with(&format!("{disposition} "))).unwrap();
        assert!(row.contains(&count.to_string()), "{inbox}");
    }
}

#[test]
fn automatic_mail_without_a_usable_sender_is_ignored() {
    let env = TestEnvironment::new().with_game();
    for from in ["MAILER-DAEMON", "Mail Delivery Subsystem <MAILER-DAEMON>", "<>", ""] {
        let message = env.last_mail_to(ALICE).reply("f5").with("From", from);
        is_ignored(&env, &message.clone().and("Auto-Submitted", "auto-replied"), "auto-submitted");
        let disposition = env.receive(&message.sent_by(""));
        assert!(disposition.starts_with("ignored: "), "{from}: {disposition}");
    }
    assert_eq!((env.plies(1), env.outbox().len()), (0, 2));
    assert!(quarantine(&env).is_empty());
}

#[test]
fn a_vacation_reply_makes_no_move() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    let quoted = mail.quoted();
    for text in [
        "f5".to_owned(),
        format!("I am away until Monday.\n\n{quoted}"),
        format!("f5\n\n{quoted}"),
        "I am away. Your mail:\n\nf5\nd3\nresign\n".to_owned(),
    ] {
        let away = mail.reply(&text).with("Subject", "Auto: Out of office: f5");
        is_ignored(&env, &away.clone().and("Auto-Submitted", "auto-replied"), "auto-submitted");
        is_ignored(&env, &away.clone().and("X-Autoreply", "yes"), "autoreply");
        is_ignored(&env, &away.sent_by("<>"), "null-path");
    }
}

/// Returns the kinds of mails: the templates that extend that of all mails, or of those that are text.
fn kinds() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let templates = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_kind = |path: &PathBuf| {
        path.extension() == Some("txt".as_ref())
            && !path.ends_with("said.txt")
            && fs::read_to_string(path).unwrap().starts_with("{% extends ")
    };
    let kinds = templates.filter(is_kind);
    kinds.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Returns an environment and a mail of every kind.
fn mails_of_every_kind() -> (TestEnvironment, Vec<Mail>) {
    // alice's mail has been paused before.
    let (env, _) = paused();
    let config = fs::read_to_string(env.config_file()).unwrap();
    env.write_config(&format!(
        "{config}\n[web]\nurl = 'https://club.example'\n[host]\nmail = 'host@club.example'"
    ));
    env.receive(&env.last_mail_to(ALICE).reply("f5\nshow 1\nreceipt on"));
    env.receive(&env.last_mail_to(BOB).reply("a1"));
    env.receive(&env.last_mail_to(BOB).reply("d6").with("From", "mallory@example.org"));
    env.receive(&InboundMessage::new(ALICE, "show 1"));
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    env.receive(&InboundMessage::new("dave@example.org", "help"));
    env.ok("signup erin erin@example.org");
    env.ok("set watchers all --as alice");
    env.ok("set watchers all --as bob");
    env.ok("watch 1 --as erin");
    env.receive(&env.last_mail_to(BOB).reply("d6"));
    env.receive(&env.last_mail_to(ALICE).reply("c3"));
    env.ok("--as bob set mail digest 18:00");
    env.ok("--as bob set letter on");
    env.ok("new mini alice bob --clock 5d");
    env.ok("extend 2 5d");
    env.ok("move 2 b1");
    for _ in 0..5 {
        env.later(24 * 60);
        env.ok("send");
    }
    env.ok("resign 1 --as bob");
    env.ok("analyze 1 --as alice");
    env.ok("challenge alice --as erin");
    env.ok("send");
    env.ok("set address robert@example.org --as bob");
    env.receive(&env.last_mail_to(BOB).reply("yes"));
    env.receive(&env.last_mail_to("robert@example.org").reply("yes"));
    env.ok("page --as alice");
    env.ok("doctor --mail frank@example.org");
    env.ok("tournament new cup mini");
    env.ok("join cup --as alice");
    env.ok("tournament cancel cup");
    env.ok("remove erin");
    env.receive(&env.last_mail_to(CAROL).reply("yes"));
    env.ok("send");
    // The outbox does not keep a farewell. A Message-ID has the kind, behind the game and the move.
    let mut sent = BTreeMap::new();
    for (id, mail) in env.all_mails() {
        let kind = id.split('.').find(|part| part.parse::<u64>().is_err()).unwrap().to_owned();
        sent.entry(kind).or_insert(mail);
    }
    assert_eq!(sent.keys().cloned().collect::<BTreeSet<_>>(), kinds());
    let mails = sent.into_values().collect();
    (env, mails)
}

#[test]
fn our_own_mail_is_ignored_when_it_comes_back() {
    let (env, mails) = mails_of_every_kind();
    let (outbox, plies) = (env.outbox(), env.plies(1));
    let ignored = || {
        let dispositions = env.dispositions().into_iter();
        let ignored = dispositions.filter(|(name, _)| name.starts_with("ignored: "));
        ignored.map(|(_, mails)| mails).sum::<u64>()
    };
    let mut count = ignored();
    for mail in mails {
        let without = |text: &str, names: &[&str]| -> String {
            let is_named = |line: &str| names.iter().any(|name| line.starts_with(name));
            text.split_inclusive('\n').filter(|line| !is_named(line)).collect()
        };
        let text = &mail.raw;
        let stripped = without(text, &["Auto-Submitted:", "List-Id:"]);
        let nameless = without(&stripped, &["Message-ID:"]);
        let other =
            stripped.replace(&format!("From: Outflank <{SERVER}>"), &format!("From: {ALICE}"));
        assert!(stripped.len() < text.len());
        assert!(nameless.len() < stripped.len() && other != stripped);
        for (bytes, why) in
            [(text, ""), (&stripped, "our own"), (&nameless, "our own"), (&other, "our own")]
        {
            for (recipient, sender) in [(SERVER.to_owned(), ALICE), (mail.reply_to(), SERVER)] {
                let message = InboundMessage::new(sender, "").to(&recipient);
                let command = env.receive_command(&message, &["--json"]);
                let stdout = run_with_input(command, bytes.as_bytes()).ok();
                assert!(stdout.contains(&format!("ignored: {why}")), "{}: {stdout}", mail.id());
                count += 1;
            }
        }
    }
    assert_eq!((env.outbox(), env.plies(1)), (outbox, plies));
    assert_eq!(ignored(), count);
    assert!(quarantine(&env).is_empty());
}

#[test]
fn mail_from_our_own_address_is_ignored() {
    let env = TestEnvironment::new().with_game();
    let to = env.last_mail_to(ALICE).reply_to();
    for from in [SERVER, "OUTFLANK@Club.Example", "outflank+x@club.example", &to] {
        is_ignored(&env, &env.last_mail_to(ALICE).reply("f5").with("From", from), "our own");
        is_ignored(&env, &InboundMessage::new(from, "signup loop"), "our own");
    }
}

#[test]
fn answers_are_marked_as_automatic() {
    let env = TestEnvironment::new().with_game();
    let dave = "dave@example.org";
    let receipt = env.last_mail_to(ALICE).reply("receipt on");
    for message in [
        InboundMessage::new(ALICE, "show 1"),
        env.last_mail_to(ALICE).reply("show 1"),
        receipt.without("Message-ID"),
        env.last_mail_to(ALICE).reply("a1").without("Message-ID"),
        env.last_mail_to(ALICE).reply("f5"),
        InboundMessage::new(dave, "signup dave"),
        InboundMessage::new(dave, "help").without("Message-ID"),
    ] {
        env.receive(&message);
    }
    let mails = [env.mails_to(ALICE), env.mails_to(dave)].concat();
    let answers: Vec<_> =
        mails.iter().filter(|mail| !mail.header("Message-ID").contains(".started.")).collect();
    assert_eq!(answers.len(), 7);
    for mail in answers {
        assert_eq!(mail.header("Auto-Submitted"), "auto-replied", "{}", mail.text);
    }
    for mail in env.mails_to(BOB) {
        assert_eq!(mail.header("Auto-Submitted"), "auto-generated", "{}", mail.text);
    }
}
