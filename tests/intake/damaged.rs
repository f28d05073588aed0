//! Unprocessable messages are quarantined, and a truncated message makes no move.

use std::iter;

use super::maildir::receive_all;
use super::quarantine;
use crate::harness::{ALICE, InboundMessage, SERVER, TestEnvironment};

const FULL: &str = "From: alice@example.org\r\nTo: ADDRESS\r\nSubject: Re: Othello\r\n\
    Message-ID: <1@phone.example>\r\nMIME-Version: 1.0\r\nAuto-Submitted: no\r\n\
    Content-Type: multipart/alternative; boundary=\"one\"\r\n\r\nPreamble\r\n\
    --one\r\nContent-Type: text/plain; charset=utf-8\r\n\
    Content-Transfer-Encoding: quoted-printable\r\n\r\nf5\r\n\r\n--=20\r\nAlice\r\n\
    --one\r\nContent-Type: text/html\r\n\r\n<html><body><p>f5</p></body></html>\r\n";
/// The maximum number of bytes that are kept of a mail.
const MOST_KEPT: usize = 1_000_000;
const END: &str = "--one--";

#[test]
fn a_truncated_multipart_makes_no_move() {
    let env = TestEnvironment::new().with_game();
    let full = format!("{FULL}{END}\r\n").replace("ADDRESS", &env.last_mail_to(ALICE).reply_to());
    let whole = full.len() - 2;
    let cut = (0..whole).map(|length| full.as_bytes()[..length].to_vec());
    receive_all(&env, cut);
    assert_eq!(env.plies(1), 0);
    for length in (0..whole).step_by(whole / 12) {
        env.pipe(&full.as_bytes()[..length]);
    }
    assert_eq!((env.plies(1), env.outbox().len()), (0, 2));
    // Each message is quarantined byte for byte.
    let kept = quarantine(&env);
    assert!(kept.iter().all(|kept| full.as_bytes().starts_with(kept)));
    assert_eq!(kept.len(), whole);
    env.pipe(full.as_bytes());
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_truncated_header_makes_no_move() {
    let env = TestEnvironment::new().with_game();
    let full = env.last_mail_to(ALICE).reply("f5").with("Auto-Submitted", "auto-replied").bytes();
    let cut = (0..full.len()).map(|length| full[..length].to_vec());
    receive_all(&env, cut);
    assert_eq!(env.plies(1), 0);
    assert_eq!(env.outbox().len(), 2);
}

#[test]
fn unprocessable_messages_are_quarantined_byte_for_byte() {
    let nested: String = (0..20_000)
        .map(|level| {
            format!("--b{level}\nContent-Type: multipart/mixed; boundary=b{}\n\n", level + 1)
        })
        .collect();
    let from = format!("From: {ALICE}\nTo: {SERVER}\n");
    let nested = format!("{from}Content-Type: multipart/mixed; boundary=b0\n\n{nested}move 1 f5\n")
        .into_bytes();
    let many: String = (0..20_000).map(|_| "--b\n\nmove 1 f5\n").collect();
    let many =
        format!("{from}Content-Type: multipart/mixed; boundary=b\n\n{many}--b--\n").into_bytes();
    let attached: String = iter::repeat_n("Content-Type: message/rfc822\n\n", 20_000).collect();
    let long = format!("{from}\n{}", "move 1 f5\n".repeat(1_000_000)).into_bytes();
    let nuls = vec![0; 1_000_000];
    let noise: Vec<u8> =
        (0..1_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let env = TestEnvironment::new().with_game();
    for (message, name) in [
        (nested, "nested"),
        (many, "many"),
        (long, "long"),
        (nuls, "NULs"),
        (noise, "noise"),
        (b"Subject: f5\n\nf5\n".to_vec(), "from nobody"),
        (b"From: a@b.example, c@d.example\n\nf5\n".to_vec(), "from two"),
        (b"From: a@b.example\nFrom: c@d.example\n\nf5\n".to_vec(), "from two at once"),
    ] {
        let before = quarantine(&env).len();
        env.pipe(&message);
        // A killed mail server delivers the message again.
        env.pipe(&message);
        let kept = quarantine(&env);
        assert_eq!(kept.len(), before + 1, "{name}");
        let start = message.get(..MOST_KEPT).unwrap_or(&message);
        assert!(kept.iter().any(|kept| kept == start), "{name}");
    }
    assert_eq!((env.plies(1), env.outbox().len()), (0, 2));
    assert_eq!(env.dispositions()["quarantined"], 16);
    let attached = format!("{from}{attached}f5\n").into_bytes();
    env.pipe(&attached);
    assert_eq!(env.plies(1), 0);
}

#[test]
fn odd_but_readable_messages_are_handled() {
    let env = TestEnvironment::new().with_game();
    for text in [
        "\0".repeat(100_000),
        format!("f5{}", "\0".repeat(10)),
        "x".repeat(4_000_000),
        "> ".repeat(1_000_000),
        "\n".repeat(1_000_000),
        "show 1 ".repeat(100_000),
        "f5 ".repeat(100_000),
        "\u{1F600}\u{202E}".repeat(10_000),
    ] {
        env.pipe(&InboundMessage::new(ALICE, &text).bytes());
    }
    let message = env.last_mail_to(ALICE).reply("f5");
    let strange = format!("{}{}", "x".repeat(900), "\u{7f}\u{0}é".repeat(30));
    for name in ["Subject", "Message-ID", "Date", "In-Reply-To", "References", "To", "Content-Type"]
    {
        env.pipe(&message.clone().with("From", "erin@example.org").with(name, &strange).bytes());
    }
    assert_eq!(env.plies(1), 0);
    // The answers have valid addresses.
    assert!(env.outbox().iter().all(|mail| mail.ends_with(" sent")), "{:?}", env.outbox());
}

#[test]
fn strange_sender_addresses_are_handled() {
    let env = TestEnvironment::new().with_game();
    for from in [
        "-f@example.org",
        "--help@example.org",
        "\"a b\"@example.org",
        "\"<script>\"@example.org",
        "a@[127.0.0.1]",
        "a@localhost",
        "o'neil@example.org",
        "$(id)@example.org",
        "é@example.org",
        "a@é.example",
        "=?utf-8?Q?a=0Ab?=@example.org",
        "a@example.org,",
        "a@@example.org",
        &format!("{}@example.org", "a".repeat(300)),
        &format!("a@{}org", "b.".repeat(300)),
    ] {
        for text in ["hello", "signup stranger"] {
            env.pipe(&InboundMessage::new(from, text).bytes());
        }
    }
    env.receive(&env.last_mail_to(ALICE).reply("f5"));
    assert_eq!((env.plies(1), env.count("bob turn sent")), (1, 1));
    let stuck: Vec<_> = env.outbox().into_iter().filter(|mail| !mail.ends_with(" sent")).collect();
    assert!(stuck.is_empty(), "{stuck:?}");
}
