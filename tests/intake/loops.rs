//! No machine is answered, and none plays.

use std::fs;

use crate::club::{ALICE, BOB, Club, Mail, OUTFLANK};

/// Checks that a mail is counted under this word, and that nothing else comes of it.
#[track_caller]
fn is_ignored(club: &Club, mail: &Mail, why: &str) {
    let (before, outbox) = (club.fates(), club.outbox());
    let fate = club.receive(mail);
    assert_eq!(fate, format!("ignored: {why}"), "{}", String::from_utf8_lossy(&mail.bytes()));
    assert_eq!((club.plies(1), club.outbox()), (0, outbox));
    let mut expected = before;
    *expected.entry(fate).or_default() += 1;
    assert_eq!(club.fates(), expected);
}

#[test]
fn what_machines_send_is_neither_acted_upon_nor_answered() {
    let club = Club::new();
    let reply = || club.reply(ALICE, "f5");
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
        is_ignored(&club, &reply().with(field, value), why);
    }
    for sender in ["", "<>", "MAILER-DAEMON", "mailer-daemon@mx.example.org"] {
        is_ignored(&club, &reply().sent_by(sender), "null-path");
    }
    let both = reply().with("Auto-Submitted", "no").with("Auto-Submitted", "auto-replied");
    is_ignored(&club, &both, "auto-submitted");
    for local in ["mailer-daemon", "MAILER-DAEMON", "postmaster", "no-reply", "NoReply"] {
        is_ignored(&club, &reply().but("From", &format!("{local}@example.org")), "daemon");
    }
    let person = reply()
        .with("Auto-Submitted", "No (by hand); x=y")
        .with("Precedence", "first-class")
        .with("Return-Path", "<alice@example.org>");
    assert_eq!(club.receive(&person), "done");
    assert_eq!(club.plies(1), 1);
    let inbox = club.house.done(&["inbox"]);
    for (fate, mails) in club.fates() {
        let row = inbox.lines().find(|line| line.starts_with(&format!("{fate} "))).unwrap();
        assert!(row.contains(&mails.to_string()), "{inbox}");
    }
}

#[test]
fn a_machine_need_not_say_who_it_is() {
    let club = Club::new();
    for from in ["MAILER-DAEMON", "Mail Delivery Subsystem <MAILER-DAEMON>", "<>", ""] {
        let mail = club.reply(ALICE, "f5").but("From", from);
        is_ignored(&club, &mail.clone().with("Auto-Submitted", "auto-replied"), "auto-submitted");
        let fate = club.receive(&mail.sent_by(""));
        assert!(fate.starts_with("ignored: "), "{from}: {fate}");
    }
    assert_eq!((club.plies(1), club.outbox().len()), (0, 2));
    assert!(club.quarantine().is_empty());
}

#[test]
fn what_answers_for_somebody_away_plays_nothing() {
    let club = Club::new();
    let letter = club.letter(ALICE);
    let quoted: String = letter.text.lines().map(|line| format!("> {line}\n")).collect();
    for text in [
        "f5".to_owned(),
        format!("I am away until Monday.\n\n{quoted}"),
        format!("f5\n\n{quoted}"),
        "I am away. Your mail:\n\nf5\nd3\nresign\n".to_owned(),
    ] {
        let away = letter.reply(ALICE, &text).but("Subject", "Auto: Out of office: f5");
        is_ignored(&club, &away.clone().with("Auto-Submitted", "auto-replied"), "auto-submitted");
        is_ignored(&club, &away.clone().with("X-Autoreply", "yes"), "autoreply");
        is_ignored(&club, &away.sent_by("<>"), "null-path");
    }
}

