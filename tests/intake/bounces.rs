//! Bounces of our mail.

use std::thread;

use super::maildir::receive_all;
use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, Mail, Purpose, SERVER, TestEnvironment, Token, token,
};

/// A mail server, which determines the form of the report.
#[derive(Clone, Copy)]
pub enum Server {
    Postfix,
    Exim,
    Exchange,
}
use Server::{Exchange, Exim, Postfix};

/// The fields Action and Status of a delivery report.
pub type Report = (&'static str, &'static str);

pub const FAILED: Report = ("failed", "5.1.1");

/// Returns a delivery status notification about this mail, to its return path.
pub fn report(server: Server, about: &Mail, report: Report) -> InboundMessage {
    report_to(&about.return_path(), server, about, report)
}

/// Returns a delivery status notification about this mail, to this address.
fn report_to(to: &str, server: Server, about: &Mail, (action, status): Report) -> InboundMessage {
    let (from, human, status) = match server {
        Postfix => (
            "MAILER-DAEMON@mx.example.org (Mail Delivery System)",
            "This is the mail system at host mx.example.org.\n\nI'm sorry to have to inform you.\n",
            format!(
                "Reporting-MTA: dns; mx.example.org\nX-Postfix-Queue-ID: 4F2E1\n\
                 X-Postfix-Sender: rfc822; {to}\nArrival-Date: Sat, 21 Nov 2026 10:00:00 +0000 (UTC)\n\
                 \nFinal-Recipient: rfc822; {ALICE}\nOriginal-Recipient: rfc822;{ALICE}\n\
                 Action: {action}\nStatus: {status}\nRemote-MTA: dns; mail.example.org\n\
                 Diagnostic-Code: smtp; 550 5.1.1 <{ALICE}>: Recipient address rejected: User\n    \
                 unknown in local recipient table\n"
            ),
        ),
        Exim => (
            "Mail Delivery System <Mailer-Daemon@mx.example.org>",
            "This message was created automatically by mail delivery software.\n",
            format!(
                "Reporting-MTA: dns; mx.example.org\n\nAction: {action}\n\
                 Final-Recipient: rfc822;{ALICE}\nStatus: {status}\n"
            ),
        ),
        Exchange => (
            "<postmaster@mx.example.org>",
            "Delivery has failed to these recipients or groups:\n",
            format!(
                "Reporting-MTA: dns;EX01.example.org\nReceived-From-MTA: dns;mx.example.org\n\
                 Arrival-Date: Sat, 21 Nov 2026 10:00:00 +0000\n\n\
                 Final-Recipient: rfc822;{ALICE}\nAction: {action}\nStatus: {status}\n\
                 Diagnostic-Code: smtp;550 5.1.1 RESOLVER.ADR.RecipNotFound; not found\n\
                 X-Display-Name: {ALICE}\n"
            ),
        ),
    };
    let original = match server {
        Exim | Postfix => "text/rfc822-headers",
        Exchange => "message/rfc822",
    };
    let text = format!(
        "This is a MIME-encapsulated message.\n\n\
         --b1\nContent-Type: text/plain\n\n{human}\n\
         --b1\nContent-Type: message/delivery-status\n\n{status}\n\
         --b1\nContent-Type: {original}\n\n{}\n\n--b1--\n",
        about.raw.replace("\r\n", "\n").trim_end(),
    );
    let kind = "multipart/report; report-type=delivery-status;\r\n\tboundary=\"b1\"";
    let message = InboundMessage::new("", &text)
        .to(to)
        .with("From", from)
        .with("Subject", "Undelivered Mail Returned to Sender")
        .without("Content-Transfer-Encoding")
        .with("Content-Type", kind);
    match server {
        Exim | Postfix => message.and("Auto-Submitted", "auto-replied"),
        Exchange => message.and("X-MS-Exchange-Message-Is-Ndr", ""),
    }
}

