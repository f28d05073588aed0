//! Failure notices of mail systems without the reports of RFC 3464.

use outflank::mail::read::Failure;

use super::opened;

const ID: &str = "1.0.turn.abc.install@club.example";
const SENDER: &str = "outflank@club.example";

/// The returned header of our mail.
const HEADER: &str = "\
Return-Path: <outflank+token@club.example>
Received: from club.example by mx.example.net; Sat, 21 Nov 2026 10:00:00 +0000
From: Outflank <outflank@club.example>
To: alice <alice@example.org>
Subject: Othello #1: alice - bob
Message-ID: <1.0.turn.abc.install@club.example>
";

const QMAIL: &str = "\
Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<alice@example.org>:
192.0.2.1 does not like recipient.
Remote host said: 550 5.1.1 <alice@example.org>: unknown user
Giving up on 192.0.2.1.

--- Below this line is a copy of the message.
";
const EXIM: &str = "\
This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  alice@example.org
    retry timeout exceeded

------ This is a copy of the message, including all the headers. ------
";
const DRAGONFLY: &str = "\
This is the DragonFly Mail Agent v0.13 at mx.example.net.

There was an error delivering your mail to <alice@example.org>.

mail.example.org [192.0.2.1] did not like our RCPT TO:
552 5.2.2 <alice@example.org>: mailbox full

Message headers follow.
";
const GMAIL: &str = "\
Delivery to the following recipient failed permanently:

     alice@example.org

Technical details of permanent failure:
DNS Error: Domain name not found

----- Original message -----
";
const YAHOO: &str = "\
Sorry, we were unable to deliver your message to the following address.

<alice@example.org>:
Remote host said: 550 5.1.1 <alice@example.org>... User Unknown [RCPT_TO]

--- Below this line is a copy of the message.
";

/// Returns the failure in a notice with these fields and this text above the returned mail.
fn failure_in(fields: &str, text: &str, returned: &str, has_null_sender: bool) -> Option<Failure> {
    let mail = format!("{fields}To: outflank+token@club.example\n\n{text}\n{returned}");
    let of = |mail: String| opened(mail.as_bytes()).failure(has_null_sender, ID, SENDER);
    let found = of(mail.clone());
    assert_eq!(found, of(mail.replace('\n', "\r\n")), "line ends make no difference");
    found
}

#[test]
fn notices_of_many_mail_systems_are_failures() {
    for (from, subject, text, reason) in [
        ("MAILER-DAEMON@mx.example.net", "failure notice", QMAIL, "550 5.1.1"),
        (
            "Mail Delivery System <Mailer-Daemon@mx.example.net>",
            "Mail delivery failed: returning message to sender",
            EXIM,
            "Mail delivery failed",
        ),
        ("MAILER-DAEMON <>", "Mail delivery failed", DRAGONFLY, "552 5.2.2"),
        (
            "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
            "Delivery Status Notification (Failure)",
            GMAIL,
            "Delivery Status Notification (Failure)",
        ),
        ("MAILER-DAEMON@yahoo.com", "Failure Notice", YAHOO, "550 5.1.1"),
        ("postmaster@mx.example.net", "Undeliverable mail", EXIM, "Undeliverable mail"),
    ] {
        let fields = format!("From: {from}\nSubject: {subject}\n");
        let replied = format!("{fields}Auto-Submitted: auto-replied\n");
        for fields in [&fields, &replied] {
            for has_null_sender in [true, false] {
                let failure = failure_in(fields, text, HEADER, has_null_sender).unwrap();
                assert!(failure.reason.contains(reason), "{failure:?}");
                assert!(!failure.is_policy);
            }
        }
    }
}

