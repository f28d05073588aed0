//! Moves by mail: outdated replies, copies, and several commands in one message.

use std::collections::BTreeMap;

use crate::harness::{ALICE, BOB, InboundMessage, Purpose, TestEnvironment};

#[test]
fn a_bare_move_counts_for_the_ply_of_the_mail_it_answers() {
    let env = TestEnvironment::new().with_game();
    let first = env.turn_after("f5");
    env.ok("move 1 d6");
    env.mails();
    let later = env.turn_after("c3");
    // d3 and f4 would be legal moves now, too.
    for old in ["d3", "f4", "move d3", "move 1 d3", "pass", "d3#2"] {
        assert_eq!(env.receive(&first.reply(old)), "done", "{old}");
        let mail = env.mail_to(BOB);
        mail.says("the next move is #4, not #2").says("Legal moves");
        assert_eq!(mail.text.contains("an older mail"), !old.contains('#'), "{old}");
        assert_eq!(env.moves(1), ["f5", "d6", "c3"], "{old}");
        env.later(60);
    }
    assert_eq!(env.receive(&first.reply("d3#4")), "done", "a number that is said counts");
    env.mail_to(ALICE);
    assert_eq!(env.receive(&later.reply("d3")), "done");
    env.mail_to(BOB).says("already played");
    assert_eq!(env.moves(1), ["f5", "d6", "c3", "d3"]);
}

#[test]
fn a_repeated_move_is_answered_as_already_played() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    env.receive(&turn.reply("d6"));
    env.mail_to(ALICE);
    env.receive(&turn.reply("d6"));
    env.mail_to(BOB).says("d6 was already played as move #2 of game 1");
    env.receive(&turn.reply("f4"));
    env.mail_to(BOB).says("the next move is #3, not #2").says(
        "you have replied to an older mail, and it is alice's turn. You will be mailed when it is yours.",
    );
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

#[test]
fn a_refused_move_stands_above_the_comment_that_was_passed_on() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    assert_eq!(env.receive(&turn.reply("a1\nsay Hello")), "done");
    let text = env.mail_to(BOB).text;
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(at("‹a1› was not done") < at("Reply to ‹say›"), "{text}");
}

#[test]
fn a_repeated_last_move_is_answered_as_already_played() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --position '(b bw- --- ---)'"));
    env.mails();
    let to = env.token_address(Purpose::Play, "alice", 1, 0);
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "c1").to(&to)), "done");
    assert!(env.mails().iter().all(|mail| mail.text.contains("is over")));
    env.receive(&InboundMessage::new(ALICE, "c1").to(&to));
    env.mail_to(ALICE).says("c1 was already played as move #1 of game 1");
    env.receive(&InboundMessage::new(ALICE, "c2").to(&to));
    env.mail_to(ALICE).says("game 1 is over");
}

#[test]
fn a_message_received_a_hundred_times_is_handled_once() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    let (made, refused) = (turn.reply("d6").id("a@b"), turn.reply("a1").id("c@d"));
    assert_eq!(env.receive(&refused), "done");
    env.mail_to(BOB).says("‹a1› was not done");
    assert_eq!(env.receive(&made), "done");
    env.mail_to(ALICE);
    for _ in 0..50 {
        assert_eq!([&made, &refused].map(|message| env.receive(message)), ["copy", "copy"]);
    }
    // Mail servers on the way may add fields.
    let handed_on = made.and("Received", "from a by b").and("Delivered-To", BOB);
    assert_eq!(env.receive_with(&[&turn.reply_to(), BOB], &handed_on), "copy");
    env.no_mail();
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

/// The mails differ only in the mails that they answer: the mail program writes no Message-ID.
#[test]
fn equal_replies_to_two_games_are_not_copies() {
    let env = TestEnvironment::new().with_game();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    let mails = env.mails_to(ALICE);
    let [first, second] = &mails[..] else { panic!("{mails:#?}") };
    let [first, second] =
        [first, second].map(|mail| mail.reply("f5").without("Message-ID").subject("Re: your turn"));
    assert_eq!(env.receive(&first), "done");
    assert_eq!(env.receive(&second), "done");
    assert_eq!([&first, &second].map(|message| env.receive(message)), ["copy", "copy"]);
    assert_eq!((env.plies(1), env.plies(2)), (1, 1));
}

