//! SMTP: the conversation with the server.

use std::net::TcpListener;
use std::time::Duration;

use outflank::clock::Deadline;
use outflank::mail::transport::{DeliveryError, Message, Worker};

use super::server::Reaction::{self, Close, Hang, Reply, ReplyAndClose, Silence, Trickle};
use super::server::{FakeServer, accept, accept_pipelined};
use super::{DeliverOne, error, message, soon, transport};

fn deliver(transport: &mut Worker, body: &str) -> Result<(), DeliveryError> {
    transport.deliver_one(&message(body), soon())
}

/// Returns the error of a delivery to a server that fails at `at`.
fn error_at(at: &'static str, reaction: Reaction) -> (&'static str, String) {
    error(deliver(&mut FakeServer::failing(at, 9, reaction).transport(), "x\r\n"))
}

const ENVELOPE: &str = "MAIL FROM:<outflank@example.org>\r\nRCPT TO:<alice@example.com>\r\n";

#[test]
fn two_messages_go_over_one_connection() {
    let fake = FakeServer::accepting();
    let mut transport = fake.transport();
    let first = "Subject: dots\r\n\r\n.\r\n..two\r\na.b\r\n.end";
    assert_eq!(deliver(&mut transport, first), Ok(()));
    assert_eq!(deliver(&mut transport, ".first\r\n"), Ok(()));
    drop(transport);
    let expected = format!(
        "EHLO test.example\r\n\
         {ENVELOPE}DATA\r\nSubject: dots\r\n\r\n..\r\n...two\r\na.b\r\n..end\r\n.\r\n\
         {ENVELOPE}DATA\r\n..first\r\n.\r\nQUIT\r\n"
    );
    assert_eq!(fake.received(), [expected]);
}

/// Delivers messages with these bodies together.
fn deliver_all(fake: &FakeServer, bodies: &[&str]) -> Vec<Result<(), DeliveryError>> {
    let messages = bodies.iter().map(|body| message(body)).collect();
    fake.transport().deliver(messages, soon(), &|| true)
}

#[test]
fn a_server_with_pipelining_gets_the_commands_of_several_messages_together() {
    // This server replies to nothing before DATA, so a client that waits for a reply fails.
    let mut waiting = Vec::new();
    let fake = FakeServer::start(move |_, event| match event.split(' ').next() {
        Some(word @ ("RSET" | "MAIL" | "RCPT")) => {
            waiting.push(word.to_owned());
            Silence
        }
        Some("DATA") => {
            let replies = match std::mem::take(&mut waiting).join(" ").as_str() {
                "MAIL RCPT" => "250 ok\r\n250 ok\r\n354 go on",
                _ => "503 out of order",
            };
            Reply(replies)
        }
        _ => accept_pipelined(event),
    });
    assert_eq!(deliver_all(&fake, &["a\r\n", "b\r\n"]), [Ok(()), Ok(())]);
    let received = fake.received();
    assert_eq!(received.len(), 1);
    let bodies = format!("{ENVELOPE}DATA\r\na\r\n.\r\n{ENVELOPE}DATA\r\nb\r\n.\r\n");
    assert!(received[0].contains(&bodies), "{received:?}");

    let plain = FakeServer::accepting();
    assert_eq!(deliver_all(&plain, &["a\r\n", "b\r\n"]), [Ok(()), Ok(())]);
    assert!(plain.received()[0].contains(&bodies));
}

#[test]
fn a_recipient_that_is_refused_among_others_stops_only_its_own_message() {
    for (data, sent) in [("503 no recipient", "DATA\r\n"), ("354 go on", "DATA\r\n.\r\n")] {
        let mut recipients = 0;
        let fake = FakeServer::start(move |_, event| {
            let word = event.split(' ').next();
            recipients += u32::from(word == Some("RCPT"));
            match word {
                Some("RCPT") if recipients == 2 => Reply("550 5.1.1 no such user"),
                Some("DATA") if recipients == 2 => Reply(data),
                Some("body") if recipients == 2 => Reply("554 no recipient"),
                _ => accept_pipelined(event),
            }
        });
        let results = deliver_all(&fake, &["a\r\n", "b\r\n", "c\r\n"]);
        assert_eq!([&results[0], &results[2]], [&Ok(()), &Ok(())], "{data}");
        assert_eq!(error(results[1].clone()).0, "recipient", "{data}");
        let received = fake.received();
        assert_eq!(received.len(), 1, "{received:?}");
        let others = format!("{ENVELOPE}{sent}RSET\r\n{ENVELOPE}DATA\r\nc\r\n.\r\n");
        assert!(received[0].contains(&others), "{received:?}");
        assert!(!received[0].contains("b\r\n.\r\n"), "{received:?}");
    }
}

