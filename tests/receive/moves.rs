//! Moves by mail: old answers, copies, and several commands at once.

use std::collections::BTreeMap;

use outflank::mail::token::Purpose;

use crate::club::{ALICE, BOB, Club, Letter};

#[test]
fn a_bare_move_counts_for_the_ply_that_was_asked_for() {
    let club = Club::new();
    let first = club.turn_after("f5");
    club.host("move 1 d6");
    club.mails();
    let later = club.turn_after("c3");
    // f3 and d3 would be legal now as they would have been then.
    for old in ["d3", "f4", "move d3", "move 1 d3", "pass", "d3#2"] {
        assert_eq!(club.takes(&first.answered(old)), "done", "{old}");
        let told = club.mail_to(BOB);
        told.says("#2 is not the move to be made: that is #4").says("Legal moves");
        assert_eq!(told.text.contains("an older mail"), !old.contains('#'), "{old}");
        assert_eq!(club.moves(), ["f5", "d6", "c3"], "{old}");
        club.later(60);
    }
    assert_eq!(club.takes(&first.answered("d3#4")), "done", "a number that is said counts");
    club.mail_to(ALICE);
    assert_eq!(club.takes(&later.answered("d3")), "done");
    club.mail_to(BOB).says("already played");
    assert_eq!(club.moves(), ["f5", "d6", "c3", "d3"]);
}

#[test]
fn the_same_words_in_another_mail_were_already_played() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    club.takes(&turn.answered("d6"));
    club.mail_to(ALICE);
    club.takes(&turn.answered("d6"));
    club.mail_to(BOB).says("d6 was already played, as move #2 of game 1");
    club.takes(&turn.answered("f4"));
    club.mail_to(BOB).says("#2 is not the move to be made: that is #3");
    assert_eq!(club.moves(), ["f5", "d6"]);
}

#[test]
fn also_where_the_move_ended_the_game() {
    let club = Club::empty("");
    let players = ["alice@example.org", "bob@example.org"];
    club.hosts(&["new", "othello", players[0], players[1], "--position", "(b bw- --- ---)"]);
    club.mails();
    let to = format!("outflank+{}@club.example", club.code(Purpose::Play, "alice", 1, 0));
    assert_eq!(club.takes(&Letter::from(ALICE).to(&to).says("c1")), "done");
    assert!(club.mails().iter().all(|mail| mail.text.contains("is over")));
    club.takes(&Letter::from(ALICE).to(&to).says("c1"));
    club.mail_to(ALICE).says("c1 was already played, as move #1 of game 1");
    club.takes(&Letter::from(ALICE).to(&to).says("c2"));
    club.mail_to(ALICE).says("game 1 is over");
}

#[test]
fn a_mail_that_comes_a_hundred_times_is_one() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    let (made, refused) = (turn.answered("d6").id("a@b"), turn.answered("a1").id("c@d"));
    assert_eq!(club.takes(&refused), "done");
    club.mail_to(BOB).says("Not done: a1");
    assert_eq!(club.takes(&made), "done");
    club.mail_to(ALICE);
    for _ in 0..50 {
        assert_eq!([&made, &refused].map(|letter| club.takes(letter)), ["copy", "copy"]);
    }
    // Other machines hand it on with other fields.
    let handed_on = made.and("Received", "from a by b").and("Delivered-To", BOB);
    assert_eq!(club.takes_with(&[&turn.reply_to(), BOB], &handed_on), "copy");
    club.no_mail();
    assert_eq!(club.moves(), ["f5", "d6"]);
}

#[test]
fn eight_processes_at_once_make_one_move_and_one_mail() {
    for text in ["d6", "a1"] {
        let club = Club::new();
        let turn = club.turn_after("f5");
        let letter = turn.answered(text).id("a@mail.example");
        let fates = club.takes_at_once(&vec![letter; 8]);
        let count = |word: &str| fates.iter().filter(|fate| *fate == word).count();
        assert_eq!((count("done"), count("copy")), (1, 7), "{fates:?}");
        club.mail_to(if text == "d6" { ALICE } else { BOB });
        assert_eq!(club.moves().len(), if text == "d6" { 2 } else { 1 });
    }
}

#[test]
fn each_command_of_a_mail_stands_alone() {
    let club = Club::new();
    club.host("new othello alice bob");
    club.mails();
    let turn = club.turn_after("f5");
    club.host("move 2 f5");
    club.mails();
    let text = "move 99 d3\nd6\nhelp nonsense\nreceipt on\nmove 2 d6\nshow 98";
    assert_eq!(club.takes(&turn.answered(text)), "done");
    let mut by_player = BTreeMap::new();
    for mail in club.mails() {
        by_player.entry(mail.to.clone()).or_insert_with(Vec::new).push(mail);
    }
    assert_eq!(by_player[ALICE].len(), 2, "the two moves");
    let told: Vec<_> =
        by_player[BOB].iter().filter(|mail| mail.text.contains("Not done")).collect();
    let [answer] = told[..] else { panic!("one answer: {told:#?}") };
    answer.says("Not done: move 99 d3").says("there is no game 98").says("Done: d6");
    answer.says("there is no command `nonsense`").says("answered by mail from now on");
    assert_eq!(club.moves(), ["f5", "d6"]);
    assert!(club.host("--json history 2").contains("d6"));
}

#[test]
fn a_mail_and_what_it_does_are_one_transaction() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    // A fault behind the move: nothing is done, nothing is seen, and the mail can come again.
    let sqlite = club.sqlite();
    let trigger = "CREATE TRIGGER fault BEFORE UPDATE OF receipt ON player
                   BEGIN SELECT RAISE(ABORT, 'no'); END";
    sqlite.execute_batch(trigger).unwrap();
    let letter = turn.answered("d6\nreceipt on").id("a@b");
    assert_eq!(club.comes_again(&letter), (Some(75), String::new()));
    assert_eq!(club.moves(), ["f5"]);
    club.no_mail();
    sqlite.execute_batch("DROP TRIGGER fault").unwrap();
    assert_eq!(club.takes(&letter), "done");
    assert_eq!(club.moves(), ["f5", "d6"]);
    assert_eq!(club.takes(&letter), "copy");
}

#[test]
fn a_player_who_is_not_on_turn_is_told_who_is() {
    let club = Club::new();
    let code = club.code(Purpose::Play, "bob", 1, 0);
    let letter = Letter::from(BOB).to(&format!("outflank+{code}@club.example"));
    club.takes(&letter.says("d3"));
    club.mail_to(BOB).says("it is not bob's turn in game 1").says("Score: black 2, white 2");
    assert_eq!(club.moves(), [""; 0]);
}

#[test]
fn a_pass_is_a_move_where_the_rules_ask_for_it() {
    let club = Club::empty("");
    club.host("new twente alice@example.org bob@example.org");
    club.mails();
    let turn = club.turn_after("f5");
    club.takes(&turn.answered("Pass."));
    club.mail_to(BOB).says("Not done: Pass").says("legal: d6 f4 f6");
    assert_eq!(club.moves(), ["f5"]);
}