/// Returns an environment with game 1, and the mails to alice: the first one and `more` answers.
pub fn alice_got(more: usize) -> (TestEnvironment, Vec<Mail>) {
    let env = TestEnvironment::new().with_envelopes().with_game();
    for _ in 0..more {
        env.receive(&env.mails_to(ALICE)[0].reply("show 1"));
    }
    let mails = env.mails_to(ALICE);
    assert_eq!(mails.len(), 1 + more);
    (env, mails)
}

fn failures(env: &TestEnvironment) -> i64 {
    let sqlite = env.sqlite();
    sqlite
        .query_row("SELECT failures FROM player WHERE name = 'alice'", [], |row| row.get(0))
        .unwrap()
}

/// Lets three mails to alice bounce within two days, which pauses her mail.
pub fn paused() -> (TestEnvironment, Vec<Mail>) {
    let (env, mails) = alice_got(2);
    for (server, mail) in [Postfix, Exim, Exchange].into_iter().zip(&mails) {
        assert_eq!(env.receive(&report(server, mail, FAILED)), "bounce");
        env.later(10 * 60);
    }
    assert_eq!(failures(&env), 3);
    (env, mails)
}

#[test]
fn a_bounce_of_an_erased_mail_is_ignored() {
    let env = TestEnvironment::new().with_envelopes().with_game();
    let start = env.last_mail_to(ALICE);
    env.mails();
    env.ok("leave --yes --as alice");
    let farewell = env.mails().into_iter().find(|mail| mail.to == ALICE).unwrap();
    for (about, disposition) in
        [(farewell, "ignored: a report about an unknown mail"), (start, "ignored: auto-submitted")]
    {
        assert_eq!(env.receive(&report(Postfix, &about, FAILED)), disposition);
    }
    env.ok("send");
}

#[test]
fn each_mail_has_its_own_return_path() {
    let (_, mails) = alice_got(2);
    let mut numbers = Vec::new();
    for mail in mails {
        let path = mail.return_path();
        let token = path.strip_prefix("outflank+").unwrap().strip_suffix("@club.example").unwrap();
        let parsed: Token = token.parse().unwrap();
        assert_eq!(parsed.claims().purpose, Purpose::Bounce);
        assert_eq!(mail.raw.matches(token).count(), 1, "only the envelope shows it");
        numbers.push(parsed.claims().number);
    }
    assert_eq!(numbers, [1, 3, 4]);
}

#[test]
fn mail_pauses_after_three_bounces() {
    let (env, mails) = alice_got(2);
    for (number, server) in [Postfix, Exim, Exchange].into_iter().enumerate() {
        assert_eq!(env.count("bob paused"), 0);
        let message = report(server, &mails[number], FAILED);
        assert_eq!(env.receive(&message), "bounce");
        // A copy of the report, and another report about the same mail, do not count.
        assert_eq!(env.receive(&message), "copy");
        assert_eq!(env.receive(&report(Postfix, &mails[number], FAILED)), "copy");
        assert_eq!(failures(&env), 1 + number as i64);
        env.later(10 * 60);
    }
    assert_eq!(env.count("bob paused"), 1, "the opponent is notified");
    assert_eq!(env.dispositions()["bounce"], 3);
    let shown = env.json("mail 1");
    assert!(shown["mails"][0]["error"].as_str().unwrap().contains("User unknown"), "{shown}");

    env.ok("move 1 f5");
    env.ok("move 1 d6");
    env.later(24 * 60);
    env.ok("send");
    assert_eq!(env.outbox().last().unwrap(), "alice turn paused");
    assert!(env.ok("mail").contains("paused"));
    assert_eq!(env.mails_to(ALICE).len(), 3);
}

#[test]
fn a_bounce_received_eight_times_at_once_counts_once() {
    let (env, mails) = alice_got(0);
    let message = report(Postfix, &mails[0], FAILED);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| env.receive(&message));
        }
    });
    assert_eq!(
        (env.dispositions()["bounce"], env.dispositions()["copy"], failures(&env)),
        (1, 7, 1)
    );
}

