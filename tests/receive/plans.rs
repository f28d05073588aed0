//! Plans: replies that players have decided in advance.

use serde_json::{Value, json};

use crate::harness::{ALICE, BOB, InboundMessage, Mail, TestEnvironment};

#[test]
fn a_matching_branch_of_a_plan_replies_with_the_move() {
    let env = TestEnvironment::new().with_game();
    env.ok("plan 1 'f5 d6 c3 d3 / d3 c5' --as bob");
    env.no_mail();
    env.ok("move 1 f5 --as alice");
    let mails = env.mails();
    let to = |address: &str| -> Vec<_> { mails.iter().filter(|mail| mail.to == address).collect() };
    // One mail with both moves goes to the opponent, and one to the owner.
    let [turn] = to(ALICE)[..] else { panic!("{mails:?}") };
    turn.says("Your turn, alice (d6 by bob)").says("1.f5 2.d6");
    let [mail] = to(BOB)[..] else { panic!("{mails:?}") };
    mail.says("Your plan replied for you: 2.d6.");
    assert_eq!(env.moves(1), ["f5", "d6"]);

    // The rest of the branch is kept.
    assert_eq!(env.json("plan 1 --as bob")["branches"], json!([["c3", "d3"]]));
    env.ok("move 1 c3 --as alice");
    assert_eq!(env.moves(1), ["f5", "d6", "c3", "d3"]);
    assert_eq!(env.json("plan 1 --as bob")["branches"], json!([]));
}

#[test]
fn a_plan_ends_when_the_opponent_plays_something_else() {
    let env = TestEnvironment::new().with_game();
    env.ok("plan 1 f5 d6 / d3 c5 --as bob");
    env.ok("move 1 c4 --as alice");
    assert_eq!(env.moves(1), ["c4"]);
    assert!(env.ok("plan 1 --as bob").contains("You have no plan"));
    env.mail_to(BOB).says("Your turn, bob (c4 by alice)");
}

/// All moves of a command are made before a plan replies.
#[test]
fn a_plan_replies_after_all_moves_of_a_command() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    env.fails(1, "plan 1 'd6 c3 d3 c4 / d6 c4' --as alice");
    env.ok("plan 1 'd6 c3 d3 c4 f4 f6' --as alice");
    env.mails();
    env.ok("move 1 d6 c3 d3");
    assert_eq!(env.moves(1), ["f5", "d6", "c3", "d3", "c4"]);
    assert_eq!(env.json("plan 1 --as alice")["branches"], json!([["f4", "f6"]]));
}

#[test]
fn an_automatic_pass_need_not_be_in_a_plan() {
    // After b1 a1 c4 d4 d3 b4 a4 c1 d1 d2, black passes automatically.
    for line in ["d1 d2 a2", "d1 d2 pass a2"] {
        let env = TestEnvironment::new();
        env.ok(&format!("new mini {ALICE} {BOB} --moves b1a1c4d4d3b4a4c1"));
        env.ok(&format!("plan 1 '{line}' --as bob"));
        env.ok("move 1 d1 --as alice");
        assert_eq!(env.moves(1)[8..], ["d1", "d2", "pass", "a2"], "{line}");
    }
}

#[test]
fn a_plan_is_made_and_deleted_by_mail() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    env.mails();
    let turn = env.turn_after("d6");
    env.ok("move 1 c3");
    env.mails();
    assert_eq!(env.receive(&turn.reply("plan d3 c4 / f4 f3")), "done");
    env.mail_to(ALICE).says("which only you see").says("+- d3: c4").says("`- f4: f3");
    env.later(60);
    assert_eq!(env.receive(&turn.reply("plan off")), "done");
    env.mail_to(ALICE).says("You have no plan for game 1.");
    env.later(60);
    assert_eq!(env.receive(&turn.reply("plan to win")), "done");
    env.mail_to(ALICE).says("No command was found");
}