#[test]
fn each_command_of_a_message_succeeds_or_fails_alone() {
    let env = TestEnvironment::new().with_game();
    env.ok("new othello alice bob");
    env.mails();
    let turn = env.turn_after("f5");
    env.ok("move 2 f5");
    env.mails();
    let text = "move 99 d3\nd6\nhelp nonsense\nreceipt on\nmove 2 d6\nshow 98";
    assert_eq!(env.receive(&turn.reply(text)), "done");
    let mut by_player = BTreeMap::new();
    for mail in env.mails() {
        by_player.entry(mail.to.clone()).or_insert_with(Vec::new).push(mail);
    }
    assert_eq!(by_player[ALICE].len(), 2, "the two moves");
    let answers: Vec<_> =
        by_player[BOB].iter().filter(|mail| mail.text.contains("was not done")).collect();
    let [answer] = answers[..] else { panic!("one answer: {answers:#?}") };
    answer.says("‹move 99 d3› was not done").says("there is no game 98").says("‹d6› is done");
    answer.says("there is no command \"nonsense\"").says("gets mail receipts");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    assert!(env.ok("--json history 2").contains("d6"));
}

#[test]
fn a_message_and_its_effects_are_one_transaction() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    // An error after the move rolls back the move and the record of the message.
    let sqlite = env.sqlite();
    let trigger = "CREATE TRIGGER fault BEFORE UPDATE OF receipt ON player
                   BEGIN SELECT RAISE(ABORT, 'no'); END";
    sqlite.execute_batch(trigger).unwrap();
    let message = turn.reply("d6\nreceipt on").id("a@b");
    env.hand_in(&message).silent(75);
    assert_eq!(env.moves(1), ["f5"]);
    env.no_mail();
    sqlite.execute_batch("DROP TRIGGER fault").unwrap();
    assert_eq!(env.receive(&message), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    assert_eq!(env.receive(&message), "copy");
}

#[test]
fn the_answer_to_a_move_out_of_turn_names_the_player_to_move() {
    let env = TestEnvironment::new().with_game();
    let message = InboundMessage::new(BOB, "d3").to(&env.token_address(Purpose::Play, "bob", 1, 0));
    env.receive(&message);
    env.mail_to(BOB)
        .says("it is alice's turn in game 1; bob will be mailed when it is bob's")
        .says("Score: black 2, white 2");
    assert_eq!(env.moves(1), [""; 0]);
}

#[test]
fn a_pass_by_mail_follows_the_rules() {
    let env = TestEnvironment::new();
    env.ok("new twente alice@example.org bob@example.org");
    env.mails();
    let turn = env.turn_after("f5");
    env.receive(&turn.reply("Pass."));
    env.mail_to(BOB).says("‹Pass› was not done").says("legal: ‹d6› ‹f4› ‹f6›");
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn a_reply_to_a_position_that_a_restored_backup_does_not_have_is_refused() {
    let env = TestEnvironment::new().with_game();
    let backup = env.path("backup.db");
    env.ok(&format!("backup {}", backup.display()));
    env.ok("move 1 f5");
    env.mails();
    let lost = env.turn_after("d6");
    for file in ["outflank.db-wal", "outflank.db-shm"] {
        let _ = std::fs::remove_file(env.path(file));
    }
    std::fs::copy(backup, env.database()).unwrap();
    // It would be a legal first move.
    assert_eq!(env.receive(&lost.reply("c4")), "ignored: a reply to what was lost with a restore");
    env.mail_to(ALICE).says("lost when this server was restored").says("This is game 1 now.");
    // A token of the first version has no history, but the number of its event.
    let first = env.token_address(Purpose::Play, "alice", 1, 2);
    assert_eq!(env.receive(&lost.reply("c4").to(&first)), "done");
    env.mail_to(ALICE).says("game 1 does not have that position any more");
    assert!(env.moves(1).is_empty());
}
