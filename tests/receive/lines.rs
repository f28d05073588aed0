//! Commands in the text and the subject of a message.

use crate::harness::{ALICE, BOB, InboundMessage, Mail, Purpose, TestEnvironment};

/// Sends a message from alice, who is to move in game 1. Returns the answer; `None` without one. Checks that
/// the move f5 was made if and only if `moved`.
#[track_caller]
fn answer(text: &str, moved: bool) -> Option<String> {
    let env = TestEnvironment::new().with_game();
    let message = turn(&env).reply(text);
    assert_eq!(env.receive(&message), "done", "{text:?}");
    assert_eq!(env.moves(1) == ["f5"], moved, "{text:?}");
    assert_eq!(env.moves(1).is_empty(), !moved, "{text:?}");
    let mut mails = env.mails();
    let answer = mails.iter().position(|mail| mail.to == ALICE).map(|at| mails.remove(at).text);
    assert_eq!(mails.len(), usize::from(moved), "{text:?}: {mails:#?}");
    answer
}

/// Returns a mail that alice can answer with her first move.
fn turn(env: &TestEnvironment) -> Mail {
    let message =
        InboundMessage::new(ALICE, "show").to(&env.token_address(Purpose::Play, "alice", 1, 0));
    env.receive(&message.id("show@mail.example"));
    env.later(120);
    env.mail_to(ALICE)
}

#[test]
fn a_move_is_read_as_phones_write_it() {
    for text in [
        "f5",
        "F5",
        " f5. ",
        "\u{a0}f5\u{a0}",
        "\u{200b}f5\u{200b}",
        "\u{feff}f5",
        "\u{ff46}\u{ff15}",
        "\u{ff26}\u{ff15}",
        "*f5*",
        "f5!",
        "f5#1",
        "move f5",
        "Move F5.",
        "move 1 f5",
        "MOVE\u{a0}1\u{2009}F5",
        "move 1 f5#1",
    ] {
        assert_eq!(answer(text, true), None, "{text:?}");
    }
}

#[test]
fn a_move_in_a_mail_of_its_own_names_its_game() {
    let receive = |text: &str, is_verified: bool| {
        let env = TestEnvironment::new()
            .config("[receive]\nauthserv_id = \"mx.club.example\"")
            .with_game();
        let result = "mx.club.example; dmarc=pass header.from=example.org";
        let mut message = InboundMessage::new(ALICE, text);
        if is_verified {
            message = message.with("Authentication-Results", result);
        }
        let disposition = env.receive(&message);
        (env, disposition)
    };
    for text in ["1 f5", "1: f5", "#1 f5", "Game 1 f5", "game #1: F5."] {
        let (env, disposition) = receive(text, true);
        assert_eq!((env.moves(1).as_slice(), &*disposition), (&["f5".to_owned()][..], "done"));
        let (env, disposition) = receive(text, false);
        assert_eq!((env.plies(1), &*disposition), (0, "held"), "{text}");
        env.mail_to(ALICE).says("move 1 f5#1");
    }
    for text in ["game 1 was fun", "#1", "game 1: f5 was nice", "(game 1 f5)", "> 1: f5"] {
        let (env, _) = receive(text, true);
        assert_eq!(env.plies(1), 0, "{text}");
    }
}

#[test]
fn up_to_five_lines_before_a_command_are_skipped() {
    assert_eq!(answer("Hi Bob\n\nhow are you?\n1\n2\n3\n\nf5", true), None);
    let reply = answer("Hi Bob\nhow are you?\n1\n2\n3\n4\nf5", false).expect("an answer");
    assert!(reply.contains("such as c4,"), "{reply}");
}

#[test]
fn text_after_the_commands_is_not_read() {
    for end in ["-- ", "--", "stop", "quit", "Quit.", "thanks", "Thanks!", "Bye, alice", "\n\nHi"] {
        assert_eq!(answer(&format!("f5\n{end}\nresign\nmove 99 a1"), true), None, "{end}");
    }
    for end in ["-- ", "stop", "quit", "thanks"] {
        assert!(answer(&format!("{end}\nf5"), false).is_some(), "{end}");
    }
    assert_eq!(answer("f5\n> resign\n> On Monday outflank wrote:", true), None);
}

