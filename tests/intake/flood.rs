//! Limits on answers and on received messages, which never stop a verified player's moves.

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Mail, TestEnvironment};

const HOUR: i64 = 3600;
/// Answers to verified mail.
const ANSWERS: usize = 60;
/// Answers to unverified mail in a day, and questions about it.
const UNVERIFIED: usize = 3;

/// Records answers to verified mail of an address at the present time.
fn add_answers(env: &TestEnvironment, address: &str, count: usize) {
    let sql = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2)
               INSERT INTO reply (mailbox, is_verified, has_command, replied_at)
               SELECT ?1, 1, 1, ?3 FROM n";
    env.sqlite().execute(sql, (address, count, env.now().timestamp())).unwrap();
}

#[test]
fn an_address_gets_sixty_answers_an_hour_and_the_last_one_says_until_when() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    let warning = "The next one comes after";
    add_answers(&env, ALICE, ANSWERS - 2);
    env.later_seconds(600);
    env.receive(&mail.reply("show 1"));
    assert!(!env.mail_to(ALICE).text.contains(warning));
    env.receive(&mail.reply("show 1"));
    env.mail_to(ALICE).says(&format!("{warning} Saturday, 21 November 2026, 11:00 (UTC)."));
    for _ in 0..3 {
        assert_eq!(env.receive(&mail.reply("show 1")), "done");
    }
    env.no_mail();
    assert_eq!(env.dispositions()["unanswered"], 3);

    // The limit holds for every spelling of the address and every kind of message.
    env.receive(&mail.reply("help").from(&ALICE.to_uppercase()));
    env.receive(&mail.reply("a1"));
    env.no_mail();
    assert_eq!(env.dispositions()["unanswered"], 5);

    // Unverified mail is counted apart.
    env.receive(&InboundMessage::new(ALICE, "receipt on"));
    env.receive(&mail.reply("f5").from("mallory@example.org"));
    assert_eq!((env.count("alice confirm"), env.count("alice mismatch")), (1, 1));

    // Other addresses are still answered, and moves are still made.
    env.receive(&env.last_mail_to(BOB).reply("show 1"));
    assert_eq!(env.count("bob answer"), 1);
    env.receive(&mail.reply("f5"));
    assert_eq!((env.plies(1), env.count("bob turn")), (1, 1));
    env.receive(&env.last_mail_to(BOB).reply("d6"));
    assert_eq!((env.plies(1), env.count("alice turn")), (2, 1));

    env.mails();
    env.later_seconds(HOUR - 600 - 1);
    env.receive(&mail.reply("show 1"));
    env.no_mail();
    env.later_seconds(1);
    env.receive(&mail.reply("show 1"));
    assert!(!env.mail_to(ALICE).text.contains(warning));
}

#[test]
fn the_last_answer_names_the_time_in_the_players_zone() {
    let env = TestEnvironment::new().with_game();
    env.ok("set timezone Asia/Tokyo --as bob");
    let mail = env.last_mail_to(BOB);
    add_answers(&env, BOB, ANSWERS - 1);
    env.receive(&mail.reply("show 1"));
    env.mail_to(BOB).says("after Saturday, 21 November 2026, 20:00 (Asia/Tokyo).");
}

#[test]
fn unverified_mail_does_not_consume_a_players_quota() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    // Answers, questions and warnings count together.
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5")), "held");
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "show 1")), "done");
    env.receive(&mail.reply("f5").from("mallory@example.org"));
    let kinds = ["confirm", "answer", "mismatch"];
    let counts = || kinds.map(|kind| env.count(&format!("alice {kind}")));
    assert_eq!(counts(), [1, 1, 1]);
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5")), "flood");
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "show 1")), "done");
    assert_eq!(env.receive(&mail.reply("f5").from("eve@example.org")), "mismatch");
    assert_eq!(counts(), [1, 1, 1]);
    assert_eq!((env.dispositions()["unanswered"], env.dispositions()["flood"]), (3, 1));
    env.receive(&mail.reply("a1"));
    assert_eq!(counts(), [1, 2, 1]);
    // Verified mails do not prevent a question on the next day either.
    env.later_seconds(24 * HOUR);
    add_answers(&env, ALICE, ANSWERS);
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5")), "held");
    assert_eq!(counts(), [2, 2, 1]);
}

#[test]
fn receipts_do_not_count_as_answers() {
    let env = TestEnvironment::new();
    env.ok("new mini alice@example.org bob@example.org");
    env.receive(&env.last_mail_to(ALICE).reply("receipt on"));
    assert_eq!(env.count("alice answer"), 1);
    for made in ["b1", "c4"] {
        assert_eq!(env.receive(&env.last_mail_to(ALICE).reply(&format!("move 1 {made}"))), "done");
        env.ok(&format!("move 1 {}", env.legal(1)));
    }
    assert_eq!(env.count("alice receipt"), 2);
    add_answers(&env, ALICE, ANSWERS - 2);
    for _ in 0..2 {
        env.receive(&env.last_mail_to(ALICE).reply("show 1"));
    }
    assert_eq!(env.count("alice answer"), 2);
    // Beyond the limit receipts are still sent.
    assert_eq!(
        env.receive(&env.last_mail_to(ALICE).reply(&format!("move 1 {}", env.legal(1)))),
        "done"
    );
    assert_eq!(env.count("alice receipt"), 3);
}

