//! What is answered, to whom, and in which thread.

use outflank::mail::token::Purpose;

use crate::club::{ALICE, BOB, Club, Letter, Mail};

/// Checks that a mail answers the one of this id in the thread of game 1.
#[track_caller]
fn is_in_thread(answer: &Mail, turn: &Mail, id: &str) {
    let thread = turn.header("In-Reply-To");
    assert!(thread.starts_with("<game-1."), "{thread}");
    assert_eq!(answer.header("In-Reply-To"), format!("<{id}>"));
    assert_eq!(answer.header("References"), format!("{thread} <{id}>"));
    assert_eq!(answer.header("Subject"), turn.header("Subject"));
    assert_eq!(answer.header("Auto-Submitted"), "auto-replied");
}

#[test]
fn a_refusal_has_the_reason_the_board_and_the_legal_moves_in_the_thread() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    for text in ["a1", "d5", "z9", "pass", "move 1 a1", "move 1 d6 d6", "d6\nf4", "What now?", ""] {
        club.takes(&turn.answered(text).id("bob.1@mail.example"));
        let answer = club.mail_to(BOB);
        is_in_thread(&answer, &turn, "bob.1@mail.example");
        answer.says("Score: black 4, white 1").says("Legal moves: d6 f4 f6");
        assert!(answer.text.contains("+---+"), "{}", answer.text);
        // It can be answered itself.
        assert!(answer.reply_to().contains('+'), "{}", answer.reply_to());
        club.later(60);
    }
    assert_eq!(club.moves(), ["f5"]);
    let answer = {
        club.takes(&turn.answered("a1"));
        club.mail_to(BOB)
    };
    assert_eq!(club.takes(&answer.answered("d6")), "done");
    assert_eq!(club.moves(), ["f5", "d6"]);
}

#[test]
fn an_answer_to_a_mail_without_an_id_is_an_answer_still() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    for id in ["", "two words@x", &"x".repeat(2000), "caf\u{e9}@x.example"] {
        club.takes(&turn.answered(&format!("a1\n{}", id.len())).id(id));
        let answer = club.mail_to(BOB);
        assert_eq!(answer.header("Auto-Submitted"), "auto-replied", "{id}");
        assert!(answer.header("References").starts_with(&turn.header("References")), "{id}");
        assert!(answer.raw.lines().all(|line| line.len() <= 998 && line.is_ascii()), "{id}");
        club.later(60);
    }
}

#[test]
fn whoever_warns_or_asks_does_so_as_a_machine() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    club.takes(&turn.answered("d6").by("mallory@evil.example"));
    assert_eq!(club.mail_to(BOB).header("Auto-Submitted"), "auto-replied");
    club.takes(&Letter::from(ALICE).says("resign 1").id("x@y"));
    let asked = club.mail_to(ALICE);
    assert_eq!(asked.header("Auto-Submitted"), "auto-replied");
    assert_eq!(asked.header("In-Reply-To"), "<x@y>");
}

#[test]
fn a_move_that_is_made_is_answered_only_to_those_who_want_it() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    club.takes(&turn.answered("receipt on"));
    club.mail_to(BOB).says("answered by mail");
    club.takes(&turn.answered("d6").id("bob.2@mail.example"));
    let mails = club.mails();
    let [to_alice, to_bob] = &mails[..] else { panic!("{mails:#?}") };
    assert_eq!((&*to_alice.to, &*to_bob.to), (ALICE, BOB));
    to_bob.says("Score: black 3, white 3");
    is_in_thread(to_bob, &turn, "bob.2@mail.example");
    // The turn of the other is no answer to what bob wrote.
    assert_eq!(to_alice.header("Auto-Submitted"), "auto-generated");
    assert!(!to_alice.raw.contains("bob.2@mail.example"), "{}", to_alice.raw);

    club.host("--as bob receipt off");
    club.host("move 1 c3");
    let turn = club.mail_to(BOB);
    club.takes(&turn.answered("d3"));
    club.mail_to(ALICE);
}

/// A board on which white has to pass when black has taken d1.
const AGAIN: &str = "(b bww- ---- ---- bw--)";

#[test]
fn a_receipt_comes_also_where_it_is_the_movers_turn_again() {
    for (unsubscribed, opening) in [(false, "It is your turn"), (true, "")] {
        let club = Club::empty("");
        club.hosts(&["new", "othello", ALICE, BOB, "--position", AGAIN]);
        club.mails();
        club.host("--as alice receipt on");
        if unsubscribed {
            club.host("--as alice unsubscribe 1");
        }
        let to = format!("outflank+{}@club.example", club.code(Purpose::Play, "alice", 1, 0));
        club.takes(&Letter::from(ALICE).to(&to).says("d1"));
        assert_eq!(club.game()["turn"], "black");
        club.mail_to(ALICE).says(opening).says("Score: black 5, white 1");
    }
}

#[test]
fn turn_mails_pause_for_one_player_and_one_game() {
    let club = Club::new();
    club.host("new othello alice bob");
    club.mails();
    let code = club.code(Purpose::Unsubscribe, "bob", 1, 0);
    let to = format!("outflank+{code}@club.example");
    // What mail programs send for `List-Unsubscribe: <mailto:...>`: anything, or nothing.
    let letter = Letter::from(BOB).to(&to).subject("unsubscribe").says("");
    assert_eq!(club.takes(&letter), "done");
    club.mail_to(BOB).says("bob gets no turn mails of game 1");
    club.host("move 1 f5");
    club.no_mail();
    club.host("move 1 d6");
    club.mail_to(ALICE);
    club.host("move 2 f5");
    let turn = club.mail_to(BOB);
    assert_eq!(club.takes(&turn.answered("subscribe 1")), "done");
    club.mail_to(BOB).says("bob gets the turn mails of game 1");
    club.host("move 1 c3");
    club.mail_to(BOB);
    // Nobody else ends them, whatever the code.
    assert_eq!(club.takes(&letter.clone().by("mallory@evil.example")), "imposter");
    club.mails();
    club.host("move 1 d3");
    club.mail_to(ALICE);
    club.host("move 1 c4");
    club.mail_to(BOB);
}

#[test]
fn whoever_wants_turn_mails_again_gets_the_one_that_was_not_sent() {
    let club = Club::new();
    club.host("--as bob unsubscribe 1");
    club.host("move 1 f5");
    club.no_mail();
    club.host("--as bob subscribe 1");
    club.mail_to(BOB).says("It is your turn, bob: move 2 of game 1.");
    // Once, and only on turn.
    club.host("--as bob subscribe 1");
    club.host("--as alice unsubscribe 1");
    club.host("--as alice subscribe 1");
    club.no_mail();
}

#[test]
fn the_end_of_a_game_is_told_also_to_those_without_turn_mails() {
    let club = Club::new();
    club.host("--as bob unsubscribe 1");
    club.host("--as alice resign 1");
    assert_eq!(club.mails().len(), 2);
}

#[test]
fn the_header_for_unsubscribing_works_as_it_stands() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    let header = turn.header("List-Unsubscribe");
    let address = header.strip_prefix("<mailto:").unwrap_or_else(|| panic!("{header}"));
    let address = address.split(['?', '>']).next().unwrap().replace("%2B", "+");
    assert_eq!(club.takes(&Letter::from(BOB).to(&address).says("please")), "done");
    club.mail_to(BOB).says("bob gets no turn mails of game 1");
}
