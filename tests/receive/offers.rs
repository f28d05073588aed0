//! Offers and takebacks by mail.

use crate::harness::{ALICE, BOB, Mail, TestEnvironment, Token};

#[test]
fn a_draw_is_offered_and_accepted_by_mail() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    assert_eq!(env.receive(&turn.reply("draw")), "done");
    let mails = env.mails();
    let to = |address: &str| mails.iter().find(|mail| mail.to == address).unwrap();
    to(ALICE).says("bob offers a draw in this game.").says("Reply ‹accept› or ‹decline›");
    to(BOB).says("Reply to ‹draw›").says("You offered alice a draw in game 1.");
    assert_eq!(env.game(1)["offer"], serde_json::json!({ "by": "white", "offer": "draw" }));

    // An offer ends when its recipient moves, not when its author does.
    env.ok("move 1 d6");
    env.mail_to(ALICE).says("bob offers a draw in this game. Reply ‹accept› or");
    assert_eq!(env.receive(&to(ALICE).reply("accept")), "done");
    for mail in env.mails() {
        if mail.text.contains("Reply to ‹accept›") {
            mail.says("You and bob agreed on a draw in this game.");
        } else {
            mail.says("Draw by agreement, 3-3.");
        }
    }
    let result = &env.game(1)["result"];
    assert_eq!((&result["winner"], result["reason"].as_str()), (&().into(), Some("agreed")));
}

#[test]
fn an_offer_ends_when_its_recipient_moves_or_declines() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
    env.ok("draw 1 --as bob");
    env.ok("move 1 f5");
    assert!(env.game(1)["offer"].is_null());
    env.fails(1, "accept 1 --as alice");
    env.mails();
    env.ok("draw 1 --as bob");
    env.mails();
    env.ok("decline 1 --as alice");
    env.mail_to(BOB)
        .says("alice declined your offer of a draw in this game.")
        .says("It is your turn.");
    env.fails(1, "decline 1 --as alice");
    env.ok("pause 1 --as alice");
    env.mail_to(BOB).says("stand still. Reply ‹accept› or ‹decline›");
    env.ok("decline 1 --as bob");
    env.mail_to(ALICE).says("bob declined your request for a pause in this game.");
    env.ok("pause 1 --as bob");
    env.ok("pause 1 --as alice");
    env.mails();
    env.ok("move 1 d6");
    env.mail_to(ALICE).says("The game is paused, so no time runs.");
}

/// After a takeback, a ply number is repeated with another position.
#[test]
fn a_reply_to_a_position_that_was_taken_back_is_stale() {
    let env = TestEnvironment::new().with_game();
    let old = env.turn_after("f5");
    env.ok("takeback 1 --as alice");
    let asked = env.mail_to(BOB);
    asked.says("alice asks to take back 1.f5.");
    // Words and offers leave the position as it is.
    let position = |mail: &Mail| mail.token().parse::<Token>().unwrap().claims().event;
    assert_eq!(position(&old), position(&asked));
    assert_eq!(env.receive(&asked.reply("accept")), "done");
    let mails = env.mails();
    let to = |address: &str| mails.iter().find(|mail| mail.to == address).unwrap();
    to(ALICE).says("bob agreed, so 1.f5 is taken back.").says("It is your turn.");
    to(BOB).says("You let alice take back 1.f5 in this game.");
    assert!(env.moves(1).is_empty());

    assert_eq!(env.receive(&to(ALICE).reply("d3")), "done");
    let new = env.mail_to(BOB);
    assert_ne!(new.token(), old.token());
    for stale in ["c3", "move 1 c3", "d6"] {
        assert_eq!(env.receive(&old.reply(stale)), "done", "{stale}");
        env.mail_to(BOB).says("alice has taken back f5, so your").says("This is the position now.");
        env.later(60);
    }
    assert_eq!(env.moves(1), ["d3"]);
    assert_eq!(env.receive(&old.reply("c3#2")), "done", "a number that is typed counts");
    assert_eq!(env.moves(1), ["d3", "c3"]);
}

/// The opponent does not know of a move until its mail is sent.
#[test]
fn a_move_can_be_taken_back_freely_until_its_mail_is_due() {
    let env = TestEnvironment::new().with_game();
    env.configure("[transport]\nkind = \"sendmail\"\ncommand = [\"/no/such/sendmail\"]\n");
    env.ok("--as alice set grace 10m");
    env.ok("move 1 f5");
    assert!(env.ok("takeback 1 --as alice").starts_with("Your last move is taken back"));
    assert!(env.moves(1).is_empty());
    assert_eq!(env.outbox().iter().filter(|mail| mail.contains("superseded")).count(), 1);
    env.fails(1, "takeback 1 --as alice");
    let history = env.json("history 1");
    assert_eq!(history["moves"], serde_json::json!([]));
    assert_eq!(history["taken_back"][0]["moves"][0]["move"], "f5");
    assert!(env.ok("history 1").contains("f5 (taken back)"));

    // After a power failure nobody knows whether a mail that was due was sent.
    env.ok("move 1 f5");
    env.later(10);
    assert!(env.ok("takeback 1 --as alice").starts_with("bob was asked"));
    env.ok("accept 1 --as bob");
    env.ok("--as alice set grace off");

    // A mail that was tried may have come, even if its reader is away since and it waits now.
    env.ok("move 1 f5");
    env.ok("send");
    env.ok("--as bob away 2026-11-21 2026-11-24");
    assert!(env.ok("takeback 1 --as alice").starts_with("bob was asked"));
    env.ok("--as bob away off");
    env.ok("accept 1 --as bob");

    // After the opponent's reply, the opponent must agree.
    env.ok("move 1 f5 d6");
    assert!(env.ok("takeback 1 --as alice").starts_with("bob was asked"));
    env.ok("accept 1 --as bob");
    assert!(env.moves(1).is_empty());
}

