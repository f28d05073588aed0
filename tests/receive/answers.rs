//! Answers: their contents, recipients and threads.

use crate::harness::{ALICE, BOB, InboundMessage, Mail, Purpose, STRANGER, TestEnvironment};

/// Checks that a mail answers the message of this id in the thread of game 1.
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
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    for text in ["a1", "d5", "z9", "pass", "move 1 a1", "move 1 d6 d6", "d6\nf4", "What now?", ""] {
        env.receive(&turn.reply(text).id("bob.1@mail.example"));
        let answer = env.mail_to(BOB);
        is_in_thread(&answer, &turn, "bob.1@mail.example");
        answer.says("Score: black 4, white 1").says("Legal moves: d6 / f4 / f6 (3 moves)");
        assert!(answer.text.contains("+---+"), "{}", answer.text);
        // The player can reply to the answer.
        assert!(answer.reply_to().contains('+'), "{}", answer.reply_to());
        env.later(60);
    }
    assert_eq!(env.moves(1), ["f5"]);
    let answer = {
        env.receive(&turn.reply("a1"));
        env.mail_to(BOB)
    };
    assert_eq!(env.receive(&answer.reply("d6")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

#[test]
fn a_mail_replays_at_most_twelve_moves() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("e6 d6 c3 f3 c4 c6 d7 e7 f7 e8 d8 g7 f8 b3");
    env.receive(&turn.reply("replay"));
    let answer = env.mail_to(ALICE);
    answer.says("1. alice (black) e6 (flipped e5); black 4, white 1");
    answer
        .says("12. bob (white) g7")
        .says("Moves 13 to 14 are left out; see ‹replay 1 --from 13›.");
    assert!(!answer.text.contains("13. alice"), "{}", answer.text);
    env.receive(&turn.reply("replay --from 13\npreview h7"));
    let answer = env.mail_to(ALICE);
    answer.says("14. bob (white) b3").says("no move was made");
    assert_eq!(env.plies(1), 14);
}

#[test]
fn a_message_without_a_valid_id_is_answered() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    for id in ["", "two words@x", &"x".repeat(2000), "caf\u{e9}@x.example"] {
        env.receive(&turn.reply(&format!("a1\n{}", id.len())).id(id));
        let answer = env.mail_to(BOB);
        assert_eq!(answer.header("Auto-Submitted"), "auto-replied", "{id}");
        assert!(answer.header("References").starts_with(&turn.header("References")), "{id}");
        assert!(answer.raw.lines().all(|line| line.len() <= 998 && line.is_ascii()), "{id}");
        env.later(60);
    }
}

#[test]
fn warnings_and_questions_are_marked_as_automatic() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    env.receive(&turn.reply("d6").from(STRANGER));
    assert_eq!(env.mail_to(BOB).header("Auto-Submitted"), "auto-replied");
    env.receive(&InboundMessage::new(ALICE, "resign 1").id("x@y"));
    let asked = env.mail_to(ALICE);
    assert_eq!(asked.header("Auto-Submitted"), "auto-replied");
    assert_eq!(asked.header("In-Reply-To"), "<x@y>");
}

#[test]
fn a_move_is_answered_only_to_players_with_receipts_on() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    env.receive(&turn.reply("receipt on"));
    env.mail_to(BOB).says("gets mail receipts");
    env.receive(&turn.reply("d6").id("bob.2@mail.example"));
    let mails = env.mails();
    let [to_alice, to_bob] = &mails[..] else { panic!("{mails:#?}") };
    assert_eq!((&*to_alice.to, &*to_bob.to), (ALICE, BOB));
    to_bob.says("Score: black 3, white 3");
    is_in_thread(to_bob, &turn, "bob.2@mail.example");
    // The opponent's turn mail is not an answer to bob's message.
    assert_eq!(to_alice.header("Auto-Submitted"), "auto-generated");
    assert!(!to_alice.raw.contains("bob.2@mail.example"), "{}", to_alice.raw);

    env.ok("--as bob receipt off");
    env.ok("move 1 c3");
    let turn = env.mail_to(BOB);
    env.receive(&turn.reply("d3"));
    env.mail_to(ALICE);
}

/// A position where white must pass after black's d1.
const AGAIN: &str = "(b bww- ---- ---- bw--)";

