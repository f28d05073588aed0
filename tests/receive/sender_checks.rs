//! Sender checks: trusted, unverified, mismatching and unknown senders.

use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, Purpose, SERVER, STRANGER, TestEnvironment, tokens_in,
};

#[test]
fn a_reply_from_another_address_is_refused_and_reported_once_for_each_address() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    for text in ["d6", "c4", "resign", "help"] {
        assert_eq!(env.receive(&turn.reply(text).from(STRANGER)), "mismatch");
    }
    env.mail_to(BOB).says(STRANGER);
    assert_eq!(env.receive(&turn.reply("d6").from("MALLORY@evil.example")), "mismatch");
    env.no_mail();
    // The opponent's address is refused, too.
    assert_eq!(env.receive(&turn.reply("d6").from(ALICE)), "mismatch");
    let warning = env.mail_to(BOB);
    warning.says("another player's address");
    assert!(!warning.raw.contains(ALICE), "{}", warning.raw);
    assert_eq!(env.moves(1), ["f5"]);
    assert_eq!(env.game(1)["result"], serde_json::Value::Null);
    // The player's own address is accepted in upper and lower case.
    assert_eq!(env.receive(&turn.reply("d6").from("Bob <BOB@Example.ORG>")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    env.mail_to(ALICE);
}

#[test]
fn with_the_policy_token_only_a_token_is_sufficient() {
    let env = TestEnvironment::new().config("[receive]\ntoken_only = true").with_game();
    let turn = env.turn_after("f5");
    assert_eq!(env.receive(&turn.reply("d6").from("bob@elsewhere.example")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    env.mail_to(ALICE);
    // A refusal is mailed to the player and not to the sender.
    assert_eq!(env.receive(&turn.reply("a1").from("bob@elsewhere.example")), "done");
    env.mail_to(BOB);
}

const DMARC: &str = "mx.club.example; dmarc=pass header.from=example.org";

#[test]
fn only_our_own_mail_servers_authentication_results_are_trusted() {
    let id = "authserv_id = \"mx.club.example\"";
    let believed = |receive: &str, results: &[&str]| {
        let env = TestEnvironment::new().config(&format!("[receive]\n{receive}")).with_game();
        let mut message = InboundMessage::new(ALICE, "move 1 f5");
        for result in results {
            message = message.and("Authentication-Results", result);
        }
        let disposition = env.receive(&message);
        let moved = env.moves(1) == ["f5"];
        assert_eq!(disposition, if moved { "done" } else { "held" });
        moved
    };
    assert!(believed(id, &[DMARC]));
    assert!(believed(id, &["mx.club.example; dkim=pass header.d=example.org"]));
    assert!(!believed("", &[DMARC]), "no server is named");
    assert!(!believed(id, &[]));
    assert!(!believed(id, &["mx.evil.example; dmarc=pass", DMARC]), "only the first field counts");
    assert!(!believed(id, &["mx.club.example; dmarc=fail", DMARC]));
    assert!(!believed(id, &["mx.club.example; spf=pass smtp.mailfrom=example.org"]));
    assert!(!believed(id, &["mx.club.example; dkim=pass header.d=evil.example"]));
    assert!(!believed(id, &["mx.club.example.evil.example; dmarc=pass"]));
    assert!(!believed("authserv_id = \"\"", &["; dmarc=pass"]));
}

#[test]
fn an_unverified_command_is_held_until_it_is_confirmed() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "Hello!\nmove 1 f5\nreceipt on")), "held");
    let asked = env.mail_to(ALICE);
    asked.says("move 1 f5#1").says("receipt on");
    assert_eq!(env.moves(1), [""; 0]);

    assert_eq!(env.receive(&asked.reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5"]);
    let mails = env.mails();
    assert_eq!(mails.iter().filter(|mail| mail.to == BOB).count(), 1);

    // The held command is run only once.
    env.ok("move 1 d6");
    env.mails();
    assert!(env.receive(&asked.reply("yes")).starts_with("ignored"));
    env.no_mail();
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

#[test]
fn a_no_in_any_form_deletes_the_held_command() {
    for no in [
        "no",
        "No.",
        "\n\nNO!\n",
        "No, that was not me.",
        "no thanks",
        "cancel",
        "stop",
        "no - mallory did that",
        "Nein, das war ich nicht.",
        "いいえ、違います",
    ] {
        let env = TestEnvironment::new().with_game();
        env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
        let asked = env.mail_to(ALICE);
        assert_eq!(env.receive(&asked.reply(no)), "done", "{no}");
        assert_eq!(env.moves(1), [""; 0], "{no}");
        assert!(env.receive(&asked.reply("yes")).starts_with("ignored"), "{no}");
        assert_eq!(env.moves(1), [""; 0], "{no}");
        env.no_mail();
    }
    // The "no" may be directly below the quoted text.
    for receive in ["", "plus_addressing = false"] {
        let env = TestEnvironment::new().config(&format!("[receive]\n{receive}")).with_game();
        env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
        let asked = env.mail_to(ALICE);
        let quoted: String = asked.text.trim_end().lines().map(|it| format!("> {it}\n")).collect();
        assert_eq!(env.receive(&asked.reply(&format!("{quoted}no\n"))), "done");
        assert_eq!(env.moves(1), [""; 0], "{receive}");
        env.no_mail();
    }
}

#[test]
fn a_clear_yes_runs_the_held_command() {
    for yes in [
        "yes",
        "Yes!",
        "\n\n*YES*.\n\nAlice\n",
        "ja",
        "Oui",
        "sí",
        "si\u{301}",
        "Sim.",
        "да",
        "yes\n--\nno",
    ] {
        let env = TestEnvironment::new().with_game();
        env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
        let asked = env.mail_to(ALICE);
        let reply = format!("{yes}\n\n{}", asked.quoted());
        assert_eq!(env.receive(&asked.reply(&reply)), "done", "{yes}");
        assert_eq!(env.moves(1), ["f5"], "{yes}");
    }
}

/// The link "Yes, it was me", with and without a token in its text.
#[test]
fn the_text_of_the_link_is_a_clear_yes() {
    for (receive, below) in [("", false), ("plus_addressing = false", true)] {
        let env = TestEnvironment::new().config(&format!("[receive]\n{receive}")).with_game();
        env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
        let asked = env.mail_to(ALICE);
        let html = asked.html().unwrap();
        assert!(html.contains("body=yes"), "{html}");
        let token = match tokens_in(&asked.text).first() {
            Some(token) if below => format!("\nReply token: {token}\n"),
            _ => String::new(),
        };
        let message = InboundMessage::new(ALICE, &format!("yes\n{token}")).to(&asked.reply_to());
        assert_eq!(env.receive(&message), "done");
        assert_eq!(env.moves(1), ["f5"]);
    }
}

#[test]
fn an_unclear_reply_is_answered_once_and_runs_nothing() {
    for unclear in [
        "I am away until Monday.",
        "Your message has been received. Ticket #4711",
        "No. 4711 has been received",
        "What is this?",
        "decline",
        "",
        "ok",
        "Now go on",
        "Yes, why not?",
        "Yes please",
        "Hi,\n\nyes",
        "Ja, ich bin bis Montag nicht da.",
        "Ja,\nich bin bis Montag nicht da.",
        "Si su consulta es urgente",
        "This was not me!",
    ] {
        let env = TestEnvironment::new().with_game();
        env.receive(&InboundMessage::new(ALICE, "resign 1"));
        let asked = env.mail_to(ALICE);
        let is_over = || env.game(1)["result"] != serde_json::Value::Null;
        assert_eq!(env.receive(&asked.reply(unclear)), "held", "{unclear}");
        let how = env.mail_to(ALICE);
        how.says("‹yes›").says("‹no›");
        how.says("This was asked for in your name:\n\n- resign 1\n");
        for reply in [asked.reply(unclear), how.reply(unclear), how.reply(&how.text)] {
            assert_eq!(env.receive(&reply), "ignored: neither yes nor no", "{unclear}");
        }
        env.no_mail();
        assert!(!is_over(), "{unclear}");
        // Both mails can still be answered.
        let last = if unclear.len() % 2 == 0 { &asked } else { &how };
        assert_eq!(env.receive(&last.reply("yes")), "done", "{unclear}");
        assert!(is_over(), "{unclear}");
    }
}

#[test]
fn an_unclear_reply_or_a_yes_in_the_subject_signs_nobody_up() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    let asked = env.mail_to(CAROL);
    assert_eq!(env.receive(&asked.reply("I am away").subject("yes")), "held");
    let how = env.mail_to(CAROL);
    // A "yes" below an unmarked quotation does not count.
    for text in ["", &format!("-----Original Message-----\n{}\nyes", asked.text)] {
        let disposition = env.receive(&asked.reply(text).subject("yes"));
        assert_eq!(disposition, "ignored: neither yes nor no", "{text}");
    }
    env.no_mail();
    assert!(!env.ok("--json players").contains("carol"));
    assert_eq!(env.receive(&how.reply("yes")), "done");
    assert!(env.ok("--json players").contains("carol"));
}

#[test]
fn an_unclear_reply_after_a_week_is_not_answered() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    let asked = env.mail_to(ALICE);
    env.later(8 * 24 * 60);
    assert_eq!(env.receive(&asked.reply("I am away.")), "ignored: neither yes nor no");
    env.no_mail();
}

