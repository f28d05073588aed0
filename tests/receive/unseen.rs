//! Answers to offers by mail: each is for the offer that its question showed.

use crate::harness::{ALICE, BOB, InboundMessage, Mail, Purpose, TestEnvironment};

/// Game 1 after f5, with bob to move, and his turn mail.
fn env() -> (TestEnvironment, Mail) {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 30d"));
    env.mails();
    let turn = env.turn_after("f5");
    (env, turn)
}

/// The open offer, and how the game ended.
fn state(env: &TestEnvironment) -> (serde_json::Value, serde_json::Value, u64) {
    let mut game = env.game(1);
    (game["offer"].take(), game["result"].take(), game["ply"].as_u64().unwrap())
}

/// Runs commands of alice, and returns the last mail to bob.
fn mail_after(env: &TestEnvironment, commands: &str) -> Mail {
    for command in commands.split(", ") {
        env.ok(&format!("{command} 1 --as alice"));
        // Times are stored in seconds.
        env.later(1);
    }
    env.mails();
    env.last_mail_to(BOB)
}

/// Alice's commands before and after the mail that bob answers, and the open offer then.
const CASES: [(&str, &str, &str); 19] = [
    ("takeback", "draw", "alice offers a draw"),
    ("takeback", "pause", "alice asks for a pause"),
    ("draw", "takeback", "alice asks to take back 1.f5"),
    ("draw", "pause", "alice asks for a pause"),
    ("pause", "takeback", "alice asks to take back 1.f5"),
    ("pause", "draw", "alice offers a draw"),
    ("takeback", "resign, rematch", "alice offers a rematch"),
    ("draw", "resign, rematch", "alice offers a rematch"),
    ("pause", "resign, rematch", "alice offers a rematch"),
    // Withdrawn, and made again.
    ("takeback", "decline, takeback", "alice asks to take back 1.f5"),
    ("draw", "decline, draw", "alice offers a draw"),
    ("pause", "decline, pause", "alice asks for a pause"),
    ("resign, rematch", "decline, rematch", "alice offers a rematch"),
    // Withdrawn for good.
    ("takeback", "decline", ""),
    ("draw", "decline", ""),
    ("pause", "decline", ""),
    ("resign, rematch", "decline", ""),
    // Without an offer in the mail.
    ("draw, decline", "draw", "alice offers a draw"),
    ("draw, decline", "takeback", "alice asks to take back 1.f5"),
];

#[test]
fn an_answer_is_refused_if_another_offer_is_open_than_its_mail_showed() {
    for (number, (before, after, open)) in CASES.into_iter().enumerate() {
        let answer = ["accept", "decline 1"][number % 2];
        let what = format!("{before}; {after}; {answer}");
        let (env, _) = env();
        let old = mail_after(&env, before);
        mail_after(&env, after);
        let unchanged = state(&env);
        assert_eq!(env.receive(&old.reply(answer)), "done", "{what}");
        assert_eq!(state(&env), unchanged, "{what}");
        let refused = env.mail_to(BOB);
        if open.is_empty() {
            let is_over = answer != "accept" && before.starts_with("resign");
            refused.says(if is_over { "game 1 is over" } else { "no offer is open in game 1" });
            continue;
        }
        refused.says("the mail that you replied to did not show what is open now in game 1:");
        refused.says(open).says("reply to this mail with ‹accept 1› or ‹decline 1›.");
        // The refusal shows the open offer.
        assert_eq!(env.receive(&refused.reply(answer)), "done", "{what}");
        assert!(state(&env).0.is_null(), "{what}");
    }
}

#[test]
fn an_answer_takes_the_offer_that_its_mail_showed() {
    for offer in ["takeback", "draw", "pause", "resign, rematch"] {
        for answer in ["accept", "decline"] {
            let (env, turn) = env();
            let asked = mail_after(&env, offer);
            // Bob's turn mail is from before the offer.
            assert_eq!(env.receive(&turn.reply(answer)), "done");
            env.mail_to(BOB).says("did not show what is open now in game 1");
            // Other events in the game do not matter.
            env.ok("say 1 'Well, well.' --as alice");
            assert_eq!(env.receive(&asked.reply(answer)), "done");
            assert!(state(&env).0.is_null(), "{offer} {answer}");
            env.mails();
        }
    }
}

