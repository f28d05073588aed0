//! The author and the recipients.

use super::{mail, opened};

fn from(field: &str) -> Option<String> {
    opened(format!("From: {field}\n\nd3\n").as_bytes()).from
}

#[test]
fn one_author_in_any_form() {
    for field in [
        "alice@example.org",
        "<alice@example.org>",
        "Alice <alice@example.org>",
        "\"Alice, the first <a@b>\" <alice@example.org>",
        "\"a \\\" b\" <alice@example.org>",
        "=?utf-8?Q?Al=C3=ADce?= <alice@example.org>",
        "alice@example.org (Alice (the \\) first), b@c)",
        "Alice\r\n <alice@example.org>",
        "Alice [work] <alice@example.org>",
        "J\u{fc}rgen <alice@example.org>",
        "alice@example.org <alice@example.org>",
        "'Alice@example.org' <alice@example.org>",
        "alice@example.org,",
    ] {
        assert_eq!(from(field).as_deref(), Some("alice@example.org"), "{field}");
    }
}

#[test]
fn no_author_in_a_doubtful_field() {
    for field in [
        "",
        "Alice",
        "alice@example.org, bob@example.org",
        "<alice@example.org> <bob@example.org>",
        "<alice@example.org> bob@example.org",
        "bob@example.org <alice@example.org>",
        "alice@example.org bob@example.org",
        "alice@bob@example.org",
        "\"alice@example.org",
        "Alice (alice@example.org",
        "Alice <alice@example.org",
        "\u{e1}lice@example.org",
        "alice@ex\u{e1}mple.org",
        "alice@example.org\nFrom: alice@example.org",
        "alice@exam\0ple.org",
        "<@relay.example:alice@example.org>",
        "alice@",
        "@example.org",
        "ali ce@example.org",
        "alice@ example.org",
        "\"alice\"@example.org",
        "\"alice@example.org\" <\"alice \"@example.org>",
        "al(x)ice@example.org",
        "friends: alice@example.org, bob@example.org;",
        "bob@example.org: alice@example.org;",
        "alice@exam\rple.org",
        "alice@exam\r\n ple.org",
    ] {
        assert_eq!(from(field), None, "{field}");
    }
}

#[test]
fn recipients_in_order_and_of_groups() {
    let message = opened(&mail(
        "Cc: c@x\nTo: a@x, Friends: \"B, b\" <b@x>;\nEnvelope-To: e@x\nX-Original-To: o@x\n\
          Delivered-To: d1@x\nDelivered-To: d2@x\nBcc: no@x\nCc: undisclosed-recipients:;\n",
        b"d3\n",
    ));
    let expected = ["a@x", "b@x", "c@x", "d1@x", "d2@x", "o@x", "e@x"];
    assert_eq!(message.recipients, expected);
}

#[test]
fn a_recipient_is_found_behind_any_name() {
    for field in [
        "'o+code@x' <o+code@x>",
        "o@x <o+code@x>",
        "Othello: the game <o+code@x>",
        "Othello (8x8 <o+code@x>",
        "Othello <o+code@x> <mailto:o+code@x>",
        "<mailto:o+code@x>",
    ] {
        let found = opened(&mail(&format!("To: {field}\n"), b"d3\n")).recipients;
        assert!(found.contains(&"o+code@x".to_owned()), "{field}");
    }
}