#[test]
fn nobody_else_can_confirm_or_cancel_a_held_command() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "resign 1"));
    let asked = env.mail_to(ALICE);
    for (other, shown) in [(STRANGER, STRANGER), (BOB, "another player's address")] {
        assert_eq!(env.receive(&asked.reply("yes").from(other)), "mismatch");
        env.mail_to(ALICE).says(shown);
        assert_eq!(env.receive(&asked.reply("no").from(other)), "mismatch");
        env.no_mail();
    }
    assert_eq!(env.receive(&asked.reply("yes")), "done");
    assert!(env.game(1)["result"] != serde_json::Value::Null);
}

#[test]
fn a_players_former_address_cannot_confirm_a_held_command() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    let asked = env.mail_to(ALICE);
    env.ok("address alice liddell@example.org");
    assert_eq!(env.receive(&asked.reply("yes")), "mismatch");
    assert_eq!(env.moves(1), [""; 0]);
    env.ok("address alice alice@example.org");
    assert_eq!(env.receive(&asked.reply("Yes.")), "done");
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn a_confirmation_after_a_week_does_nothing() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    let asked = env.mail_to(ALICE);
    env.later(8 * 24 * 60);
    assert_eq!(env.receive(&asked.reply("yes")), "done");
    env.mail_to(ALICE).says("more than a week");
    assert_eq!(env.moves(1), [""; 0]);
}