#[test]
fn a_server_that_fails_leaves_the_later_messages_untried() {
    let fake = FakeServer::start(|_, event| match event.split(' ').next() {
        Some("MAIL") => Reply("451 not now"),
        _ => accept_pipelined(event),
    });
    let results = deliver_all(&fake, &["a\r\n", "b\r\n", "c\r\n"]);
    assert_eq!(results.len(), 1, "{results:?}");
    assert_eq!(error(results[0].clone()).0, "sender");
}

#[test]
fn a_request_to_stop_ends_a_delivery() {
    let fake = FakeServer::failing("RCPT", 9, Hang);
    let mut transport = fake.transport();
    let results = transport.deliver(vec![message("x")], soon(), &|| false);
    assert!(results.is_empty(), "{results:?}");
}

#[test]
fn dots_and_line_ends() {
    for (text, body) in [
        ("", ".\r\n"),
        (".", "..\r\n.\r\n"),
        ("a\r\n", "a\r\n.\r\n"),
        ("a\r\n\r\n", "a\r\n\r\n.\r\n"),
        // A second mail hidden behind line ends that only some servers recognize.
        ("a\n.\nb\r.\rc", "a\r\n..\r\nb\r\n..\r\nc\r\n.\r\n"),
        ("\r\n.\r\n", "\r\n..\r\n.\r\n"),
        ("é.\r\n.é", "é.\r\n..é\r\n.\r\n"),
    ] {
        let fake = FakeServer::accepting();
        assert_eq!(deliver(&mut fake.transport(), text), Ok(()));
        let expected = format!("EHLO test.example\r\n{ENVELOPE}DATA\r\n{body}QUIT\r\n");
        assert_eq!(fake.received(), [expected]);
    }
}

#[test]
fn eight_bit_bodies_are_announced_if_supported() {
    let plain = FakeServer::accepting();
    assert_eq!(deliver(&mut plain.transport(), "é\r\n"), Ok(()));
    assert!(plain.received()[0].contains("example.org>\r\n"));
    let able = FakeServer::start(|_, event| match event.split(' ').next() {
        Some("EHLO") => Reply("250-fake\r\n250 8BITMIME"),
        _ => accept(event),
    });
    let mut transport = able.transport();
    assert_eq!(deliver(&mut transport, "é\r\n"), Ok(()));
    assert_eq!(deliver(&mut transport, "e\r\n"), Ok(()));
    let received = &able.received()[0];
    assert!(received.contains("example.org> BODY=8BITMIME\r\n"), "{received}");
    assert!(received.contains("DATA\r\né\r\n.\r\nMAIL"), "{received}");
    assert!(received.contains("example.org>\r\n"), "{received}");
}

#[test]
fn a_refused_recipient_does_not_close_the_connection() {
    let fake = FakeServer::failing("RCPT", 1, Reply("550-5.1.1 no\r\n550 5.1.1 such user"));
    let mut transport = fake.transport();
    let why = "127.0.0.1 refused the recipient: 550 5.1.1 no such user".into();
    assert_eq!(error(deliver(&mut transport, "x\r\n")), ("recipient", why));
    assert_eq!(deliver(&mut transport, "y\r\n"), Ok(()));
    let expected = format!("EHLO test.example\r\n{ENVELOPE}RSET\r\n{ENVELOPE}DATA\r\ny\r\n.\r\n");
    assert_eq!(fake.received(), [expected]);
}