/// An offer is open until its receiver moves. After its author's next move, a takeback is a different offer.
#[test]
fn a_takeback_of_another_move_is_another_offer() {
    for (offer, is_same) in [("draw", true), ("takeback", false)] {
        let (env, _) = env();
        env.ok("move 1 d6");
        env.mails();
        let asked = mail_after(&env, offer);
        let turn = env.turn_after("c3");
        assert_eq!(env.receive(&asked.reply("accept")), "done");
        if is_same {
            assert_eq!(state(&env).1["reason"], "agreed");
            env.mails();
            continue;
        }
        env.mail_to(BOB).says("alice asks to take back 3.c3;");
        assert_eq!(env.plies(1), 3);
        assert_eq!(env.receive(&turn.reply("accept")), "done");
        assert_eq!(env.plies(1), 2);
        let mails = env.mails();
        mails[1].says("You let alice take back 3.c3 in this game.");
    }
}

#[test]
fn an_own_offer_is_withdrawn_in_a_reply_to_a_mail_that_shows_it() {
    let (env, turn) = env();
    assert_eq!(env.receive(&turn.reply("draw")), "done");
    let answer = env.last_mail_to(BOB);
    assert_eq!(env.receive(&turn.reply("decline")), "done");
    let refused = env.last_mail_to(BOB);
    refused
        .says("did not show your offer of a draw in game 1; reply to this mail with ‹decline 1›");
    assert_eq!(env.receive(&answer.reply("decline")), "done");
    env.last_mail_to(BOB).says("You withdrew the offer of a draw in game 1.");
    assert!(state(&env).0.is_null());
    assert_eq!(env.receive(&refused.reply("decline")), "done");
    env.last_mail_to(BOB)
        .says("no offer is open in game 1; ‹abort 1› ends a game in which you have");
    assert!(state(&env).1.is_null());
    env.mails();
}

/// If no mail showed the game's offer, the answer is for the open one, and the reply names it.
#[test]
fn without_a_mail_about_the_game_an_answer_takes_what_is_open() {
    let reply_elsewhere = |env: &TestEnvironment| {
        env.ok("new othello alice bob");
        env.last_mail_to(BOB).reply("accept 1")
    };
    let old_token = |env: &TestEnvironment| {
        let to = env.token_address(Purpose::Play, "bob", 1, 1);
        InboundMessage::new(BOB, "accept").to(&to)
    };
    let old_list = |env: &TestEnvironment| {
        let to = env.token_address(Purpose::Play, "bob", 0, 0);
        InboundMessage::new(BOB, "accept 1").to(&to)
    };
    let cases: [&dyn Fn(&TestEnvironment) -> InboundMessage; 3] =
        [&reply_elsewhere, &old_token, &old_list];
    for message in cases {
        let (env, _) = env();
        let message = message(&env);
        mail_after(&env, "draw, takeback");
        assert_eq!(env.receive(&message), "done");
        env.last_mail_to(BOB).says("You let alice take back 1.f5 in this game.");
        assert_eq!(env.plies(1), 0);
        env.mails();
    }
    // Verified by the mail server, over ssh, in a shell.
    let (env, _) = env();
    env.configure("[receive]\nauthserv_id = 'mx.club.example'");
    mail_after(&env, "draw, pause");
    let verified = InboundMessage::new(BOB, "accept 1")
        .with("Authentication-Results", "mx.club.example; dmarc=pass header.from=example.org");
    assert_eq!(env.receive(&verified), "done");
    env.last_mail_to(BOB).says("The game is paused: the clocks stand still.");
    mail_after(&env, "draw");
    assert_eq!(
        env.ok("accept 1 --as bob").lines().next().unwrap(),
        "You and alice agreed on a draw in this game."
    );
    env.mails();
}

/// A list shows no offers: an answer to it is for an offer that was open before the list.
#[test]
fn an_answer_to_a_list_is_for_what_was_open_before_the_list() {
    for (before, after, answer, is_taken) in [
        ("draw", "", "accept 1", true),
        ("draw", "", "decline 1", true),
        ("draw", "takeback", "accept 1", false),
        ("draw", "takeback", "decline 1", false),
        ("draw", "decline, draw", "accept 1", false),
        ("draw, decline", "draw", "accept 1", false),
    ] {
        let (env, _) = env();
        mail_after(&env, before);
        let asks =
            InboundMessage::new(BOB, "games").to(&env.token_address(Purpose::Play, "bob", 0, 0));
        assert_eq!(env.receive(&asks), "done");
        let list = env.mail_to(BOB);
        if !after.is_empty() {
            mail_after(&env, after);
        }
        let unchanged = state(&env);
        assert_eq!(env.receive(&list.reply(answer)), "done");
        assert_eq!(state(&env) != unchanged, is_taken, "{before}; {after}; {answer}");
        if !is_taken {
            env.mail_to(BOB).says("the mail that you replied to did not show what is open now");
        }
        env.mails();
    }
}

