//! Automatic mail.

use outflank::mail::read::Automatic;

use super::{file, mail, opened};

fn why(fields: &str) -> Option<Automatic> {
    opened(&mail(fields, b"d3\n")).automatic
}

#[test]
fn each_mark_of_automatic_mail() {
    let signs = [
        ("Auto-Submitted: auto-generated\n", "auto-submitted"),
        ("auto-submitted: AUTO-REPLIED; owner-email=\"x@y\"\n", "auto-submitted"),
        ("Auto-Submitted: (no) auto-notified (really)\n", "auto-submitted"),
        ("Auto-Submitted: no\nAuto-Submitted: auto-replied\n", "auto-submitted"),
        ("Auto-Submitted:\n", "auto-submitted"),
        ("Precedence: bulk\n", "bulk"),
        ("Precedence: Junk\n", "bulk"),
        ("Precedence: list (really)\n", "bulk"),
        ("Precedence: auto_reply\n", "bulk"),
        ("X-Auto-Response-Suppress: All\n", "suppressed"),
        ("X-Auto-Response-Suppress: DR, OOF, AutoReply\n", "suppressed"),
        ("List-Id: Othello <othello.example.org>\n", "list"),
        ("List-ID:\n", "list"),
        ("Return-Path: <>\n", "null-path"),
        ("X-Autoreply: yes\n", "autoreply"),
        ("X-Auto-Reply: yes\n", "autoreply"),
        ("X-Autorespond: d3\n", "autoreply"),
        ("X-Apple-Action: VACATION\n", "autoreply"),
        ("Content-Type: multipart/report; boundary=\"d3\"\n\n--d3--\n", "report"),
    ];
    for (fields, word) in signs {
        assert_eq!(why(fields).map(Automatic::word), Some(word), "{fields}");
    }
}

#[test]
fn each_author_that_is_a_mail_system() {
    let names = [
        "MAILER-DAEMON",
        "postmaster",
        "no-reply",
        "NoReply",
        "do-not-reply",
        "donotreply",
        "noreply+12",
    ];
    for name in names {
        let bytes = format!("From: Bob <{name}@example.org>\n\nd3\n");
        assert_eq!(opened(bytes.as_bytes()).automatic, Some(Automatic::Daemon), "{name}");
    }
    for field in ["MAILER-DAEMON", "Mailer-Daemon <>", "<>", "<postmaster@[192.0.2.1]>"] {
        let bytes = format!("From: {field}\n\nd3\n");
        let message = opened(bytes.as_bytes());
        assert_eq!((message.from, message.automatic), (None, Some(Automatic::Daemon)), "{field}");
    }
    for name in ["postmasters", "reply", "no.reply.bob", "bob+noreply"] {
        let bytes = format!("From: \"noreply\" <{name}@example.org>\n\nd3\n");
        assert_eq!(opened(bytes.as_bytes()).automatic, None, "{name}");
    }
}

#[test]
fn mail_by_people() {
    for fields in [
        "",
        "Auto-Submitted: no\n",
        "Auto-Submitted: (auto-replied) No (never); because=\"auto-replied\"\n",
        "Precedence: first-class\n",
        "X-Auto-Response-Suppress: None\n",
        "Return-Path: <alice@example.org>\n",
        "List-Unsubscribe: <mailto:a@x>\n",
        "Subject: Auto-Submitted: auto-replied\n",
        "Subject: x\n Precedence: bulk\n",
    ] {
        assert_eq!(why(fields), None, "{fields}");
    }
    // Only the header counts.
    assert_eq!(opened(&mail("", b"Precedence: bulk\n\nd3\n")).automatic, None);
}

#[test]
fn a_vacation_answer() {
    assert_eq!(opened(&file("vacation")).automatic, Some(Automatic::AutoSubmitted));
}