#[test]
fn permanent_and_temporary_refusals_of_a_message_differ() {
    for at in ["RCPT", "DATA", "body"] {
        for (reaction, expected, reply) in [
            (Reply("554 never"), "permanent", ": 554 never"),
            (Reply("451 later"), "temporary", ": 451 later"),
            (ReplyAndClose("421 bye"), "temporary", ": 421 bye"),
            (Close, "temporary", ""),
        ] {
            let expected = match (at, expected) {
                ("RCPT", "permanent") => "recipient",
                _ => expected,
            };
            let (kind, why) = error_at(at, reaction);
            assert!(kind == expected && why.ends_with(reply), "{at}: {kind}: {why}");
        }
    }
    // This server would read the message as commands.
    let fake = FakeServer::failing("DATA", 1, Reply("250 ok"));
    assert_eq!(error(deliver(&mut fake.transport(), "QUIT\r\n")).0, "temporary");
    assert!(fake.received()[0].ends_with("DATA\r\n"));
}

#[test]
fn a_refusal_of_the_recipient_by_policy_is_not_about_the_recipient() {
    for (reply, expected) in [
        ("550 5.7.1 Service unavailable; client host blocked", "permanent"),
        ("550-5.7.26 This mail is unauthenticated\r\n550 5.7.26 see the manual", "permanent"),
        ("554 Relay access denied (#5.7.0)", "permanent"),
        ("550 5.1.1 <alice@example.com>: unknown", "recipient"),
        ("552 5.2.2 mailbox full", "recipient"),
        ("550 no such user here", "recipient"),
        ("553 sorry [5.7.1.4]", "recipient"),
    ] {
        let (kind, why) = error_at("RCPT", Reply(reply));
        assert_eq!(kind, expected, "{why}");
    }
    // The same status at another step is not about the recipient.
    assert_eq!(error_at("body", Reply("550 5.1.1 unknown")).0, "permanent");
}

#[test]
fn errors_of_server_or_configuration_make_the_transport_unavailable() {
    for (at, reaction) in [
        ("hello", ReplyAndClose("554 go away")),
        ("hello", ReplyAndClose("421 busy")),
        ("hello", Close),
        ("hello", Reply("Hi!")),
        ("EHLO", Reply("502 what?")),
        // lettre panics at this blank line.
        ("EHLO", Reply("250-fake\r\n250  ")),
        ("MAIL", Reply("550 not you")),
        ("MAIL", Reply("451 not now")),
        ("MAIL", ReplyAndClose("421 bye")),
        ("MAIL", Close),
    ] {
        let expected = match (at, reaction) {
            ("MAIL", Reply(_) | ReplyAndClose(_)) => "sender",
            _ => "unavailable",
        };
        let (kind, why) = error_at(at, reaction);
        assert!(kind == expected && !why.contains(char::is_control), "{kind}: {why}");
    }
    assert_eq!(
        error_at("MAIL", Reply("550 5.7.1\t not \x1b[1myou")).1,
        "127.0.0.1 refused the sender: 550 5.7.1 not [1myou"
    );
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let closed = format!("kind = 'smtp'\nhost = '127.0.0.1'\nport = {port}\nsecurity = 'none'");
    let mut closed = transport(&closed);
    assert_eq!(error(deliver(&mut closed, "x\r\n")).0, "unavailable");
}

#[test]
fn a_connection_closed_while_idle_is_replaced_once() {
    for end in ["250 taken", "250 taken\r\n421 too many for one connection"] {
        let fake = FakeServer::failing("body", 1, ReplyAndClose(end));
        let mut transport = fake.transport();
        for body in ["x\r\n", "y\r\n", "z\r\n"] {
            assert_eq!(deliver(&mut transport, body), Ok(()));
        }
        let received = fake.received();
        assert_eq!(received.len(), 2, "{received:?}");
        assert!(received[0].contains("DATA\r\nx\r\n.\r\n"));
        assert!(received[1].contains("DATA\r\ny\r\n.\r\n"));
    }
    // All connections except the first are closed at the sender, so there is only one retry.
    let fake = FakeServer::start(|number, event| match event.split(' ').next() {
        Some("body") => ReplyAndClose("250 taken"),
        Some("MAIL") if number > 0 => Close,
        _ => accept(event),
    });
    let mut transport = fake.transport();
    assert_eq!(deliver(&mut transport, "x\r\n"), Ok(()));
    assert_eq!(error(deliver(&mut transport, "y\r\n")).0, "unavailable");
    assert_eq!(fake.received().len(), 2);
}

#[test]
fn a_message_with_an_unknown_result_is_not_sent_again() {
    let fake = FakeServer::failing("body", 9, Close);
    let why = "127.0.0.1 failed at the message: it closed the connection".into();
    assert_eq!(error(deliver(&mut fake.transport(), "x\r\n")), ("temporary", why));
    assert_eq!(fake.received().len(), 1);
}