#[test]
fn a_held_move_that_is_outdated_is_refused() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    let asked = env.mail_to(ALICE);
    // It is alice's turn again and f5 would be legal, but for a later ply.
    env.turn_after("d3");
    env.turn_after("c3");
    assert!(env.game(1)["legal"].as_array().unwrap().contains(&"f5".into()));
    env.receive(&asked.reply("yes"));
    env.mail_to(ALICE).says("the next move is #3, not #1");
    assert_eq!(env.moves(1), ["d3", "c3"]);
}

#[test]
fn confirmations_at_the_same_moment_count_once() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "move 1 f5\nreceipt on"));
    let asked = env.mail_to(ALICE);
    let words = (0..8).map(|n| asked.reply("yes").id(&format!("{n}@mail.example")));
    let dispositions = env.receive_at_once(&words.collect::<Vec<_>>());
    assert_eq!(dispositions.iter().filter(|it| *it == "done").count(), 1, "{dispositions:?}");
    assert_eq!(env.moves(1), ["f5"]);
    let recipients: Vec<_> = env.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(recipients.iter().filter(|to| *to == BOB).count(), 1, "{recipients:?}");
}

#[test]
fn a_bare_move_without_a_token_is_refused() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "f5")), "done");
    env.mail_to(ALICE).says("game 1 against bob: write ‹move 1 f5›");
    assert_eq!(env.moves(1), [""; 0]);
}

#[test]
fn signing_up_by_mail_needs_a_confirmation() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.receive(&InboundMessage::new(CAROL, "Hi there\nsignup carol")), "held");
    let asked = env.mail_to(CAROL);
    asked.says("signup carol");
    let players = |env: &TestEnvironment| env.ok("--json players");
    assert!(!players(&env).contains("carol"));
    assert_eq!(env.receive(&asked.reply("yes").from(STRANGER)), "mismatch");
    env.no_mail();
    assert_eq!(env.receive(&asked.reply("Yes.")), "done");
    assert!(players(&env).contains("carol"));
    let welcome = env.mail_to(CAROL);
    assert_eq!(env.receive(&welcome.reply("games")), "done");
    env.mail_to(CAROL);
    assert!(env.receive(&asked.reply("yes")).starts_with("ignored"));
    env.no_mail();
}

#[test]
fn a_name_taken_before_the_confirmation_is_refused() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(CAROL, "signup Alice"));
    env.mail_to(CAROL).says("taken");
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    let asked = env.mail_to(CAROL);
    env.ok("signup carol other@example.org");
    env.receive(&asked.reply("yes"));
    env.mail_to(CAROL).says("taken");
    env.receive(&InboundMessage::new(ALICE, "signup alice2"));
    env.mail_to(ALICE).says("you are already signed up as alice");
}

