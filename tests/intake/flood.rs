//! Limits on answers and on received messages, which never stop a verified player's moves.

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Mail, TestEnvironment};

const HOUR: i64 = 3600;
const ANSWERS: usize = 5;

#[test]
fn an_address_gets_five_answers_an_hour() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    for _ in 0..8 {
        assert_eq!(env.receive(&mail.reply("show 1")), "done");
    }
    assert_eq!(env.count("alice answer"), ANSWERS);
    assert_eq!(env.dispositions()["unanswered"], 3);

    // The limit holds for every spelling of the address and every kind of message.
    env.receive(&mail.reply("help").from(&ALICE.to_uppercase()));
    env.receive(&mail.reply("a1"));
    assert_eq!(env.outbox().len(), 2 + ANSWERS);
    assert_eq!(env.dispositions()["unanswered"], 5);

    // Unverified mail is counted apart.
    env.receive(&InboundMessage::new(ALICE, "show 1"));
    env.receive(&mail.reply("f5").from("mallory@example.org"));
    assert_eq!((env.count("alice confirm"), env.count("alice mismatch")), (1, 1));

    // Others are answered, and moves are made.
    env.receive(&env.last_mail_to(BOB).reply("show 1"));
    assert_eq!(env.count("bob answer"), 1);
    env.receive(&mail.reply("f5"));
    assert_eq!((env.plies(1), env.count("bob turn")), (1, 1));
    env.receive(&env.last_mail_to(BOB).reply("d6"));
    assert_eq!((env.plies(1), env.count("alice turn")), (2, 1));

    env.later_seconds(HOUR - 1);
    env.receive(&mail.reply("show 1"));
    assert_eq!(env.count("alice answer"), ANSWERS);
    env.later_seconds(1);
    for _ in 0..8 {
        env.receive(&mail.reply("show 1"));
    }
    assert_eq!(env.count("alice answer"), 2 * ANSWERS);
}

#[test]
fn unverified_mail_does_not_use_up_a_players_answers() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    for _ in 0..8 {
        env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    }
    assert_eq!(env.count("alice confirm"), 3);
    for _ in 0..ANSWERS + 1 {
        env.receive(&mail.reply("a1"));
    }
    assert_eq!(env.count("alice answer"), ANSWERS);
    // Verified mails do not prevent a confirmation in the next hour either.
    env.later_seconds(HOUR);
    for _ in 0..ANSWERS {
        env.receive(&mail.reply("a1"));
    }
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5")), "held");
    assert_eq!(env.count("alice confirm"), 4);
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
    for _ in 0..ANSWERS {
        env.receive(&env.last_mail_to(ALICE).reply("show 1"));
    }
    assert_eq!(env.count("alice answer"), ANSWERS);
    // Beyond the limit receipts are still sent.
    assert_eq!(
        env.receive(&env.last_mail_to(ALICE).reply(&format!("move 1 {}", env.legal(1)))),
        "done"
    );
    assert_eq!(env.count("alice receipt"), 3);
}

#[test]
fn strangers_get_five_answers_an_hour_too() {
    let env = TestEnvironment::new().with_game();
    for number in 0..9 {
        let text =
            if number % 2 == 0 { "help".to_owned() } else { format!("signup carol{number}") };
        env.receive(&InboundMessage::new(CAROL, &text));
    }
    assert_eq!(env.outbox().len(), 2 + ANSWERS);
    assert_eq!(env.dispositions()["unanswered"], 4);
}

#[test]
fn addresses_that_differ_behind_a_plus_are_one_mailbox_in_limits() {
    let env = TestEnvironment::new().with_game();
    let from = |number: usize| format!("carol+{number}@example.org");
    for number in 0..ANSWERS + 2 {
        env.receive(&InboundMessage::new(&from(number), "help"));
    }
    env.receive(&InboundMessage::new("Carol@Example.org", "help"));
    assert_eq!(env.outbox().len(), 2 + ANSWERS);
    assert_eq!(env.dispositions()["unanswered"], 3);
    // Other mailboxes are answered.
    for other in ["carola@example.org", "carol+1@example.net", "arol@example.org"] {
        env.receive(&InboundMessage::new(other, "help"));
        assert_eq!(env.mails_to(other).len(), 1, "{other}");
    }

    for number in ANSWERS + 3..60 {
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
                let had = env.mails_to(from).len();
                env.receive(&message);
                let mails = env.mails_to(from);
                assert!(mails.len() <= had + 1, "{text}: more than one answer");
                let echo = |mail: &Mail| mail.reply(&format!("{text}\n{}", mail.quoted()));
                next = mails.get(had).map(echo);
                rounds += 1;
            }
            assert!(rounds <= ANSWERS + 1, "{text} from {from}: {rounds} rounds");
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
    // Nor does a flood from many addresses.
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

    // Messages with a valid token are limited, too.
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