#[test]
fn a_truncated_bounce_counts_once_from_its_action_on() {
    for server in [Postfix, Exchange] {
        let (env, mails) = alice_got(0);
        let message = report(server, &mails[0], FAILED).bytes();
        let has_counted = |lengths: std::ops::Range<usize>| {
            let step = lengths.len() / 100;
            receive_all(&env, lengths.step_by(step).map(|length| message[..length].to_vec()));
            failures(&env)
        };
        let action = message.windows(6).position(|start| start == b"Action").unwrap();
        assert_eq!(has_counted(0..action), 0);
        assert_eq!(has_counted(action..message.len()), 1);
    }
}

#[test]
fn a_bounce_in_a_maildir_counts() {
    let (env, mails) = alice_got(0);
    let message = report(Exim, &mails[0], FAILED).with("Return-Path", "<>");
    // The To field may differ from the envelope recipient.
    let to = mails[0].return_path();
    let message = message.with("To", "undisclosed-recipients:;").with("Delivered-To", &to);
    receive_all(&env, [message.bytes()]);
    assert_eq!(failures(&env), 1);
}

#[test]
fn each_opponent_is_notified_once_of_a_pause() {
    let (env, _) = alice_got(4);
    for mail in env.mails_to(ALICE) {
        assert_eq!(env.receive(&report(Postfix, &mail, FAILED)), "bounce");
        env.later(6 * 60);
    }
    assert_eq!((failures(&env), env.count("bob paused")), (5, 1));
    let mail = env.last_mail_to(BOB);
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert!(mail.text.contains("alice"));
    // An opponent in two games is notified once, and players without a game with alice are not.
    let (other, _) = alice_got(2);
    other.ok("new mini alice bob");
    other.ok(&format!("new mini alice {CAROL}"));
    other.ok("signup dave dave@example.org");
    for mail in other.mails_to(ALICE) {
        other.receive(&report(Exim, &mail, FAILED));
        other.later(6 * 60);
    }
    let mails: Vec<_> =
        other.outbox().into_iter().filter(|mail| mail.contains(" paused ")).collect();
    assert_eq!(mails.len(), 2, "{mails:?}");
}

#[test]
fn delays_do_not_count() {
    let (env, mails) = alice_got(2);
    for (mail, said) in
        mails.iter().zip([("delayed", "4.4.1"), ("delivered", "2.0.0"), ("relayed", "5.0.0")])
    {
        for server in [Postfix, Exim, Exchange] {
            let disposition = env.receive(&report(server, mail, said));
            assert!(disposition.starts_with("ignored: "), "{said:?}: {disposition}");
        }
    }
    assert_eq!(failures(&env), 0);
    // A later failure of the same mail still counts.
    assert_eq!(env.receive(&report(Exim, &mails[0], FAILED)), "bounce");
}

#[test]
fn a_bounce_counts_only_with_a_valid_bounce_token() {
    let (env, mails) = alice_got(2);
    let made = |purpose, player, number, secret| {
        format!("outflank+{}@club.example", token(purpose, (player, number), 0, secret))
    };
    let (alice, bob) = (Some(env.player_id("alice")), Some(env.player_id("bob")));
    let secret = |name| env.secret(name);
    let mut worthless = vec![
        SERVER.to_owned(),
        mails[0].reply_to(),
        made(Purpose::Play, alice, 1, secret("alice")),
        made(Purpose::Unsubscribe, alice, 1, secret("alice")),
        made(Purpose::Confirm, alice, 1, secret("alice")),
        made(Purpose::Bounce, alice, 1, secret("bob")),
        made(Purpose::Bounce, bob, 1, secret("alice")),
        made(Purpose::Bounce, None, 1, secret("alice")),
        made(Purpose::Bounce, alice, 1, [0; 32]),
        made(Purpose::Bounce, alice, 99, secret("alice")),
        made(Purpose::Bounce, Some(99), 1, secret("alice")),
    ];
    let valid = mails[0].return_path();
    for at in ["outflank+".len(), 15, 25, valid.find('@').unwrap() - 1] {
        let other = if &valid[at..=at] == "a" { "b" } else { "a" };
        let mut altered = valid.clone();
        altered.replace_range(at..=at, other);
        worthless.push(altered);
    }
    for to in worthless {
        let before = env.outbox();
        let disposition = env.receive(&report_to(&to, Postfix, &mails[0], FAILED));
        assert!(disposition.starts_with("ignored: "), "{to}: {disposition}");
        assert_eq!((failures(&env), env.outbox(), env.plies(1)), (0, before, 0), "{to}");
    }
    let shouted = valid.to_uppercase();
    assert_eq!(env.receive(&report_to(&shouted, Postfix, &mails[0], FAILED)), "bounce");
}

