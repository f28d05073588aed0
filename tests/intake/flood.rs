//! Who writes much is not answered much, and keeps nobody from playing.

use crate::club::{ALICE, BOB, Club, Mail, OUTFLANK};

const HOUR: i64 = 3600;
const ANSWERS: usize = 5;

#[test]
fn an_address_gets_five_answers_an_hour() {
    let club = Club::new();
    let letter = club.letter(ALICE);
    for _ in 0..8 {
        assert_eq!(club.receive(&letter.reply(ALICE, "show 1")), "done");
    }
    assert_eq!(club.count("alice answer"), ANSWERS);
    assert_eq!(club.fates()["unanswered"], 3);

    // Whoever it is that asks in whatever way.
    club.receive(&letter.reply(&ALICE.to_uppercase(), "help"));
    club.receive(&Mail::new(ALICE, OUTFLANK, "show 1"));
    club.receive(&letter.reply(ALICE, "a1"));
    club.receive(&letter.reply("mallory@example.org", "f5"));
    assert_eq!(club.outbox().len(), 2 + ANSWERS);
    assert_eq!(club.fates()["unanswered"], 7);

    // Others are answered, and moves are played.
    club.receive(&club.reply(BOB, "show 1"));
    assert_eq!(club.count("bob answer"), 1);
    club.receive(&letter.reply(ALICE, "f5"));
    assert_eq!((club.plies(1), club.count("bob turn")), (1, 1));
    club.receive(&club.reply(BOB, "d6"));
    assert_eq!((club.plies(1), club.count("alice turn")), (2, 1));

    club.house.wait(HOUR - 1);
    club.receive(&letter.reply(ALICE, "show 1"));
    assert_eq!(club.count("alice answer"), ANSWERS);
    club.house.wait(1);
    for _ in 0..8 {
        club.receive(&letter.reply(ALICE, "show 1"));
    }
    assert_eq!(club.count("alice answer"), 2 * ANSWERS);
}

#[test]
fn what_others_cause_leaves_some_for_the_player() {
    let club = Club::new();
    for _ in 0..8 {
        club.receive(&Mail::new(ALICE, OUTFLANK, "move 1 f5"));
    }
    assert_eq!(club.count("alice confirm"), 3);
    for _ in 0..3 {
        club.receive(&club.reply(ALICE, "a1"));
    }
    assert_eq!(club.count("alice answer"), 2);
}

#[test]
fn strangers_get_no_more() {
    let club = Club::new();
    for number in 0..9 {
        let text =
            if number % 2 == 0 { "hello".to_owned() } else { format!("signup carol{number}") };
        club.receive(&Mail::new("carol@example.org", OUTFLANK, &text));
    }
    assert_eq!(club.outbox().len(), 2 + ANSWERS);
    assert_eq!(club.fates()["unanswered"], 4);
}

#[test]
fn two_machines_that_answer_each_other_come_to_rest() {
    for text in
        ["I am away.", "Thank you for your mail, which was:", "show 1", "help", "f5", "signup x"]
    {
        for from in [ALICE, "carol@example.org"] {
            let club = Club::new();
            let mut next = Some(Mail::new(from, OUTFLANK, text));
            let mut rounds = 0;
            while let Some(mail) = next.take() {
                let had = club.letters(from).len();
                club.receive(&mail);
                let letters = club.letters(from);
                assert!(letters.len() <= had + 1, "{text}: more than one answer");
                next = letters.get(had).map(|letter| {
                    let mail = letter.reply(from, text);
                    let quoted: Vec<_> =
                        letter.text.lines().map(|line| format!("> {line}")).collect();
                    Mail { text: format!("{}\n{}\n", mail.text, quoted.join("\n")), ..mail }
                });
                rounds += 1;
            }
            assert!(rounds <= ANSWERS + 1, "{text} from {from}: {rounds} rounds");
        }
    }
}

#[test]
fn all_addresses_together_are_limited() {
    let club = Club::new();
    club.house
        .sqlite()
        .execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 999)
             INSERT INTO outbox (message_id, event, address, answer, created_at, due_at, state)
             SELECT 'm' || n, 'answer', n || '@example.net', 1, unixepoch('2026-11-21 10:00'), 0,
                    'sent' FROM n",
        )
        .unwrap();
    for (name, answered) in [("carol", 1), ("dave", 0), ("erin", 0)] {
        let address = format!("{name}@example.org");
        assert_eq!(club.receive(&Mail::new(&address, OUTFLANK, "hello")), "stranger");
        assert_eq!(club.letters(&address).len(), answered, "{name}");
    }
    assert_eq!(club.fates()["unanswered"], 2);
    club.receive(&club.reply(ALICE, "f5"));
    assert_eq!((club.plies(1), club.count("bob turn")), (1, 1));
}

#[test]
fn a_sender_is_heard_so_often_and_no_more() {
    let club = Club::new();
    let fates: Vec<_> =
        (0..62).map(|_| club.receive(&Mail::new("carol@example.org", OUTFLANK, "hello"))).collect();
    assert!(fates[..60].iter().all(|fate| fate == "stranger"), "{fates:?}");
    assert_eq!(fates[60..], ["flood", "flood"]);
    assert_eq!(club.fates()["flood"], 2);
    assert_eq!(club.receive(&Mail::new("CAROL@example.org", OUTFLANK, "hello")), "flood");
    assert_eq!(club.receive(&Mail::new("dave@example.org", OUTFLANK, "hello")), "stranger");
    club.house.wait(HOUR);
    assert_eq!(club.receive(&Mail::new("carol@example.org", OUTFLANK, "hello")), "stranger");
}

#[test]
fn who_writes_in_a_players_name_does_not_keep_the_player_from_playing() {
    let club = Club::new();
    for _ in 0..61 {
        club.receive(&Mail::new(ALICE, OUTFLANK, "move 1 f5"));
    }
    assert_eq!(club.receive(&Mail::new(ALICE, OUTFLANK, "move 1 f5")), "flood");
    // Nor does who writes in the names of all the world.
    club.house
        .sqlite()
        .execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
             INSERT INTO seen (digest, sender, seen_at)
             SELECT randomblob(32), n || '@example.net', unixepoch('2026-11-21 10:00') FROM n",
        )
        .unwrap();
    assert_eq!(club.receive(&Mail::new("dave@example.org", OUTFLANK, "hello")), "flood");
    let letter = club.letters(ALICE)[0].clone();
    assert_eq!(club.receive(&letter.reply(ALICE, "f5")), "done");
    assert_eq!(club.receive(&club.reply(BOB, "d6")), "done");
    assert_eq!(club.plies(1), 2);

    // With a code, too, there can be too much.
    club.house
        .sqlite()
        .execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 298)
             INSERT INTO seen (digest, sender, seen_at)
             SELECT randomblob(32), sender, seen_at FROM n, seen WHERE sender = 'player 1'",
        )
        .unwrap();
    assert_eq!(club.receive(&letter.reply(ALICE, "show 1")), "done");
    assert_eq!(club.receive(&letter.reply(ALICE, "show 1")), "flood");
    assert_eq!(club.receive(&letter.reply(BOB, "show 1")), "flood", "not who has stolen a code");
    assert_eq!(club.receive(&club.reply(BOB, "show 1")), "done");
}