#[test]
fn a_notice_must_quote_our_mail() {
    let fields = "From: MAILER-DAEMON@mx.example.net\nSubject: failure notice\n";
    let is_failure = |returned: &str| failure_in(fields, QMAIL, returned, true).is_some();
    let without_id: String = HEADER
        .lines()
        .filter(|line| !line.contains("ID:"))
        .fold(String::new(), |text, line| text + line + "\n");
    assert!(is_failure(HEADER));
    assert!(is_failure(&without_id), "our header");
    assert!(is_failure(&without_id.replace("From: Outflank ", "FROM: Outflank\n\t")));
    assert!(is_failure(&format!("Message-ID <{ID}>")), "our Message-ID alone");
    assert!(!is_failure(""));
    assert!(!is_failure(&without_id.replace("club.example", "other.example")));
    assert!(!is_failure("From: Outflank <outflank@club.example>"), "not a header");
    // The header of the returned mail may be that of a part.
    let parts = format!("--b\n\n{QMAIL}\n--b\n{HEADER}\nText\n--b--\n");
    let mixed = format!("{fields}Content-Type: multipart/mixed; boundary=b\n");
    assert!(failure_in(&mixed, &parts, "", true).is_some());
}

#[test]
fn mail_by_people_and_automatic_answers_are_not_failures() {
    const AWAY: &str = "I am away until Monday, 5.11.2026. Call 555 0123, room 550 (5.1.1).\n\
        > mail to you could not be delivered\nYou wrote:";
    for (fields, has_null_sender, text, expected) in [
        ("From: alice@example.org\n", false, QMAIL, false),
        ("From: alice@example.org\nAuto-Submitted: auto-replied (vacation)\n", true, QMAIL, false),
        ("From: alice@example.org\nPrecedence: bulk\n", true, QMAIL, false),
        ("From: alice@example.org\nX-Autoreply: yes\n", true, QMAIL, false),
        ("From: no-reply@example.org\n", false, QMAIL, false),
        // Some gateways write a null sender and no mark of an answer, as do people's vacation replies.
        ("From: no-reply@example.org\n", true, QMAIL, true),
        ("From: no-reply@example.org\n", true, "550 5.1.1 no", true),
        ("From: no-reply@example.org\n", true, "Sorry. (#5.1.1)", true),
        ("From: no-reply@example.org\nReturn-Path: <>\n", false, QMAIL, true),
        ("From: no-reply@example.org\n", true, AWAY, false),
        ("From: alice@example.org\nReturn-Path: <>\n", false, AWAY, false),
        ("From: alice@example.org\nAuto-Submitted: auto-generated\n", true, AWAY, false),
        ("From: alice@example.org\nX-Auto-Response-Suppress: All\n", true, AWAY, false),
        (
            "From: a@example.org\nSubject: Away: mail to bob cannot be delivered\n",
            true,
            AWAY,
            false,
        ),
        ("From: postmaster@example.org\n", true, AWAY, false),
    ] {
        let failure = failure_in(fields, text, HEADER, has_null_sender);
        assert_eq!(failure.is_some(), expected, "{fields} {has_null_sender} {text}");
    }
}

#[test]
fn delays_successes_and_receipts_are_not_failures() {
    for (subject, text) in [
        ("Warning: message 1abc delayed 24 hours", "Delivery attempts will continue."),
        ("Delivery Status Notification (Delay)", "Delivery will be retried."),
        ("Delayed Mail (still being retried)", "This is the mail system."),
        ("Mail queued", "THIS IS A WARNING MESSAGE ONLY.\nYou do not need to resend your message."),
        ("Warning: could not send message for past 4 hours", "Will keep trying."),
        ("Successful Mail Delivery Report", "Your message was successfully delivered."),
        ("Delivery Status Notification (Success)", "It arrived."),
    ] {
        let fields = format!("From: MAILER-DAEMON@mx.example.net\nSubject: {subject}\n");
        assert_eq!(failure_in(&fields, text, HEADER, true), None, "{subject}");
    }
    let read = "--b\n\nRead.\n--b\nContent-Type: message/disposition-notification\n\n\
                Disposition: manual-action/MDN-sent-manually; displayed\n--b--\n";
    for kind in ["report; report-type=disposition-notification", "mixed"] {
        let fields =
            format!("From: postmaster@example.org\nContent-Type: multipart/{kind}; boundary=b\n");
        assert_eq!(failure_in(&fields, read, "", true), None, "{kind}");
    }
}

#[test]
fn a_notice_of_a_refusal_by_policy_is_marked() {
    let fields = "From: MAILER-DAEMON@mx.example.net\nSubject: failure notice\n";
    let refused = QMAIL.replace("550 5.1.1", "550 5.7.1");
    assert!(failure_in(fields, &refused, HEADER, true).unwrap().is_policy);
}