#[test]
fn held_moves_for_a_position_that_was_taken_back_are_not_made() {
    let env = TestEnvironment::new().with_game();
    env.turn_after("f5");
    let forged = crate::harness::InboundMessage::new(BOB, "move 1 d6");
    assert_eq!(env.receive(&forged), "held");
    let question = env.mail_to(BOB);
    env.ok("takeback 1 --as alice");
    env.ok("accept 1 --as bob");
    env.ok("move 1 f5");
    env.mails();
    assert_eq!(env.receive(&question.reply("yes")), "done");
    env.mail_to(BOB).says("alice has taken back f5, so your d6 was not made.");
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn a_rematch_swaps_the_colours_and_starts_when_it_is_accepted() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --misere --position '(w ---- -wb- -bw- ----)'"));
    env.fails(1, "rematch 1 --as bob");
    env.ok("resign 1 --as bob");
    env.ok("rematch 1 --as bob");
    env.fails(1, "accept 1 --as bob");
    assert!(env.ok("rematch 1 --as alice").contains("Game 2 has begun: bob (black)"));
    let (first, second) = (env.game(1), env.game(2));
    assert_eq!(first["black"]["player"], second["white"]["player"]);
    assert_eq!(first["position"], second["position"]);
    assert_eq!(first["rules"], second["rules"]);
    env.fails(1, "accept 1 --as bob");
    let line = env.fails(1, "rematch 1 --as bob");
    assert!(line.contains("the rematch of game 1 has begun already"), "{line}");
}

#[test]
fn a_game_can_be_ended_before_the_own_first_move() {
    let env = TestEnvironment::new().with_game();
    let line = env.fails(1, "pause 1 --as alice");
    assert!(line.ends_with("game 1 has no clock to stop"), "{line}");
    env.ok("move 1 f5");
    let line = env.fails(1, "abort 1 --as alice");
    assert!(line.ends_with("already moved in game 1; `outflank resign 1` gives it up"), "{line}");
    let line = env.fails(1, "decline 1 --as alice");
    assert!(line.ends_with("no offer is open in game 1; see `outflank show 1`"), "{line}");
    let line = env.fails(1, "decline 1 --as bob");
    assert!(line.ends_with("`outflank abort 1` ends a game in which you have not moved"), "{line}");
    // An offer that is open goes with the game.
    env.ok("draw 1 --as alice");
    env.mails();
    env.ok("abort 1 --as bob");
    assert_eq!(env.game(1)["result"]["reason"], "declined");
    let mails = env.mails();
    assert!(mails.iter().any(|mail| mail.text.starts_with("You declined the game.")));
    assert!(mails.iter().any(|mail| mail.text.starts_with("bob (white) declined the game.")));
    for again in ["abort 1 --as bob", "decline 1 --as bob"] {
        let line = env.fails(1, again);
        assert!(line.contains("game 1 is over: bob (white) declined the game"), "{line}");
    }
}

#[test]
fn the_first_mail_of_a_game_says_how_to_end_it() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --moves f5"));
    let mails = env.mails();
    let [to_alice, to_bob] = &mails[..] else { panic!("{mails:?}") };
    assert!(!to_alice.raw.contains("abort"), "alice has moved: {}", to_alice.raw);
    to_bob.says("If you do not want to play, reply ‹abort› before your first move");
    assert!(to_bob.html().unwrap().contains("body=abort"));
    assert_eq!(env.receive(&to_bob.reply("Abort.")), "done");
    assert_eq!(env.game(1)["result"]["reason"], "declined");
    assert_eq!(env.mails().len(), 2, "both read that the game is over");

    // A move that was taken back was a move.
    env.ok("new mini alice bob");
    env.ok("move 2 b1");
    env.ok("takeback 2 --as alice");
    env.ok("accept 2 --as bob");
    env.fails(1, "abort 2 --as alice");
    env.fails(2, "abort 2");
}

#[test]
fn a_note_is_shown_to_its_writer_only() {
    let env = TestEnvironment::new().with_game();
    env.ok("note 1 keep a1 --as alice");
    env.no_mail();
    assert!(env.ok("history 1 --as alice").contains("Your note: keep a1"));
    assert!(env.ok("note 1 --as alice").contains("Your note: keep a1"));
    for words in
        ["history 1 --as bob", "history 1", "show 1", "note 1 --as bob", "history 1 --json"]
    {
        assert!(!env.ok(words).contains("keep a1"), "{words}");
    }
    env.fails(2, "note 1 keep a1");
    let turn = env.turn_after("f5");
    assert_eq!(env.receive(&turn.reply("note that I was away")), "done");
    env.mail_to(BOB).says("No command was found");
    assert_eq!(env.receive(&turn.reply("note 1 keep h8")), "done");
    env.mail_to(BOB).says("Noted");
    assert!(env.ok("note 1 --as bob").contains("keep h8"));
}
