//! Lines that are no commands where they stand, and the commands that the answer suggests instead.

use crate::harness::{
    ALICE, BOB, InboundMessage, Mail, TestEnvironment, buttons, decoded, with_marks,
};

/// Returns the answer to this reply of bob, who is to move in game 1, and checks that no move was
/// made.
fn answer(env: &TestEnvironment, turn: &Mail, text: &str) -> Mail {
    let moves = env.moves(1);
    assert_eq!(env.receive(&turn.reply(text)), "done", "{text}");
    assert_eq!(env.moves(1), moves, "{text}");
    let mut mails = env.mails();
    let at = mails.iter().position(|mail| mail.to == BOB);
    let answer = mails.remove(at.unwrap_or_else(|| panic!("no answer: {text}")));
    // After three mails without a command there would be no answer.
    env.later(1800);
    env.receive(&turn.reply("games"));
    env.mails();
    env.later(1800);
    answer
}

/// Returns the reply that a click on this button of a mail opens.
fn clicked(mail: &Mail, text: &str) -> InboundMessage {
    let html = with_marks(&mail.html().unwrap());
    let (before, _) = html.split_once(&format!(">{text}</a>")).unwrap();
    let (_, link) = before.rsplit_once("href=\"mailto:").unwrap();
    let link = link.split('"').next().unwrap().replace("%2B", "+");
    let (address, rest) = link.split_once('?').unwrap();
    let (_, body) = rest.split_once("body=").unwrap();
    let body = decoded(body).replace("\r\n", "\n");
    InboundMessage::new(&mail.to, &body).to(address)
}

#[test]
fn commands_below_say_are_text_and_the_answer_says_so() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    let mail = answer(&env, &turn, "say hello\n\nD6.");
    mail.says("The line D6 went to alice as text. Reply ‹d6› to play it.");
    assert_eq!(buttons(&mail), ["Reply ‹d6›"]);
    assert!(env.ok("--as alice show 1").contains("D6."), "it was passed on");

    let mail = answer(&env, &turn, "say hello\nd6\nhistory\nd6\nz9");
    mail.says("The lines d6, history and z9 went to alice as text.");
    mail.says("Reply ‹d6› or ‹history› to run one of them.");
    assert_eq!(buttons(&mail), ["Reply ‹d6›", "Reply ‹history›"]);

    let mail = answer(&env, &turn, "say is it\na1\nthen?");
    mail.says("The line a1 went to alice as text.");
    assert!(!mail.text.contains("Reply ‹a1›"), "{}", mail.text);
    assert_eq!(buttons(&mail), [""; 0]);

    let mail = answer(&env, &turn, "history\nsay Once more:\nresign");
    mail.says("The line resign went to alice as text. Reply ‹resign› to run it.");

    let unclear = "say hello\nd6\n> Your turn, bob\n\nand more";
    let mail = answer(&env, &turn, unclear);
    mail.says("The line d6 below say counted as text. Reply ‹d6› to play it.");
    assert_eq!(env.receive(&clicked(&mail, "Reply ‹d6›")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    env.mails();

    // Other mails report the move, but not this.
    env.ok("move 1 c3");
    let turn = env.mail_to(BOB);
    assert_eq!(env.receive(&turn.reply("d3\nsay Now see my\nhistory")), "done");
    let mails = env.mails();
    let mail = mails.iter().find(|mail| mail.to == BOB).unwrap();
    mail.says("The line history went to alice as text. Reply ‹history› to run it. ----");
    mail.says("‹d3› is done.");
    assert!(!mail.text.contains("(say)"), "{}", mail.text);
}

#[test]
fn a_comment_without_commands_is_not_explained() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    for text in ["say hello\nI think d6 was good\n(d6)", "say d6", "say hello\n-- \nd6"] {
        let mail = answer(&env, &turn, text);
        assert!(!mail.text.contains(" as text"), "{}", mail.text);
    }
    // The move below was made above.
    assert_eq!(env.receive(&turn.reply("d6\nsay I like\nd6")), "done");
    let mails = env.mails();
    assert!(mails.iter().all(|mail| mail.to == ALICE), "{mails:#?}");
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

#[test]
fn a_player_is_told_what_was_cut_below_a_comment() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    let text =
        "d6\nsay Hi Alice,\n\nd6 `was` fun.\n\n=====\nBob Brown\n\nd6\nReply token: abc\n-- \nBob";
    assert_eq!(env.receive(&turn.reply(text)), "done");
    let mails = env.mails();
    let to_bob: Vec<_> = mails.iter().filter(|mail| mail.to == BOB).collect();
    assert_eq!(to_bob.len(), 1);
    to_bob[0].says("passed on as: | Hi Alice, | | ‹d6› `was` fun. This looks like a signature");
    to_bob[0].says("not passed on: | ===== | Bob Brown | | ‹d6› Last move");
    assert!(!to_bob[0].text.contains("as text"), "{}", to_bob[0].text);
    // In somebody's words, a backtick does not mark a command.
    let html = to_bob[0].html().unwrap();
    assert!(html.contains("`was`"), "{html}");
    let to_alice = mails.iter().find(|mail| mail.to == ALICE).unwrap();
    to_alice.says("| bob: Hi Alice, | | ‹d6› `was` fun.");
    assert!(!to_alice.text.contains("Brown"), "{}", to_alice.text);
}