#[test]
fn our_own_mail_comes_to_nothing() {
    let club = Club::configured("[receive]\nquarantine = 'bin'");
    // Mails of every kind.
    club.receive(&club.reply(ALICE, "f5\nshow 1\nreceipt on"));
    club.receive(&club.reply(BOB, "a1"));
    club.receive(&club.reply(BOB, "d6").but("From", "mallory@example.org"));
    club.receive(&Mail::new(ALICE, OUTFLANK, "show 1"));
    club.receive(&Mail::new("carol@example.org", OUTFLANK, "signup carol"));
    club.receive(&Mail::new("dave@example.org", OUTFLANK, "hello"));
    club.receive(&club.reply(BOB, "d6"));
    club.receive(&club.letter(ALICE).reply(ALICE, "c3"));
    club.house.done(&["resign", "1", "--as", "bob"]);
    let mut kinds: Vec<_> =
        club.outbox().iter().map(|mail| mail.split(' ').nth(1).unwrap().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds, ["answer", "confirm", "mismatch", "over", "receipt", "started", "turn"]);

    let (outbox, plies) = (club.outbox(), club.plies(1));
    let mut fed = 0;
    for (id, text) in club.house.mails() {
        let field = |wanted: &str| {
            let mut lines = text.lines();
            let line = lines.find_map(|line| line.strip_prefix(&format!("{wanted}: "))).unwrap();
            line.rsplit_once('<').map_or(line, |(_, rest)| rest).trim_end_matches('>').to_owned()
        };
        let stripped: String = text
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("Auto-Submitted:") && !line.starts_with("List-Id:"))
            .collect();
        assert!(stripped.len() < text.len());
        let nameless: String = stripped
            .split_inclusive('\n')
            .filter(|line| !line.to_lowercase().starts_with("message-id:"))
            .collect();
        let other =
            stripped.replace(&format!("From: Outflank <{OUTFLANK}>"), &format!("From: {ALICE}"));
        assert!(nameless.len() < stripped.len() && other != stripped);
        for (bytes, why) in [
            (&text, None),
            (&stripped, Some("our own")),
            (&nameless, Some("our own")),
            (&other, Some("our own")),
        ] {
            for (recipient, sender) in [(OUTFLANK.to_owned(), ALICE), (field("Reply-To"), OUTFLANK)]
            {
                let mail = Mail { recipient, ..Mail::new(sender, "", "") };
                let ran = crate::club::feed(club.command(&mail, &["--json"]), bytes.as_bytes());
                assert_eq!((ran.status, &*ran.err), (Some(0), ""), "{id}");
                let ignored = format!("ignored: {}", why.unwrap_or_default());
                assert!(ran.out.contains(&ignored), "{id}: {}", ran.out);
                fed += 1;
            }
        }
    }
    assert_eq!((club.outbox(), club.plies(1)), (outbox, plies));
    let ignored = club.fates().into_iter().filter(|(fate, _)| fate.starts_with("ignored: "));
    assert_eq!(ignored.map(|(_, mails)| mails).sum::<u64>(), fed);
    assert!(fs::read_dir(club.house.path("bin")).is_err());
}

#[test]
fn our_own_address_is_nobody_elses() {
    let club = Club::new();
    let to = club.letter(ALICE).answer_to();
    for from in [OUTFLANK, "OUTFLANK@Club.Example", "outflank+x@club.example", &to] {
        is_ignored(&club, &club.reply(ALICE, "f5").but("From", from), "our own");
        is_ignored(&club, &Mail::new(from, OUTFLANK, "signup loop"), "our own");
    }
}

#[test]
fn answers_say_that_a_machine_writes() {
    let club = Club::new();
    let dave = "dave@example.org";
    let receipt = club.reply(ALICE, "receipt on");
    for mail in [
        Mail::new(ALICE, OUTFLANK, "show 1"),
        club.reply(ALICE, "show 1"),
        receipt.without("Message-ID"),
        club.reply(ALICE, "a1").without("Message-ID"),
        club.reply(ALICE, "f5"),
        Mail::new(dave, OUTFLANK, "signup dave"),
        Mail::new(dave, OUTFLANK, "hello").without("Message-ID"),
    ] {
        club.receive(&mail);
    }
    let letters = [club.letters(ALICE), club.letters(dave)].concat();
    let answers: Vec<_> =
        letters.iter().filter(|letter| !letter.field("Message-ID").contains(".started.")).collect();
    assert_eq!(answers.len(), 7);
    for letter in answers {
        assert_eq!(letter.field("Auto-Submitted"), "auto-replied", "{}", letter.text);
    }
    for letter in club.letters(BOB) {
        assert_eq!(letter.field("Auto-Submitted"), "auto-generated", "{}", letter.text);
    }
}
