//! Signing up by mail, in a reply to a mail of ours or not.

use crate::harness::{ALICE, CAROL, InboundMessage, Mail, STRANGER, TestEnvironment, buttons};

/// The answer to carol's request for help.
fn invited(env: &TestEnvironment) -> Mail {
    env.receive(&InboundMessage::new(CAROL, "help"));
    env.mail_to(CAROL)
}

#[test]
fn a_name_alone_in_a_reply_is_a_request_to_sign_up() {
    for receive in ["", "plus_addressing = false"] {
        for text in ["hank", "Hank.\n\n", "*hank*\n\n-- \nHank Smith\nBuilder of bridges", "me"] {
            let env = TestEnvironment::new().config(&format!("[receive]\n{receive}")).with_game();
            let answer = invited(&env);
            let reply = answer.reply(&format!("{text}\n\n{}", answer.quoted()));
            let reply = if text.contains("--") { answer.reply(text) } else { reply };
            assert_eq!(env.receive(&reply), "held", "{text}");
            let question = env.mail_to(CAROL);
            let name = if text == "me" { "me" } else { "hank" };
            assert!(question.text.to_lowercase().contains(&format!("signup {name} ")), "{text}");
            assert_eq!(env.receive(&question.reply("yes")), "done");
            env.mail_to(CAROL).says("Welcome");
            assert!(env.ok("players").to_lowercase().contains(name), "{text}");
        }
    }
}

#[test]
fn the_first_mail_of_a_database_can_be_answered_with_a_name() {
    let env = TestEnvironment::new().config("[receive]\nplus_addressing = false");
    env.ok("signup alice alice@example.org");
    let answer = invited(&env);
    // Without the quotation, only the Message-ID carries the token.
    assert_eq!(env.receive(&answer.reply("hank")), "held");
}

#[test]
fn a_reply_with_more_than_a_name_is_not_a_request() {
    let env = TestEnvironment::new().with_game();
    let answer = invited(&env);
    for text in ["hank the great", "hank\nthe great", "evil.com/x", "Thanks", "", "1"] {
        assert_eq!(env.receive(&answer.reply(text)), "stranger", "{text}");
        env.no_mail();
    }
    // A name in the subject or without our token is not accepted.
    for message in [answer.reply("").subject("hank"), InboundMessage::new(CAROL, "hank")] {
        assert_eq!(env.receive(&message), "stranger");
        env.no_mail();
    }
    // It is another stranger's as well as carol's: only the question decides.
    assert_eq!(env.receive(&answer.reply("hank").from(STRANGER)), "held");
    env.mail_to(STRANGER).says("signup hank");
}

#[test]
fn a_signup_that_cannot_be_done_is_answered_with_help() {
    for text in ["signup", "Signup Hank the Great", "Hi!\nsignup hank the great"] {
        let env = TestEnvironment::new().with_game();
        assert_eq!(env.receive(&InboundMessage::new(CAROL, text)), "stranger", "{text}");
        let answer = env.mail_to(CAROL);
        answer.says("Which name do you want?").says("reply with just a name");
        assert!(!answer.raw.to_lowercase().contains("hank"), "{text}");
    }
    let env = TestEnvironment::new().with_game();
    let answer = invited(&env);
    answer.says("This is Othello by mail").says("it is free, and Outflank runs it.");
    // The button writes nothing: a name alone is enough.
    assert_eq!(buttons(&answer), ["Write your name"]);
    assert!(!answer.html().unwrap().contains("body=signup"), "{}", answer.raw);
    env.receive(&answer.reply("signup for the club"));
    env.mail_to(CAROL).says("Which name do you want?");
}

#[test]
fn a_name_like_a_web_address_is_refused_with_the_reason() {
    let env = TestEnvironment::new().with_game();
    let answer = invited(&env);
    for message in [answer.reply("evil.com"), InboundMessage::new(CAROL, "signup evil.com")] {
        assert_eq!(env.receive(&message), "stranger");
        let answer = env.mail_to(CAROL);
        answer.says("That name could be read as a web address.");
        assert!(!answer.raw.contains("evil.com"));
    }
}

#[test]
fn a_player_who_signs_up_is_told_the_name() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    for text in ["signup", "signup alice2", "signup resign"] {
        env.later(60);
        for message in [mail.reply(text), InboundMessage::new(ALICE, text)] {
            assert_eq!(env.receive(&message), "done", "{text}");
            env.mail_to(ALICE).says("ou are already signed up as alice");
        }
    }
}

#[test]
fn a_reserved_name_is_refused_with_the_reason() {
    for (name, why) in [
        ("resign", "\"resign\" is a command"),
        ("Letter", "\"Letter\" may become a command"),
        ("yes", "\"yes\" confirms a mail"),
        ("anyone", "\"anyone\" would be misleading as a name"),
        ("d3", "\"d3\" is a move"),
    ] {
        let env = TestEnvironment::new().with_game();
        let message = InboundMessage::new(CAROL, &format!("signup {name}"));
        assert_eq!(env.receive(&message), "stranger", "{name}");
        let answer = env.mail_to(CAROL);
        answer.says(&format!("Not done: {why}; choose another name."));
        // The same for the name alone.
        assert_eq!(env.receive(&answer.reply(name)), "stranger", "{name}");
        env.mail_to(CAROL).says(why);
    }
    let env = TestEnvironment::new();
    assert_eq!(
        env.fails(1, "signup thanks x@example.org"),
        "outflank: \"thanks\" ends the commands of a mail; choose another name"
    );
}

#[test]
fn a_reply_of_a_stranger_who_has_signed_up_meanwhile_is_a_players() {
    let env = TestEnvironment::new().with_game();
    let answer = invited(&env);
    env.ok(&format!("signup carol {CAROL}"));
    assert_eq!(env.receive(&answer.reply("hank")), "done");
    env.mail_to(CAROL);
    assert_eq!(env.receive(&answer.reply("show 1")), "done");
    env.mail_to(CAROL).says("Reply to ‹show 1›");
    // The token proves nothing about a player.
    assert_eq!(env.receive(&answer.reply("resign 1").from(ALICE)), "held");
    env.mail_to(ALICE).says("resign 1");
}

#[test]
fn new_says_why_a_name_is_not_the_local_part() {
    let env = TestEnvironment::new();
    let new = |address: &str| env.ok(&format!("new mini {address} bot:0"));
    assert!(!new("alice@example.org").contains("so the name"));
    for (address, line) in [
        ("alice@elsewhere.example", "alice is taken, so the name is alice2."),
        ("help@example.org", "\"help\" is a command, so the name is help2."),
        ("back@example.org", "\"back\" may become a command, so the name is back2."),
        ("joe+x@example.org", "\"joe+x\" is not a valid name, so the name is joex."),
        ("d3@example.org", "\"d3\" is a move, so the name is d3_2."),
    ] {
        let printed = new(address);
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(!new("me@example.org").contains("so the name"));
}
