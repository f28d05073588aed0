//! Mail of ours that comes back.

use std::fs;
use std::thread;

use outflank::mail::token::{Claims, Purpose, Secret, Token};

use crate::club::{ALICE, BOB, Club, Letter, Mail, OUTFLANK};
use crate::damaged::take_in;

/// How a mail server tells what became of a mail.
#[derive(Clone, Copy)]
enum Server {
    Postfix,
    Exim,
    Exchange,
}
use Server::{Exchange, Exim, Postfix};

/// What became of it: Action and Status.
type Report = (&'static str, &'static str);

const FAILED: Report = ("failed", "5.1.1");

/// A delivery status notification to where a mail wants it.
fn report(server: Server, about: &Letter, (action, status): Report) -> Mail {
    let to = &about.return_path;
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
        about.text.replace("\r\n", "\n").trim_end(),
    );
    let kind = "multipart/report; report-type=delivery-status;\r\n\tboundary=\"b1\"";
    let mail = Mail::new("", to, &text)
        .but("From", from)
        .but("Subject", "Undelivered Mail Returned to Sender")
        .with("MIME-Version", "1.0")
        .with("Content-Type", kind);
    match server {
        Exim | Postfix => mail.with("Auto-Submitted", "auto-replied"),
        Exchange => mail.with("X-MS-Exchange-Message-Is-Ndr", ""),
    }
}

/// A club in which alice has got so many mails more than the first.
fn club(mails: usize) -> (Club, Vec<Letter>) {
    let club = Club::with_envelopes();
    for _ in 0..mails {
        club.receive(&club.letters(ALICE)[0].reply(ALICE, "show 1"));
    }
    let letters = club.letters(ALICE);
    assert_eq!(letters.len(), 1 + mails);
    (club, letters)
}

fn bounces(club: &Club) -> i64 {
    let sqlite = club.house.sqlite();
    sqlite
        .query_row("SELECT bounces FROM player WHERE name = 'alice'", [], |row| row.get(0))
        .unwrap()
}

/// Three mails to alice come back.
fn paused() -> (Club, Vec<Letter>) {
    let (club, letters) = club(2);
    for (server, letter) in [Postfix, Exim, Exchange].into_iter().zip(&letters) {
        assert_eq!(club.receive(&report(server, letter, FAILED)), "bounce");
    }
    assert_eq!(bounces(&club), 3);
    (club, letters)
}

#[test]
fn each_mail_has_a_return_path_of_its_own() {
    let (_, letters) = club(2);
    let mut codes = Vec::new();
    for letter in letters {
        let code = letter.return_path.strip_prefix("outflank+").unwrap();
        let token: Token = code.strip_suffix("@club.example").unwrap().parse().unwrap();
        assert_eq!(token.claims().purpose, Purpose::Bounce);
        assert!(!letter.text.contains(code.split('@').next().unwrap()), "it is told to nobody");
        codes.push(token.claims().number);
    }
    assert_eq!(codes, [1, 3, 4]);
}

#[test]
fn mail_pauses_after_three_mails_that_came_back() {
    let (club, letters) = club(2);
    for (number, server) in [Postfix, Exim, Exchange].into_iter().enumerate() {
        assert_eq!(club.count("bob paused"), 0);
        let mail = report(server, &letters[number], FAILED);
        assert_eq!(club.receive(&mail), "bounce");
        // The same report again, and another one about the same mail.
        assert_eq!(club.receive(&mail), "copy");
        assert_eq!(club.receive(&report(Postfix, &letters[number], FAILED)), "copy");
        assert_eq!(bounces(&club), 1 + number as i64);
    }
    assert_eq!(club.count("bob paused"), 1, "the opponent is told");
    assert_eq!(club.fates()["bounce"], 3);
    let shown = club.house.json(&["mail", "1"]);
    assert!(shown["mails"][0]["error"].as_str().unwrap().contains("User unknown"), "{shown}");

    club.house.done(&["move", "1", "f5"]);
    club.house.done(&["move", "1", "d6"]);
    club.house.wait(86_400);
    club.house.done(&["send"]);
    assert_eq!(club.outbox().last().unwrap(), "alice turn paused");
    assert!(club.house.done(&["mail"]).contains("paused"));
    assert_eq!(club.letters(ALICE).len(), 3);
}

#[test]
fn a_report_that_comes_eight_times_at_once_counts_once() {
    let (club, letters) = club(0);
    let mail = report(Postfix, &letters[0], FAILED);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| club.receive(&mail));
        }
    });
    assert_eq!((club.fates()["bounce"], club.fates()["copy"], bounces(&club)), (1, 7, 1));
}

#[test]
fn half_a_report_counts_nothing() {
    for server in [Postfix, Exchange] {
        let (club, letters) = club(0);
        let mail = report(server, &letters[0], FAILED).bytes();
        let whole = mail.windows(7).rposition(|end| end == b"\r\n--b1-").unwrap();
        let cut = (0..whole).step_by(whole / 200).map(|length| mail[..length].to_vec());
        take_in(&club, cut, |store, length| {
            let alice = store.read(|db| db.player_named("alice")).unwrap().unwrap();
            assert_eq!(alice.bounces, 0, "counted from {length} bytes");
        });
        club.pipe(&mail);
        assert_eq!(bounces(&club), 1);
    }
}