#[test]
fn a_move_within_a_sentence_is_not_played() {
    for text in [
        "I play f5",
        "f5 looks good",
        "f5?",
        "f 5",
        "let us pass the evening",
        "resign? never",
        "Pass me the salt",
        "move over to f5",
        "1. f5",
        "f5 d6",
        "not f5",
        "",
        "\n\n",
        "> f5",
        "5",
    ] {
        let reply = answer(text, false).unwrap_or_else(|| panic!("no answer: {text:?}"));
        assert!(reply.contains("such as c4,") && reply.contains("d3 / e6 / f5"), "{reply}");
    }
}

#[test]
fn two_moves_for_one_turn_are_both_refused() {
    for text in
        ["f5\nd3", "f5\nmove 1 d3", "f5\npass", "f5\nf5#1\nd3#1", "move 1 f5\nc4", "F5\n\nD3."]
    {
        let reply = answer(text, false).expect(text);
        assert!(reply.contains("two different moves"), "{text:?}: {reply}");
    }
    assert_eq!(answer("f5\nF5.\nmove 1 f5\nf5#1", true), None, "it is one move");
    assert_eq!(answer("f5\n\nmove f5", true), None);
}

#[test]
fn the_subject_is_read_if_the_text_has_no_command() {
    let by_subject = |subject: &str, text: &str| {
        let env = TestEnvironment::new().with_game();
        let message = turn(&env).reply(text).subject(subject);
        assert_eq!(env.receive(&message), "done");
        env.moves(1) == ["f5"]
    };
    for subject in ["f5", "Re: AW: f5", "RE: re: F5.", "Antw: move 1 f5", "=?utf-8?Q?Re:_f5?="] {
        assert!(by_subject(subject, ""), "{subject}");
    }
    assert!(by_subject("f5", "Hi Bob"));
    for (subject, text) in [
        ("f5", "show"),
        ("f5", "d3 x"),
        ("f5", "move 1 zz"),
        ("Re: I play f5", ""),
        ("f5 please", ""),
        ("f5 d3", ""),
        ("Othello #1: alice - bob", ""),
    ] {
        let moved = by_subject(subject, text);
        assert_eq!(moved, subject == "f5" && text == "d3 x", "{subject}, {text}");
    }
}

#[test]
fn every_player_command_works_by_mail() {
    for (text, said) in [
        ("show", "Score: black 2, white 2"),
        ("show 1", "Score: black 2, white 2"),
        ("show 1#0 --arrows", "Score: black 2, white 2"),
        ("history", "No move"),
        ("games", "othello"),
        ("games alice --all", "othello"),
        ("games bob", "othello"),
        ("players", "Lost"),
        ("subscribe", "gets turn mails for game 1"),
        ("subscribe 1", "gets turn mails for game 1"),
        ("unsubscribe", "gets no turn mails for game 1"),
        ("receipt on", "gets mail receipts"),
        ("Receipt Off", "gets no mail receipts"),
        ("help", "unmute"),
        ("help move", "MOVE"),
        ("move 1 --help", "MOVE"),
    ] {
        let reply = answer(text, false).unwrap_or_else(|| panic!("no answer: {text}"));
        let flat = reply.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.to_lowercase().contains(&said.to_lowercase()), "{text}: {reply}");
        assert!(
            !reply.contains("was not done") && !reply.contains("no command"),
            "{text}: {reply}"
        );
    }
    let env = TestEnvironment::new().with_game();
    env.receive(&turn(&env).reply("Resign."));
    assert_eq!(env.game(1)["result"]["reason"], "resigned");
}