#[test]
fn nobody_else_sees_a_plan() {
    let env = TestEnvironment::new().with_game();
    let before = env.ok("show 1 --as alice");
    env.ok("plan 1 f5 d6 --as bob");
    assert_eq!(env.ok("show 1 --as alice"), before);
    assert!(env.ok("plan 1 --as alice").contains("You have no plan"));
    env.fails(2, "plan 1");
    env.ok("signup carol carol@example.org");
    env.fails(1, "plan 1 --as carol");
}

#[test]
fn a_takeback_deletes_plans_and_notifies_their_owners() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    env.ok("plan 1 d6 c3 --as alice");
    env.ok("takeback 1 --as alice");
    env.mails();
    env.ok("accept 1 --as bob");
    let mails = env.mails();
    assert!(
        mails
            .iter()
            .any(|mail| mail.to == ALICE
                && mail.text.contains("Your plan for this game was deleted"))
    );
    assert!(env.ok("plan 1 --as alice").contains("You have no plan"));
    env.ok("move 1 f5 d6");
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

/// Sends alice's reply with a plan for bob's turn. Returns the answer and the branches of the stored plan.
fn planned(message: impl Fn(InboundMessage) -> InboundMessage, text: &str) -> (Mail, Value) {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    env.mails();
    let turn = env.turn_after("d6");
    env.ok("move 1 c3");
    env.mails();
    assert_eq!(env.receive(&message(turn.reply(text))), "done", "{text}");
    let answer = env.mail_to(ALICE);
    (answer, env.json("plan 1 --as alice")["branches"].clone())
}

#[test]
fn a_plan_that_a_mail_program_has_wrapped_is_stored_whole() {
    let expected = json!([
        ["d3", "c4", "f4", "f6", "f3", "e6", "e7", "d7", "c5", "b6"],
        ["d3", "c4", "f4", "f6", "f3", "e6", "e7", "d7"],
        ["f4", "f3"]
    ]);
    let plan = "plan d3 c4 f4 f6 f3 e6 e7 d7 c5 b6 / d3 c4 f4 f6 f3 e6 e7 d7 / f4 f3";
    for width in [36, 40, 60, 64, 65, 67, 100] {
        let wrapped = textwrap::fill(plan, width);
        assert_eq!(planned(|message| message, &wrapped).1, expected, "{wrapped}");
    }
    for below in ["history", "\nBye, alice", "-- \nd3 c5", "Sent from my phone", "> d3 c5"] {
        let text = format!("{}\n{below}", textwrap::fill(plan, 36));
        let (answer, branches) = planned(|message| message, &text);
        assert_eq!(branches, expected, "{text}");
        assert_eq!(answer.text.contains("Reply to ‹history›"), below == "history");
    }
    let flowed = textwrap::fill(plan, 36).replace('\n', " \n");
    let quoted = plan.replace("/ ", "/=\n ");
    let html = format!("<div>{}</div>", plan.replace("/ ", "/<br>\n"));
    let blocks = format!("<p>{}</p>", plan.replace("/ ", "/</p>\n<p>"));
    for (text, field, value) in [
        (flowed, "Content-Type", "text/plain; format=flowed"),
        (quoted, "Content-Transfer-Encoding", "quoted-printable"),
        (html, "Content-Type", "text/html"),
        (blocks, "Content-Type", "text/html"),
    ] {
        let (_, branches) = planned(|message| message.with(field, value), &text);
        assert_eq!(branches, expected, "{text}");
    }
}

#[test]
fn a_plan_may_have_the_quotation_marks_of_a_shell() {
    let (_, branches) = planned(|message| message, "plan 1 \"d3 c4 / f4 f3\"");
    assert_eq!(branches, json!([["d3", "c4"], ["f4", "f3"]]));
}