#[test]
fn a_report_in_a_maildir_counts() {
    let (club, letters) = club(0);
    for folder in ["in/new", "in/cur"] {
        fs::create_dir_all(club.house.path(folder)).unwrap();
    }
    let mail = report(Exim, &letters[0], FAILED).with("Return-Path", "<>");
    // The To field need not be where it came to.
    let to = letters[0].return_path.clone();
    let mail = mail.but("To", "undisclosed-recipients:;").with("Delivered-To", &to);
    fs::write(club.house.path("in/new/1"), mail.bytes()).unwrap();
    club.house.done(&["receive", "--maildir", "in"]);
    assert_eq!(bounces(&club), 1);
}

#[test]
fn the_opponent_is_told_once() {
    let (club, _) = club(4);
    for letter in club.letters(ALICE) {
        assert_eq!(club.receive(&report(Postfix, &letter, FAILED)), "bounce");
    }
    assert_eq!((bounces(&club), club.count("bob paused")), (5, 1));
    let told = club.letter(BOB);
    assert_eq!(told.field("Auto-Submitted"), "auto-generated");
    assert!(told.text.contains("alice"));
    // Who has two games with alice is told once, who has none is not.
    let (other, _) = self::club(2);
    other.house.done(&["new", "mini", "alice", "bob"]);
    other.house.done(&["new", "mini", "alice", "carol@example.org"]);
    other.house.done(&["signup", "dave", "dave@example.org"]);
    for letter in other.letters(ALICE) {
        other.receive(&report(Exim, &letter, FAILED));
    }
    let told: Vec<_> =
        other.outbox().into_iter().filter(|mail| mail.contains(" paused ")).collect();
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn delays_and_what_may_pass_do_not_count() {
    let (club, letters) = club(3);
    for (letter, said) in letters.iter().zip([
        ("delayed", "4.4.1"),
        ("failed", "4.2.2"),
        ("delivered", "2.0.0"),
        ("relayed", "5.0.0"),
    ]) {
        for server in [Postfix, Exim, Exchange] {
            let fate = club.receive(&report(server, letter, said));
            assert!(fate.starts_with("ignored: "), "{said:?}: {fate}");
        }
    }
    assert_eq!(bounces(&club), 0);
    // And do not keep what counts from counting.
    assert_eq!(club.receive(&report(Exim, &letters[0], FAILED)), "bounce");
}

#[test]
fn only_a_genuine_code_for_it_counts() {
    let (club, letters) = club(2);
    let secret = |name: &str| {
        let sqlite = club.house.sqlite();
        let select = "SELECT secret FROM player WHERE name = ?1";
        Secret(sqlite.query_row(select, [name], |row| row.get(0)).unwrap())
    };
    let id = |name: &str| -> i64 {
        let select = "SELECT id FROM player WHERE name = ?1";
        club.house.sqlite().query_row(select, [name], |row| row.get(0)).unwrap()
    };
    let made = |purpose, player, number, secret: &Secret| {
        let claims = Claims { purpose, player, number, ply: 0 };
        format!("outflank+{}@club.example", Token::new(claims, secret))
    };
    let (alice, bob) = (Some(id("alice")), Some(id("bob")));
    let mut worthless = vec![
        OUTFLANK.to_owned(),
        letters[0].answer_to(),
        made(Purpose::Play, alice, 1, &secret("alice")),
        made(Purpose::Unsubscribe, alice, 1, &secret("alice")),
        made(Purpose::Confirm, alice, 1, &secret("alice")),
        made(Purpose::Bounce, alice, 1, &secret("bob")),
        made(Purpose::Bounce, bob, 1, &secret("alice")),
        made(Purpose::Bounce, None, 1, &secret("alice")),
        made(Purpose::Bounce, alice, 1, &Secret([0; 32])),
        made(Purpose::Bounce, alice, 99, &secret("alice")),
        made(Purpose::Bounce, Some(99), 1, &secret("alice")),
    ];
    let genuine = letters[0].return_path.clone();
    for at in ["outflank+".len(), 15, 25, genuine.find('@').unwrap() - 1] {
        let other = if &genuine[at..=at] == "a" { "b" } else { "a" };
        let mut altered = genuine.clone();
        altered.replace_range(at..=at, other);
        worthless.push(altered);
    }
    for to in worthless {
        let letter = Letter { return_path: to.clone(), ..letters[0].clone() };
        let before = club.outbox();
        let fate = club.receive(&report(Postfix, &letter, FAILED));
        assert!(fate.starts_with("ignored: "), "{to}: {fate}");
        assert_eq!((bounces(&club), club.outbox(), club.plies(1)), (0, before, 0), "{to}");
    }
    let shouted = genuine.to_uppercase();
    let letter = Letter { return_path: shouted, ..letters[0].clone() };
    assert_eq!(club.receive(&report(Postfix, &letter, FAILED)), "bounce");
}

#[test]
fn a_code_for_bounces_moves_nothing() {
    let (club, letters) = club(1);
    for text in ["f5", "move 1 f5", "resign 1", "show 1"] {
        let mail = Mail::new(ALICE, &letters[0].return_path, text);
        let before = club.outbox();
        let fate = club.receive(&mail);
        assert!(fate.starts_with("ignored: "), "{fate}");
        assert_eq!((club.outbox(), club.plies(1)), (before, 0));
    }
}

#[test]
fn the_server_need_not_say_who_it_is() {
    let (club, letters) = club(2);
    for (letter, from) in letters.iter().zip(["MAILER-DAEMON", "", "Mail Delivery <>"]) {
        let mail = report(Postfix, letter, FAILED).but("From", from);
        assert_eq!(club.receive(&mail), "bounce", "{from:?}");
    }
    assert_eq!(bounces(&club), 3);
}

#[test]
fn what_went_to_an_address_that_was_left_does_not_count() {
    let (club, letters) = club(2);
    club.house.done(&["address", "alice", "alice@new.example"]);
    for letter in &letters {
        club.receive(&report(Postfix, letter, FAILED));
    }
    assert_eq!((bounces(&club), club.count("bob paused")), (0, 0));
    // What goes to the new one does.
    club.receive(&letters[0].reply("alice@new.example", "show 1"));
    club.receive(&report(Postfix, &club.letter("alice@new.example"), FAILED));
    assert_eq!(bounces(&club), 1);
}

#[test]
fn a_new_address_lets_mail_go_on() {
    let (club, _) = paused();
    club.house.done(&["move", "1", "f5", "d6"]);
    assert_eq!(club.outbox().last().unwrap(), "alice turn paused");
    club.house.done(&["address", "alice", "alice@new.example"]);
    club.house.done(&["send"]);
    assert_eq!(club.outbox().last().unwrap(), "alice turn sent");
    assert_eq!(club.letters("alice@new.example").len(), 1);
    assert_eq!(bounces(&club), 0);
}

#[test]
fn a_players_own_mail_lets_mail_go_on() {
    let (club, letters) = paused();
    club.house.done(&["move", "1", "f5", "d6"]);
    assert_eq!(club.outbox().last().unwrap(), "alice turn paused");
    // Whoever says to be alice, or has her code, does not.
    club.receive(&Mail::new(ALICE, OUTFLANK, "show 1"));
    club.receive(&letters[0].reply("mallory@example.org", "show 1"));
    club.receive(&letters[0].reply(ALICE, "show 1").with("Auto-Submitted", "auto-replied"));
    assert_eq!(bounces(&club), 3);
    assert_eq!(club.letters(ALICE).len(), 3);

    assert_eq!(club.receive(&letters[0].reply(ALICE, "c3#3")), "done");
    assert_eq!((bounces(&club), club.plies(1)), (0, 3));
    club.house.done(&["send"]);
    assert!(!club.outbox().iter().any(|mail| mail.ends_with(" paused")), "{:?}", club.outbox());
}

#[test]
fn what_waited_goes_out_with_the_mail_that_ends_the_pause() {
    let (club, letters) = paused();
    club.house.done(&["move", "1", "f5", "d6"]);
    // Nothing else is to be told.
    assert_eq!(club.receive(&letters[0].reply(ALICE, "show 1")), "done");
    assert_eq!(club.count("alice turn sent"), 1);
}

#[test]
fn three_in_all_are_not_three_in_a_row() {
    let (club, letters) = club(3);
    club.receive(&report(Postfix, &letters[0], FAILED));
    club.receive(&report(Postfix, &letters[1], FAILED));
    club.receive(&letters[0].reply(ALICE, "f5"));
    assert_eq!(bounces(&club), 0);
    club.receive(&report(Postfix, &letters[2], FAILED));
    club.receive(&report(Postfix, &letters[3], FAILED));
    assert_eq!((bounces(&club), club.count("bob paused")), (2, 0));
}

#[test]
fn mail_to_strangers_comes_back_too() {
    let club = Club::with_envelopes();
    for text in ["signup carol", "hello"] {
        club.receive(&Mail::new("carol@example.org", OUTFLANK, text));
    }
    let before = club.outbox();
    for letter in club.letters("carol@example.org") {
        assert_eq!(club.receive(&report(Exchange, &letter, FAILED)), "bounce");
        assert_eq!(club.receive(&report(Exchange, &letter, FAILED)), "copy");
    }
    assert_eq!((club.outbox(), club.fates()["bounce"]), (before, 2));
}

#[test]
fn a_code_for_bounces_is_worthless_once_codes_are_rotated() {
    let (club, letters) = club(2);
    club.house.done(&["rotate", "alice"]);
    for letter in &letters {
        let fate = club.receive(&report(Postfix, letter, FAILED));
        assert!(fate.starts_with("ignored: "), "{fate}");
    }
    assert_eq!(bounces(&club), 0);
}