#[test]
fn an_answer_to_a_stranger_never_quotes_the_message() {
    const SPAM: &str = "pills.example";
    for text in [
        "signup",
        "signup http://pills.example/",
        "signup pills.example/1",
        "signup pills.example",
        "signup www.pills.example",
        "signup bob\nBuy at pills.example",
        "help pills.example",
        "help",
    ] {
        let env = TestEnvironment::new().with_game();
        let message = InboundMessage::new(STRANGER, text).subject("Buy at pills.example");
        let message = message.with("Comments", SPAM).id("1@pills.test");
        assert_eq!(env.receive(&message), "stranger", "{text}");
        let answer = env.mail_to(STRANGER);
        answer.says("signup NAME");
        assert!(!answer.raw.contains("pills.example"), "{text}: {}", answer.raw);
        assert_eq!(answer.header("In-Reply-To"), "<1@pills.test>");
        assert_eq!(answer.header("Auto-Submitted"), "auto-replied");
    }
    // The Subject is also read as a command and not quoted.
    let env = TestEnvironment::new().with_game();
    for subject in ["Help", "signup", "Re: signup pills.example"] {
        let message = InboundMessage::new(STRANGER, "").subject(subject);
        assert_eq!(env.receive(&message), "stranger", "{subject}");
        // Its own first sentence, and nothing of theirs.
        let mail = env.mail_to(STRANGER);
        let title = mail.header("Subject");
        assert!(mail.text.starts_with(&title), "{title}");
        assert!(!subject.contains(&title), "{title}");
    }
    env.later(24 * 60);
    assert_eq!(env.receive(&InboundMessage::new(STRANGER, "").subject("signup j.r")), "held");
    assert_eq!(env.mail_to(STRANGER).header("Subject"), "Confirm: sign up as j.r");
}

#[test]
fn a_stranger_who_asks_for_neither_signup_nor_help_gets_no_answer() {
    let env = TestEnvironment::new().with_game();
    for text in [
        "Buy at pills.example",
        "signup pills.example now",
        "signup for our newsletter",
        "help me please",
        "move 1 f5",
        "f5",
        "show pills.example",
        "games pills.example",
        "yes",
        "",
    ] {
        let message = InboundMessage::new(STRANGER, text).subject("Buy at pills.example");
        assert_eq!(env.receive(&message), "stranger", "{text}");
        env.no_mail();
    }
    assert_eq!(env.moves(1), [""; 0]);
}

#[test]
fn a_stranger_cannot_see_or_change_a_game() {
    let env = TestEnvironment::new().with_game();
    for text in [
        "move 1 f5",
        "resign 1",
        "show 1",
        "games",
        "players",
        "history 1",
        "receipt on",
        "subscribe 1",
    ] {
        assert_eq!(env.receive(&InboundMessage::new(STRANGER, text)), "stranger", "{text}");
        env.no_mail();
        let with_help = InboundMessage::new(STRANGER, &format!("help\n{text}"));
        assert_eq!(env.receive(&with_help), "stranger", "{text}");
        let answer = env.mail_to(STRANGER);
        assert!(!answer.raw.contains("alice") && !answer.raw.contains("bob"), "{}", answer.raw);
        env.later(24 * 60);
    }
    assert_eq!(env.moves(1), [""; 0]);
}

#[test]
fn a_reply_from_a_players_former_address_is_refused() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    env.ok("address bob robert@example.org");
    env.mails();
    assert_eq!(env.receive(&turn.reply("d6")), "mismatch");
    env.mail_to("robert@example.org").says(BOB);
    assert_eq!(env.receive(&turn.reply("d6").from("robert@example.org")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    env.ok(&format!("address bob {BOB}"));
    env.mails();
}

#[test]
fn a_confirmation_that_was_never_asked_for_is_ignored() {
    let env = TestEnvironment::new().with_game();
    let message =
        InboundMessage::new(BOB, "yes").to(&env.token_address(Purpose::Confirm, "bob", 1, 0));
    assert!(env.receive(&message).starts_with("ignored"));
    assert_eq!(env.receive(&InboundMessage::new(SERVER, "help")), "ignored: our own");
    env.no_mail();
}

#[test]
fn nobody_signs_up_with_the_servers_own_address() {
    let env = TestEnvironment::new().with_game();
    for address in [SERVER, "OUTFLANK@Club.Example", "outflank+x@club.example"] {
        for command in ["signup carol", "new othello alice", "address alice"] {
            let run = env.run(&format!("{command} {address}"));
            let error = run.failed(1);
            assert!(error.contains("is the address of this server"), "{error}");
        }
    }
    assert_eq!(env.json("players")["players"].as_array().unwrap().len(), 2);
    env.ok("signup carol outflanking@club.example");
}