#[test]
fn a_line_that_may_mean_a_command_is_suggested() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    for (text, suggested) in [
        ("(d6)", "d6"),
        ("Hi Alice\n\n[D6].", "d6"),
        ("D 6", "d6"),
        ("I play d6", "d6"),
        ("d6 please", "d6"),
        ("d6?", "d6"),
        ("(move 1 d6)", "d6"),
        ("(history)", "history"),
        ("‹history›", "history"),
        ("(resign)", "resign"),
        ("game 1: d6", "d6"),
    ] {
        let mail = answer(&env, &turn, text);
        let hint =
            if text.starts_with(['(', '‹']) { ", without the marks around it" } else { "" };
        mail.says(&format!("so nothing was done. Did you mean ‹{suggested}›{hint}?"));
        mail.says("on a line of its own.");
        assert_eq!(buttons(&mail), [format!("Reply ‹{suggested}›")], "{text}");
    }
    let mail = answer(&env, &turn, "I play d6\nNo, better f6");
    mail.says("Did you mean ‹d6› or ‹f6›?");
    assert_eq!(buttons(&mail), ["Reply ‹d6›", "Reply ‹f6›"]);
    assert_eq!(env.receive(&clicked(&mail, "Reply ‹f6›")), "done");
    assert_eq!(env.moves(1), ["f5", "f6"]);
}

#[test]
fn only_what_is_possible_is_suggested() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    for text in [
        "I play a1",
        "(hello)",
        "d6 or f6?",
        "Hi\n> I play d6",
        "Hi\n-- \n(d6)",
        "Hi\nthanks\n(d6)",
        "1\n2\n3\n4\n5\n6\n(d6)",
        "game 7 d6",
        "let us pass the evening",
    ] {
        let mail = answer(&env, &turn, text);
        assert!(!mail.text.contains("Did you mean"), "{}", mail.text);
        assert!(buttons(&mail).iter().all(|it| it == "Send your words"), "{text}");
    }
    // An invalid command is explained, and a command is run.
    for text in ["(d6)\nmove 1 zz", "(d6)\ngames"] {
        assert!(!answer(&env, &turn, text).text.contains("Did you mean"), "{text}");
    }
    // The mail shows a position that is not there any more.
    env.ok("move 1 d6 c3");
    env.mails();
    let mail = answer(&env, &turn, "I play f4");
    assert!(!mail.text.contains("Did you mean"), "{}", mail.text);
}

#[test]
fn a_sentence_can_be_sent_to_the_opponent() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    let mail = answer(&env, &turn, "That was a nice move,\nhow did you see it?\n\n-- \nBob");
    mail.says("To send your words to alice, write ‹say› above them.");
    assert_eq!(buttons(&mail), ["Send your words"]);
    assert_eq!(env.receive(&clicked(&mail, "Send your words")), "done");
    let shown = env.ok("show 1 --as alice").replace("\n| ", " ");
    assert!(shown.contains("bob: That was a nice move, how did you see it?"), "{shown}");
}

#[test]
fn a_mail_about_no_game_gets_suggestions_that_name_one() {
    let env =
        TestEnvironment::new().config("[receive]\nauthserv_id = \"mx.club.example\"").with_game();
    env.ok("new othello alice bob");
    env.ok("new othello bob alice");
    env.mails();
    let write = |text: &str, is_verified: bool| {
        let result = "mx.club.example; dmarc=pass header.from=example.org";
        let mut message = InboundMessage::new(ALICE, text);
        if is_verified {
            message = message.with("Authentication-Results", result);
        }
        env.receive(&message);
        let mail = env.mail_to(ALICE);
        env.later(1800);
        env.receive(&InboundMessage::new(ALICE, "games").with("Authentication-Results", result));
        env.mails();
        env.later(1800);
        mail
    };
    let mail = write("I play f5", true);
    mail.says("Did you mean ‹move 1 f5› or ‹move 2 f5›?");
    assert_eq!(buttons(&mail), ["Reply ‹move 1 f5›", "Reply ‹move 2 f5›"]);
    let mail = write("Game 2, f5 please", true);
    mail.says("Did you mean ‹move 1 f5› or ‹move 2 f5›?");
    write("2: f5 please", true).says("Did you mean ‹move 2 f5›?");
    write("(2 f5)", true).says("Did you mean ‹move 2 f5›, without the marks around it?");
    let mail = write("say 2 hello\nf5", true);
    mail.says("The line f5 went to bob as text. Reply ‹move 2 f5› to play it.");
    assert_eq!(env.receive(&clicked(&mail, "Reply ‹move 2 f5›")), "done");
    assert_eq!(env.moves(2), ["f5"]);
    env.mails();
    // Anybody could have written that.
    let mail = write("(1 f5)", false);
    assert!(!mail.text.contains("Did you mean"), "{}", mail.text);
}