#[test]
fn a_receipt_is_sent_even_if_it_is_the_movers_turn_again() {
    for (unsubscribed, opening) in [(false, "Your turn, alice (bob passed)."), (true, "")] {
        let env = TestEnvironment::new();
        env.ok(&format!("new othello {ALICE} {BOB} --position '{AGAIN}'"));
        env.mails();
        env.ok("--as alice receipt on");
        if unsubscribed {
            env.ok("--as alice unsubscribe 1");
        }
        let to = env.token_address(Purpose::Play, "alice", 1, 0);
        env.receive(&InboundMessage::new(ALICE, "d1").to(&to));
        assert_eq!(env.game(1)["turn"], "black");
        env.mail_to(ALICE).says(opening).says("Score: black 5, white 1");
    }
}

#[test]
fn unsubscribing_stops_turn_mails_for_one_player_and_one_game() {
    let env = TestEnvironment::new().with_game();
    env.ok("new othello alice bob");
    env.mails();
    let to = env.token_address(Purpose::Unsubscribe, "bob", 1, 0);
    // Mail programs send any text, or none, for `List-Unsubscribe: <mailto:...>`.
    let message = InboundMessage::new(BOB, "").to(&to).subject("unsubscribe");
    assert_eq!(env.receive(&message), "done");
    env.mail_to(BOB).says("bob gets no turn mails for game 1");
    env.ok("move 1 f5");
    env.no_mail();
    env.ok("move 1 d6");
    env.mail_to(ALICE);
    env.ok("move 2 f5");
    let turn = env.mail_to(BOB);
    assert_eq!(env.receive(&turn.reply("subscribe 1")), "done");
    env.mail_to(BOB).says("bob gets turn mails for game 1");
    env.ok("move 1 c3");
    env.mail_to(BOB);
    // No other player can stop them, with any token.
    assert_eq!(env.receive(&message.clone().from(STRANGER)), "mismatch");
    env.mails();
    env.ok("move 1 d3");
    env.mail_to(ALICE);
    env.ok("move 1 c4");
    env.mail_to(BOB);
}

#[test]
fn subscribing_again_sends_the_missed_turn_mail() {
    let env = TestEnvironment::new().with_game();
    env.ok("--as bob unsubscribe 1");
    env.ok("move 1 f5");
    env.no_mail();
    env.ok("--as bob subscribe 1");
    env.mail_to(BOB).says("Your turn, bob (f5 by alice). Move number 2 of game 1.");
    // The mail is sent once, and only if it is the player's turn.
    env.ok("--as bob subscribe 1");
    env.ok("--as alice unsubscribe 1");
    env.ok("--as alice subscribe 1");
    env.no_mail();
}

#[test]
fn the_end_of_a_game_is_mailed_to_unsubscribed_players_too() {
    let env = TestEnvironment::new().with_game();
    env.ok("--as bob unsubscribe 1");
    env.ok("--as alice resign 1");
    assert_eq!(env.mails().len(), 2);
}

#[test]
fn the_list_unsubscribe_header_works() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    let header = turn.header("List-Unsubscribe");
    let address = header.strip_prefix("<mailto:").unwrap_or_else(|| panic!("{header}"));
    let address = address.split(['?', '>']).next().unwrap().replace("%2B", "+");
    assert_eq!(env.receive(&InboundMessage::new(BOB, "please").to(&address)), "done");
    env.mail_to(BOB).says("bob gets no turn mails for game 1");
}

#[test]
fn the_most_urgent_game_says_how_to_move_in_it() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "next")), "done");
    env.mail_to(ALICE).says("Reply ‹move 1 c4› to move, or ‹show 1› for the board with links.");
}

/// A mail program that loses the marks of a quotation must not turn a text for programs into commands.
#[test]
fn a_game_for_other_programs_is_no_command_in_the_reply() {
    let env = TestEnvironment::new().with_game();
    env.ok("--as alice say 1 'I never resign'");
    let turn = env.turn_after("f5");
    env.receive(&turn.reply("show 1 --moves\nshow 1 --ggf\nshow 1 --position"));
    let answer = env.mail_to(BOB);
    answer.says("Transcript: f5").says("(;GM[Othello]").says("(w -------- --------");
    assert!(answer.text.lines().all(|line| line.trim() != "f5"), "{}", answer.text);
    assert!(!answer.text.contains("C[alice"), "{}", answer.text);
}
