//! Header fields of a person's mail, and bytes that are not a mail.

use outflank::mail::read::{Automatic, Body, MAX_BYTES, Unreadable, read};

use super::{fault, file, files, mail, on_the_wire, opened};

#[test]
fn a_plain_answer() {
    let message = opened(&file("plain"));
    assert_eq!(message.message_id.as_deref(), Some("m3@example.org"));
    assert_eq!(message.from.as_deref(), Some("alice@example.org"));
    assert_eq!(message.subject, "Game 12: your turn, alice");
    let to =
        ["outflank+k7@us.example", "bob@example.net", "carol@example.net", "outflank@us.example"];
    assert_eq!(message.recipients, to);
    let ids = ["m2@us.example", "m2@us.example", "m1@example.org", "game-12@us.example"];
    assert_eq!(message.references, ids);
    assert_eq!(message.automatic, None);
    assert!(message.authentication.confirms("mx.us.example", "alice@example.org"));
    assert!(!message.authentication.confirms("mx.us.example", "alice@example.net"));
    assert!(!message.authentication.confirms("mx.them.example", "alice@example.org"));
    assert_eq!(message.report, None);
    assert_eq!(message.date.as_deref(), Some("Sat, 21 Nov 2026 07:29:58 +0100"));
    let Body::Lines { fresh, whole, signed, .. } = message.body else { panic!("no lines") };
    assert_eq!(fresh[0], "d3");
    assert!(!fresh.iter().any(|line| line.contains("e6")), "{fresh:?}");
    assert!(whole.contains("k7q-x2"), "{whole}");
    assert!(!signed);
}

#[test]
fn line_ends_make_no_difference() {
    for (name, bytes) in files() {
        assert_eq!(read(&bytes), read(&on_the_wire(&bytes)), "{name}");
    }
}

#[test]
fn a_bare_mail() {
    let message = opened(b"From: alice@example.org\n\n");
    assert_eq!((message.message_id, message.date), (None, None));
    assert_eq!((message.subject.as_str(), message.body), ("", Body::Empty));
    assert!(message.recipients.is_empty() && message.references.is_empty());
}

#[test]
fn a_mail_with_two_authors_has_none() {
    let message = opened(b"From: alice@example.org\nFrom: bob@example.net\n\nd3\n");
    assert_eq!(message.from, None);
    let message = opened(b"From: alice@example.org, bob@example.net\n\nd3\n");
    assert_eq!(message.from, None);
}

#[test]
fn unreadable_bytes() {
    let cases: [(&[u8], Unreadable); 15] = [
        (b"", Unreadable::NotMail),
        (b"\n", Unreadable::NotMail),
        (b"\n\nFrom: alice@example.org\n\nd3", Unreadable::NotMail),
        (&[0; 5000], Unreadable::NotMail),
        (b"\x7fELF\x02\x01\x01\0\0\n\n\x80\x81", Unreadable::NotMail),
        (b"d3\n\nd3\n", Unreadable::NotMail),
        (b"From: alice@example.org", Unreadable::CutInHeader),
        (b"From: alice@example.org\nSubject: d3\n", Unreadable::CutInHeader),
        (b"From: alice@example.org\r\nSubject: d3\r\n\r", Unreadable::CutInHeader),
        (b"Subject: d3\nX-From: alice@example.org\n\nd3\n", Unreadable::NoFrom),
        (
            b"From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nd3\n--b",
            Unreadable::CutInBody,
        ),
        (
            b"From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nd3\n--b-",
            Unreadable::CutInBody,
        ),
        (b"From: a@x\nContent-Type: multipart/mixed; boundary=b\n\nd3\n", Unreadable::CutInBody),
        (b"From: a@x\nContent-Type: multipart/mixed\n\nd3\n", Unreadable::NoBoundary),
        (&[b'a'; MAX_BYTES + 1], Unreadable::TooLong),
    ];
    for (bytes, why) in cases {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
        assert_eq!(fault(bytes), Some(why), "{start:?}");
        assert!(!why.to_string().is_empty());
    }
}

#[test]
fn a_null_return_path() {
    for field in ["<>", " < > ", "(none) <>"] {
        let message = opened(&mail(&format!("Return-Path: {field}\n"), b""));
        assert_eq!(message.automatic, Some(Automatic::NullPath), "{field}");
    }
    let message = opened(&mail("Return-Path: nonsense\n", b""));
    assert_eq!(message.automatic, None);
}

fn subject(field: &str) -> String {
    opened(&mail(&format!("Subject: {field}\n"), b"d3\n")).subject
}

#[test]
fn prefixes_are_removed_in_any_mix() {
    for field in [
        "d3",
        "Re: d3",
        "RE: AW: Antw: SV: VS: Fwd: FW: TR: WG: RV: d3",
        "Re[2]: d3",
        "Re (3): d3",
        "RE : d3",
        "Re\u{a0}: d3",
        "re:re:d3",
        "\u{56de}\u{590d}: d3",
        "\u{7b54}\u{590d}\u{ff1a}d3",
        "=?utf-8?B?5Zue5aSNOiBkMw==?=",
        "=?iso-8859-1?Q?R=C9=3A?= d3",
        "Re:\r\n =?us-ascii?Q?d3?=",
        "=?unknown-charset?Q?d3?=",
    ] {
        assert_eq!(subject(field), "d3", "{field}");
    }
}

#[test]
fn the_rest_stays() {
    assert_eq!(subject("Re: Game 12: your turn"), "Game 12: your turn");
    assert_eq!(subject("Regarding: d3"), "Regarding: d3");
    assert_eq!(subject("a\u{7}b\r\n  c  =?utf-8?Q?=0Ad?="), "a b c d");
    assert_eq!(subject(""), "");
}

#[test]
fn the_nearest_ancestor_comes_first() {
    let message = opened(&mail(
        "Message-ID: <me@x>\nReferences: <1@x> <2@x>\n\t<3\n @x>\nIn-Reply-To:\n Alice's of <3@x>\n",
        b"d3\n",
    ));
    assert_eq!(message.message_id.as_deref(), Some("me@x"));
    assert_eq!(message.references, ["3@x", "3@x", "2@x", "1@x"]);
}

#[test]
fn an_id_fits_a_line() {
    let message = opened(&mail("References: <1@x>\n", b"d3\n"));
    assert_eq!(message.references.len(), 1);
    let long = format!("References: <{}@x>\n", "1".repeat(997));
    assert!(opened(&mail(&long, b"d3\n")).references.is_empty());
}

#[test]
fn ids_without_brackets() {
    let message = opened(&mail("In-Reply-To: 1@x\nReferences: <>\nMessage-ID:\n", b"d3\n"));
    assert_eq!(message.references, ["1@x"]);
    assert_eq!(message.message_id, None);
}

#[test]
fn fields_are_found_among_other_lines() {
    let message = opened(
        b"From alice Sat Nov 21\nFrom : a@x\r\nDate: one\r\n  two\nno field\n folded\nTO:b@x\n\nd3",
    );
    assert_eq!(message.from.as_deref(), Some("a@x"));
    assert_eq!(message.date.as_deref(), Some("one  two"));
    assert_eq!(message.recipients, ["b@x"]);
}