#[test]
fn host_commands_and_options_are_refused_by_mail() {
    for text in [
        "new mini mallory mallory2",
        "new othello alice bob",
        "send",
        "send --watch",
        "backup stolen.db",
        "address bob alice2@example.org",
        "rotate bob",
        "ssh bob",
        "receive",
        "receive --maildir .",
        "inbox",
        "mail",
        "mail retry 1",
        "--db other.db games",
        "--config /etc/passwd games",
        "--as bob resign 1",
        "outflank resign 1",
        "games; resign 1",
        "$(resign 1)",
        "`backup stolen.db`x",
        "@resign",
    ] {
        let env = TestEnvironment::new().with_game();
        let before = env.game(1);
        let message = turn(&env).reply(text);
        assert_eq!(env.receive(&message), "done", "{text}");
        let reply = env.mail_to(ALICE);
        reply.says("‹help›");
        assert_eq!(env.game(1), before, "{text}");
        assert!(!env.path("stolen.db").exists() && !env.path("other.db").exists());
    }
    for text in [
        "games --db other.db",
        "move 1 f5 --as bob",
        "move 1 f5 --db other.db",
        "show 1 --config /etc/passwd",
        "show 1; rm x",
        "show 1 | mail",
        "show 1 > /tmp/x",
        "resign 1 --as bob",
        "help new",
        "help backup",
        "help ssh",
    ] {
        let env = TestEnvironment::new().with_game();
        let before = env.game(1);
        env.receive(&turn(&env).reply(text));
        let reply = env.mail_to(ALICE);
        assert_eq!(env.game(1), before, "{text}");
        assert!(!reply.text.contains("Usage: backup") && !env.path("other.db").exists(), "{text}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    for text in [
        "move 99999999999999999999 f5",
        "move 1 f99999999999999999999",
        "move 1 f5#99999999999999999999",
        "show 1#18446744073709551616",
        "show 0",
        "show 9223372036854775807",
        "f5#0",
        "f5#18446744073709551615",
        "pass 1#9223372036854775808",
    ] {
        let reply = answer(text, false).unwrap_or_else(|| panic!("no answer: {text}"));
        assert!(reply.contains("not"), "{text}: {reply}");
    }
}

#[test]
fn answers_to_long_messages_are_short() {
    let many = "show\n".repeat(10_000);
    assert!(answer(&many, false).expect("an answer").len() < 100_000);
    let wide = format!("move 1 {}", "f5 ".repeat(50_000));
    assert!(answer(&wide, false).expect("an answer").len() < 100_000);
    let lines = format!("move 1 {}\n", "zz ".repeat(160)).repeat(1000);
    assert!(answer(&lines, false).expect("an answer").len() < 100_000);
}

#[test]
fn help_lists_player_commands_only() {
    let reply = answer("help", false).unwrap();
    let (reply, _board) = reply.split_once("+---+").unwrap();
    assert!(!reply.contains("Usage"), "it reads like a mail: {reply}");
    for command in ["move", "pass", "resign", "show", "history", "games", "players", "receipt"] {
        let is_shown = [format!("- ‹{command} "), format!("- ‹{command}›")];
        assert!(is_shown.iter().any(|it| reply.contains(it)), "{command}: {reply}");
    }
    for command in ["new", "send", "backup", "address", "rotate", "ssh", "receive", "inbox", "mail"]
    {
        assert!(!reply.contains(&format!("‹{command}")), "{command}: {reply}");
    }
    assert!(!reply.contains("--db") && !reply.contains("--as"), "{reply}");
}

#[test]
fn legal_moves_are_those_of_the_reader() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    assert_eq!(turn.to, BOB);
    env.receive(&turn.reply("c3"));
    env.mail_to(BOB).says("legal: ‹d6› ‹f4› ‹f6›");
}

#[test]
fn the_first_mail_of_a_game_leads_to_its_rules() {
    let env = TestEnvironment::new().config("[receive]\ntoken_only = true");
    env.ok(&format!("new twente {ALICE} {BOB} --size 6x6 --misere"));
    let first = env.mails_to(BOB).remove(0);
    first.says("Reply ‹rules› to read the rules of Twente Othello.");
    assert!(first.html().unwrap().contains("body=rules"));
    env.receive(&first.reply("rules"));
    let page = env.last_mail_to(BOB);
    for words in [
        "The rules of game 1: Twente Othello 6x6 misère",
        "| | | W | B | | | 3",
        "This flips 7 discs:",
        "Reply ‹pass› if you cannot flip a disc.",
        "fewer discs on the board wins",
        "To move, reply with the cell, such as b3, on a line of its own.",
    ] {
        let plain = page.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains(words), "{words}: {}", page.text);
    }
}