#[test]
fn strangers_get_three_answers_a_day_too() {
    let env = TestEnvironment::new().with_game();
    for number in 0..9 {
        let text =
            if number % 2 == 0 { "help".to_owned() } else { format!("signup carol{number}") };
        env.receive(&InboundMessage::new(CAROL, &text));
    }
    assert_eq!(env.outbox().len(), 2 + UNVERIFIED);
    assert_eq!(env.dispositions()["unanswered"], 6);
}

#[test]
fn addresses_that_differ_after_a_plus_share_their_limits() {
    let env = TestEnvironment::new().with_game();
    let from = |number: usize| format!("carol+{number}@example.org");
    for number in 0..UNVERIFIED + 2 {
        env.receive(&InboundMessage::new(&from(number), "help"));
    }
    env.receive(&InboundMessage::new("Carol@Example.org", "help"));
    assert_eq!(env.outbox().len(), 2 + UNVERIFIED);
    assert_eq!(env.dispositions()["unanswered"], 3);
    // Other mailboxes are answered.
    for other in ["carola@example.org", "carol+1@example.net", "arol@example.org"] {
        env.receive(&InboundMessage::new(other, "help"));
        assert_eq!(env.mails_to(other).len(), 1, "{other}");
    }

    for number in UNVERIFIED + 3..60 {
        assert_eq!(env.receive(&InboundMessage::new(&from(number), "hello")), "stranger");
    }
    assert_eq!(env.receive(&InboundMessage::new(&from(60), "hello")), "flood");
    assert_eq!(env.receive(&InboundMessage::new(CAROL, "hello")), "flood");
}

#[test]
fn a_loop_with_another_machine_stops() {
    for text in
        ["I am away.", "Thank you for your mail, which was:", "show 1", "help", "f5", "signup x"]
    {
        for from in [ALICE, CAROL] {
            let env = TestEnvironment::new().with_game();
            let mut next = Some(InboundMessage::new(from, text));
            let mut rounds = 0;
            while let Some(message) = next.take() {
                env.mails();
                env.receive(&message);
                let mails = env.mails();
                let mut answers = mails.iter().filter(|mail| mail.to == from);
                let echo = |mail: &Mail| mail.reply(&format!("{text}\n{}", mail.quoted()));
                next = answers.next().map(echo);
                assert!(answers.next().is_none(), "{text}: more than one answer");
                rounds += 1;
            }
            // The first answer may be to unverified mail.
            assert!(rounds <= ANSWERS + 2, "{text} from {from}: {rounds} rounds");
        }
    }
}

#[test]
fn answers_to_all_addresses_together_are_limited() {
    let env = TestEnvironment::new().with_game();
    env.sqlite()
        .execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 999)
             INSERT INTO reply (mailbox, is_verified, has_command, replied_at)
             SELECT n || '@example.net', 0, 1, unixepoch('2026-11-21 10:00') FROM n",
        )
        .unwrap();
    for (name, answered) in [("carol", 1), ("dave", 0), ("erin", 0)] {
        let address = format!("{name}@example.org");
        assert_eq!(env.receive(&InboundMessage::new(&address, "help")), "stranger");
        assert_eq!(env.mails_to(&address).len(), answered, "{name}");
    }
    assert_eq!(env.dispositions()["unanswered"], 2);
    env.receive(&env.last_mail_to(ALICE).reply("f5"));
    assert_eq!((env.plies(1), env.count("bob turn")), (1, 1));
}

#[test]
fn messages_of_a_sender_beyond_sixty_an_hour_are_dropped() {
    let env = TestEnvironment::new().with_game();
    let dispositions: Vec<_> =
        (0..62).map(|_| env.receive(&InboundMessage::new(CAROL, "hello"))).collect();
    assert!(dispositions[..60].iter().all(|it| it == "stranger"), "{dispositions:?}");
    assert_eq!(dispositions[60..], ["flood", "flood"]);
    assert_eq!(env.dispositions()["flood"], 2);
    assert_eq!(env.receive(&InboundMessage::new("CAROL@example.org", "hello")), "flood");
    assert_eq!(env.receive(&InboundMessage::new("dave@example.org", "hello")), "stranger");
    env.later_seconds(HOUR);
    assert_eq!(env.receive(&InboundMessage::new(CAROL, "hello")), "stranger");
}

#[test]
fn a_flood_of_forged_mail_does_not_keep_a_player_from_playing() {
    let env = TestEnvironment::new().with_game();
    for _ in 0..61 {
        env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    }
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5")), "flood");
    // A flood from many addresses does not, either.
    env.sqlite()
        .execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
             INSERT INTO seen (digest, sender, seen_at)
             SELECT randomblob(32), n || '@example.net', unixepoch('2026-11-21 10:00') FROM n",
        )
        .unwrap();
    assert_eq!(env.receive(&InboundMessage::new("dave@example.org", "hello")), "flood");
    let mail = env.mails_to(ALICE)[0].clone();
    assert_eq!(env.receive(&mail.reply("f5")), "done");
    assert_eq!(env.receive(&env.last_mail_to(BOB).reply("d6")), "done");
    assert_eq!(env.plies(1), 2);

    // Messages with a valid token are also limited.
    env.sqlite()
        .execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 298)
             INSERT INTO seen (digest, sender, seen_at)
             SELECT randomblob(32), sender, seen_at FROM n, seen WHERE sender = 'player 1'",
        )
        .unwrap();
    assert_eq!(env.receive(&mail.reply("show 1")), "done");
    assert_eq!(env.receive(&mail.reply("show 1")), "flood");
    assert_eq!(
        env.receive(&mail.reply("show 1").from(BOB)),
        "flood",
        "a stolen token does not help"
    );
    assert_eq!(env.receive(&env.last_mail_to(BOB).reply("show 1")), "done");
}