#[test]
fn a_held_answer_is_for_the_offer_that_its_question_names() {
    for (before, after, named, is_taken) in [
        ("draw", "", "alice offers a draw in this game", true),
        ("takeback", "", "alice asks to take back 1.f5", true),
        ("draw", "takeback", "alice offers a draw in this game", false),
        ("takeback", "draw", "alice asks to take back 1.f5", false),
        ("draw", "decline, draw", "alice offers a draw in this game", false),
        ("draw, decline", "pause", "no offer is open", false),
        ("draw, decline", "", "no offer is open", false),
    ] {
        for answer in ["accept", "decline"] {
            let (env, _) = env();
            mail_after(&env, before);
            assert_eq!(env.receive(&InboundMessage::new(BOB, &format!("{answer} 1"))), "held");
            let question = env.mail_to(BOB);
            question.says(&format!("- {answer} 1: {named} (not done yet)"));
            if !after.is_empty() {
                mail_after(&env, after);
            }
            let unchanged = state(&env);
            assert_eq!(env.receive(&question.reply("yes")), "done");
            assert_eq!(state(&env) != unchanged, is_taken, "{before}; {after}; {answer}");
            let refused = env.last_mail_to(BOB);
            match (is_taken, unchanged.0.is_null()) {
                (true, _) => {
                    let first = refused.text.lines().next().unwrap();
                    assert!(
                        first.starts_with("Reply to") || first.ends_with("is done."),
                        "{first}"
                    );
                    &refused
                }
                (false, true) => refused.says("no offer is open in game 1"),
                (false, false) => refused.says("did not show what is open now in game 1"),
            };
            env.mails();
        }
    }
}

#[test]
fn a_resignation_in_reply_to_a_position_that_was_taken_back_is_confirmed_first() {
    let (env, turn) = env();
    env.ok("move 1 d6");
    let later = env.mail_to(ALICE);
    env.ok("takeback 1 --as bob");
    env.ok("accept 1 --as alice");
    env.mails();
    assert_eq!(env.receive(&later.reply("resign\nResign 1.\nshow")), "held");
    let mails = env.mails();
    let [question, answer] = &mails[..] else { panic!("{mails:?}") };
    let (question, answer) =
        if question.text.contains("Reply to") { (answer, question) } else { (question, answer) };
    answer.says("Reply to ‹show›");
    question.says(
        "- resign 1: the position in the mail that you replied to was taken back (not done yet)",
    );
    assert_eq!(question.text.matches("- resign").count(), 1);
    assert!(state(&env).1.is_null());
    assert_eq!(env.receive(&question.reply("no")), "done");
    assert!(state(&env).1.is_null());

    assert_eq!(env.receive(&later.reply("resign")), "held");
    let question = env.mail_to(ALICE);
    assert_eq!(env.receive(&question.reply("yes")), "done");
    assert_eq!(state(&env).1["reason"], "resigned");
    env.mails();
    // A game that is over needs no question.
    env.later(60);
    assert_eq!(env.receive(&later.reply("resign")), "done");
    env.mail_to(ALICE).says("game 1 is over");

    // The same is true of a position that has not changed.
    env.ok("new othello alice bob");
    env.mails();
    assert_eq!(env.receive(&turn.reply("resign 2")), "done");
    assert_eq!(env.game(2)["result"]["reason"], "resigned");
    env.mails();
}

/// The state in a mail about game 1 says nothing about game 2.
#[test]
fn an_answer_that_names_another_game_than_its_mail_is_not_bound_to_it() {
    let (env, turn) = env();
    env.ok("new othello alice bob");
    env.ok("move 2 f5 d6");
    env.ok("draw 2 --as alice");
    assert_eq!(env.receive(&turn.reply("accept 2")), "done");
    assert_eq!(env.game(2)["result"]["reason"], "agreed", "{:?}", env.game(2));
}