#[test]
fn a_comment_can_stand_below_a_wrapped_plan() {
    let text = "plan d3 c4 f4 f6 f3 e6 e7 d7 c5 b6 /\nd3 c4 f4 f6 f3 e6 e7 d7 /\nf4 f3\nsay hello";
    let (answer, branches) = planned(|message| message, text);
    answer.says("bob reads it with the next mail");
    assert_eq!(branches[2], json!(["f4", "f3"]));
}

#[test]
fn a_plan_is_refused_as_a_whole() {
    let long = "d3 c4 f4 f6 / ".repeat(40);
    for (text, why) in [
        ("plan d3 c4 /", "your plan ends with a slash, so a branch is missing"),
        ("plan d3 c4 /\n\nThanks for the game", "ends with a slash"),
        ("plan d3 c4 /\nhistory", "ends with a slash"),
        ("plan d3 c4 /\nf4 zz", "branch 2: \"zz\" is not a valid move"),
        ("plan d3 c4 f4 f6 f3 e6 e7 d7 c5 b6 / f4\nzz", "branch 2 does not end"),
        ("plan d3 c4 f4 f6 f3 e6 e7 d7 c5 b6 / f4 f3\nd3 zz", "\"zz\" is not a valid move"),
        (&format!("plan {long}f4 f3"), "your plan has 570 characters"),
        (&textwrap::fill(&format!("plan {long}f4 f3"), 70), "your plan has 570 characters"),
    ] {
        let (answer, branches) = planned(|message| message, text);
        assert_eq!(branches, json!([]), "{text}");
        answer.says("‹plan").says(why);
        assert_eq!(answer.text.contains("Reply to ‹history›"), text.contains("history"));
    }
}

/// A plan is for the position that the mail showed and the player's own moves after it.
#[test]
fn a_plan_in_reply_to_an_old_mail_is_refused() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    env.mails();
    let old = env.turn_after("d6");
    assert_eq!(env.receive(&old.reply("c3\nplan d3 c4")), "done");
    assert_eq!(env.json("plan 1 --as alice")["branches"], json!([["d3", "c4"]]));
    env.ok("plan 1 off --as alice");
    env.ok("move 1 f4 f3");
    env.mails();
    // It would be legal now, too.
    for (number, line) in ["plan d3 c5", "plan 1 d3 c5"].into_iter().enumerate() {
        assert_eq!(env.receive(&old.reply(line)), "done");
        env.mail_to(ALICE)
            .says("bob has moved since in game 1; you have replied to an older mail.");
        assert_eq!(env.json("plan 1 --as alice")["branches"], json!([]), "{number}");
    }
    // Showing and deleting plans needs no position.
    env.ok("plan 1 d3 c5 --as alice");
    assert_eq!(env.receive(&old.reply("plan")), "done");
    env.mail_to(ALICE).says("which only you see");
    assert_eq!(env.receive(&old.reply("plan off")), "done");
    env.mail_to(ALICE).says("You have no plan for game 1.");
    env.later(60);

    env.ok("takeback 1 --as alice");
    env.ok("accept 1 --as bob");
    env.ok("move 1 e6");
    env.mails();
    assert_eq!(env.receive(&old.reply("plan d3 c5")), "done");
    env.mail_to(ALICE).says("you have taken back f3,").says("so your plan was not made.");
    assert_eq!(env.json("plan 1 --as alice")["branches"], json!([]));
}

#[test]
fn a_takeback_does_not_show_that_there_was_a_plan() {
    let taken_back = |plan: &str| {
        let env = TestEnvironment::new().with_game();
        env.ok("set grace 24h --as alice");
        env.ok("move 1 f5 --as alice");
        env.ok(plan);
        let said = env.ok("takeback 1 --as alice");
        (said, env.mails().len())
    };
    // The mail that it was deleted goes, but is not reported.
    let (said, mails) = taken_back("plan 1 d6 c3 --as alice");
    assert_eq!((said, mails - 1), taken_back("plan 1 --as alice"));
}