#[test]
fn a_bounce_token_makes_no_move() {
    let (env, mails) = alice_got(1);
    for text in ["f5", "move 1 f5", "resign 1", "show 1"] {
        let message = InboundMessage::new(ALICE, text).to(&mails[0].return_path());
        let before = env.outbox();
        let disposition = env.receive(&message);
        assert!(disposition.starts_with("ignored: "), "{disposition}");
        assert_eq!((env.outbox(), env.plies(1)), (before, 0));
    }
}

#[test]
fn a_bounce_may_have_no_usable_sender() {
    let (env, mails) = alice_got(2);
    for (mail, from) in mails.iter().zip(["MAILER-DAEMON", "", "Mail Delivery <>"]) {
        let message = report(Postfix, mail, FAILED).with("From", from);
        assert_eq!(env.receive(&message), "bounce", "{from:?}");
    }
    assert_eq!(failures(&env), 3);
}

#[test]
fn bounces_from_a_former_address_do_not_count() {
    let (env, mails) = alice_got(2);
    env.ok("address alice alice@new.example");
    for mail in &mails {
        env.receive(&report(Postfix, mail, FAILED));
    }
    assert_eq!((failures(&env), env.count("bob paused")), (0, 0));
    // Bounces from the new address do.
    env.receive(&mails[0].reply("show 1").from("alice@new.example"));
    env.receive(&report(Postfix, &env.last_mail_to("alice@new.example"), FAILED));
    assert_eq!(failures(&env), 1);
}

#[test]
fn a_late_bounce_from_a_former_address_sends_nothing_that_the_new_one_has() {
    let (env, mails) = alice_got(0);
    let late = report(Postfix, &mails[0], FAILED);
    env.ok("address alice alice@new.example");
    env.ok("send");
    assert_eq!(env.mails_to("alice@new.example").len(), 1);
    assert_eq!(env.receive(&late), "bounce");
    env.later(25 * 60);
    env.ok("send");
    assert_eq!(env.mails_to("alice@new.example").len(), 1);
}

#[test]
fn a_new_address_ends_the_pause() {
    let (env, _) = paused();
    env.ok("move 1 f5 d6");
    assert_eq!(env.outbox().last().unwrap(), "alice turn paused");
    env.ok("address alice alice@new.example");
    env.ok("send");
    assert_eq!(env.outbox().last().unwrap(), "alice turn sent");
    assert_eq!(env.mails_to("alice@new.example").len(), 1);
    assert_eq!(failures(&env), 0);
}

#[test]
fn a_verified_message_of_the_player_ends_the_pause() {
    let (env, mails) = paused();
    env.ok("move 1 f5 d6");
    assert_eq!(env.outbox().last().unwrap(), "alice turn paused");
    // Mail that is unverified, from another address or automatic does not end it.
    env.receive(&InboundMessage::new(ALICE, "show 1"));
    env.receive(&mails[0].reply("show 1").from("mallory@example.org"));
    env.receive(&mails[0].reply("show 1").with("Auto-Submitted", "auto-replied"));
    assert_eq!(failures(&env), 3);
    assert_eq!(env.mails_to(ALICE).len(), 3);

    assert_eq!(env.receive(&mails[0].reply("c3#3")), "done");
    assert_eq!((failures(&env), env.plies(1)), (0, 3));
    env.ok("send");
    assert!(!env.outbox().iter().any(|mail| mail.ends_with(" paused")), "{:?}", env.outbox());
}