#[test]
fn a_delivery_ends_at_its_deadline() {
    for (at, reaction) in
        ["hello", "EHLO", "RCPT", "body"].map(|at| [(at, Hang), (at, Trickle)]).concat()
    {
        let fake = FakeServer::failing(at, 9, reaction);
        let mut transport = fake.transport_with("security = 'none'\ntimeout = 600");
        let limit = Deadline::after(Duration::from_millis(120));
        let (kind, why) = error(transport.deliver_one(&message("x\r\n"), limit));
        // On a busy machine the deadline may pass before the server reaches `at`.
        if !why.contains("not tried") {
            assert!(why.contains("no reply in time"), "{why}");
            assert!(["RCPT", "body"].contains(&at) || kind == "unavailable", "{at}: {kind}: {why}");
        }
    }
    let late = FakeServer::accepting();
    let end = late.transport().deliver_one(&message("x"), Deadline::after(Duration::ZERO));
    assert_eq!(error(end).0, "temporary");
    assert!(late.received().is_empty());
}

#[test]
fn a_hang_after_the_message_is_temporary() {
    let fake = FakeServer::failing("body", 1, Hang);
    let mut transport = fake.transport_with("security = 'none'\ntimeout = 1");
    // A busy machine can reach this point within the transport's timeout.
    assert_eq!(error(deliver(&mut transport, "x\r\n")).0, "temporary");
    assert_eq!(deliver(&mut transport, "y\r\n"), Ok(()));
    assert_eq!(fake.received().len(), 2);
}

const LOGIN: &str = "security = 'none'\nuser = 'me'\npassword = 'se cret'";

#[test]
fn logs_in() {
    let fake = FakeServer::accepting();
    let mut transport = fake.transport_with(LOGIN);
    assert_eq!(deliver(&mut transport, "x\r\n"), Ok(()));
    // \0me\0se cret
    assert!(fake.received()[0].contains("\r\nAUTH PLAIN AG1lAHNlIGNyZXQ=\r\nMAIL"));
}

#[test]
fn a_failed_login_makes_the_transport_unavailable_and_shows_no_secret() {
    for (at, reaction) in [
        ("AUTH", Reply("535 no: se cret AG1lAHNlIGNyZXQ= c2UgY3JldA==")),
        ("AUTH", Reply("454 later")),
        ("AUTH", Reply("334 VXNlcm5hbWU6")),
        ("AUTH", Close),
        ("EHLO", Reply("250 fake")),
    ] {
        let fake = FakeServer::failing(at, 9, reaction);
        let mut transport = fake.transport_with(LOGIN);
        let (kind, why) = error(deliver(&mut transport, "x\r\n"));
        assert!(kind == "unavailable" && why.starts_with("cannot log in to 127.0.0.1: "), "{why}");
        for secret in ["se cret", "AG1lAHNlIGNyZXQ=", "c2UgY3JldA=="] {
            assert!(!why.contains(secret), "{why}");
        }
        assert!(!fake.received()[0].contains("MAIL"));
    }
}

#[test]
fn nothing_is_sent_without_the_configured_tls() {
    for (security, sent) in [("starttls", "EHLO"), ("tls", "")] {
        let fake = FakeServer::accepting();
        let login = format!("security = '{security}'\nuser = 'me'\npassword = 'secret'");
        let mut transport = fake.transport_with(&login);
        assert_eq!(error(deliver(&mut transport, "x\r\n")).0, "unavailable");
        let received = fake.received().concat();
        assert!(received.starts_with(sent), "{received}");
        assert!(!received.contains("AUTH") && !received.contains("MAIL"), "{received}");
    }
}

#[test]
fn invalid_messages_are_refused_without_a_connection() {
    let fake = FakeServer::accepting();
    for (bad, kind) in [
        (Message { to: "a@b>\r\nQUIT".into(), ..message("x") }, "recipient"),
        (Message { from: "a@b> X".into(), ..message("x") }, "unavailable"),
        (Message { bytes: vec![0xff], ..message("") }, "permanent"),
    ] {
        assert_eq!(error(fake.transport().deliver_one(&bad, soon())).0, kind, "{bad:?}");
    }
    assert!(fake.received().is_empty());
}