#[test]
fn paused_mails_are_sent_when_the_pause_ends() {
    let (env, mails) = paused();
    env.ok("move 1 f5 d6");
    // No other mail is due.
    assert_eq!(env.receive(&mails[0].reply("show 1")), "done");
    assert_eq!(env.count("alice turn sent"), 1);
    assert_eq!(env.outbox().last().unwrap(), "alice answer sent");
}

#[test]
fn the_first_answer_after_a_pause_says_since_when_mail_had_failed() {
    let (env, mails) = paused();
    let sentence = "Mail to you had failed since Saturday, 21 November 2026, 10:00 (UTC).";
    // A move gets no answer. The two answers came before.
    env.receive(&mails[0].reply("f5"));
    assert_eq!((env.plies(1), env.count("alice answer")), (1, 2));
    env.later(60);
    env.mails();
    env.receive(&mails[0].reply("show 1"));
    env.mail_to(ALICE).says(&format!("{sentence} Since")).says("it is sent again.");
    env.receive(&mails[0].reply("show 1"));
    assert!(!env.mail_to(ALICE).text.contains("had failed"));
}

#[test]
fn failures_without_a_pause_are_not_reported() {
    let (env, mails) = alice_got(3);
    env.receive(&report(Postfix, &mails[0], FAILED));
    env.mails();
    env.receive(&mails[0].reply("show 1"));
    assert!(!env.mail_to(ALICE).text.contains("had failed"));
}

#[test]
fn only_bounces_in_a_row_count() {
    let (env, mails) = alice_got(3);
    env.receive(&report(Postfix, &mails[0], FAILED));
    env.receive(&report(Postfix, &mails[1], FAILED));
    env.receive(&mails[0].reply("f5"));
    assert_eq!(failures(&env), 0);
    env.receive(&report(Postfix, &mails[2], FAILED));
    env.receive(&report(Postfix, &mails[3], FAILED));
    assert_eq!((failures(&env), env.count("bob paused")), (2, 0));
}

#[test]
fn bounces_of_mail_to_strangers_are_recorded() {
    let env = TestEnvironment::new().with_envelopes().with_game();
    for text in ["signup carol", "help"] {
        env.receive(&InboundMessage::new(CAROL, text));
    }
    let before = env.outbox();
    for mail in env.mails_to(CAROL) {
        assert_eq!(env.receive(&report(Exchange, &mail, FAILED)), "bounce");
        assert_eq!(env.receive(&report(Exchange, &mail, FAILED)), "copy");
    }
    assert_eq!((env.outbox(), env.dispositions()["bounce"]), (before, 2));
}

#[test]
fn rotation_revokes_bounce_tokens() {
    let (env, mails) = alice_got(2);
    env.ok("rotate alice");
    for mail in &mails {
        let disposition = env.receive(&report(Postfix, mail, FAILED));
        assert!(disposition.starts_with("ignored: "), "{disposition}");
    }
    assert_eq!(failures(&env), 0);
}

#[test]
fn mail_to_one_who_watches_pauses_until_a_sign_of_life() {
    let env = TestEnvironment::new().with_envelopes();
    env.ok(&format!("new othello {BOB} {CAROL}"));
    env.ok(&format!("signup alice {ALICE}"));
    env.ok("--as bob set watchers all");
    env.ok("--as carol set watchers all");
    env.ok("--as alice watch 1");
    for number in 1..=3 {
        env.ok(&format!("move 1 {}", env.legal(1)));
        assert_eq!(env.receive(&report(Postfix, &env.last_mail_to(ALICE), FAILED)), "bounce");
        env.later(24 * 60);
        env.ok("send");
        assert_eq!(env.mails_to(ALICE).len(), number, "no bounced mail is sent again");
    }
    assert_eq!(env.count("bob paused") + env.count("carol paused"), 0);
    for _ in 0..2 {
        env.ok(&format!("move 1 {}", env.legal(1)));
    }
    assert_eq!((env.count("alice watched paused"), env.mails_to(ALICE).len()), (1, 3));
    env.ok("--as alice games");
    env.ok("send");
    env.last_mail_to(ALICE).says("You are watching this game. It is carol's turn (white).");
    assert_eq!(env.mails_to(ALICE).len(), 4);
}
