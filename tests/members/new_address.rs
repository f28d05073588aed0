//! `set address`: a new address after a yes from the old one and then one from the new one.

use std::fs;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Mail, TestEnvironment};
use crate::intake::bounces::{FAILED, Server, report};

const NEW: &str = "robert@new.example";

/// Returns an environment with game 1 and bob to move, and his turn mail.
fn club() -> (TestEnvironment, Mail) {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    (env, turn)
}

/// Returns the address of bob.
fn address(env: &TestEnvironment) -> String {
    env.json("players --addresses")["players"][1]["address"].as_str().unwrap().to_owned()
}

/// Confirms bob's request at the old address. Returns the answer, and the question to the new one if
/// there is one.
fn confirmed(env: &TestEnvironment, question: &Mail) -> (Mail, Option<Mail>) {
    assert_eq!(env.receive(&question.reply("yes")), "done");
    let mut mails = env.mails();
    let answer = mails.iter().position(|mail| mail.to == BOB).unwrap();
    (mails.remove(answer), mails.pop())
}

#[test]
fn an_address_changes_after_a_yes_from_the_old_one_and_one_from_the_new_one() {
    let (env, turn) = club();
    env.ok("challenge bob --as alice");
    env.mails();
    for request in [
        turn.reply(&format!("set address {NEW}")),
        InboundMessage::new(BOB, &format!("set address {NEW}")),
    ] {
        assert_eq!(env.receive(&request), "held");
        let question = env.mail_to(BOB);
        question
            .says(&format!("set address {NEW}: your mail goes there after a yes from there, too"));
        assert_eq!(env.receive(&question.reply("no")), "done");
    }
    env.no_mail();
    env.ssh("bob", &format!("set address {NEW}")).ok();
    let question = env.mail_to(BOB);
    let (answer, asked) = confirmed(&env, &question);
    answer.says("The new address is asked, too.");
    let asked = asked.unwrap();
    assert_eq!(asked.to, NEW);
    asked.says("Is this your address, bob?");
    assert_eq!(address(&env), BOB);
    assert_eq!(env.receive(&asked.reply("yes").from(CAROL)), "mismatch");
    env.no_mail();
    assert_eq!(env.receive(&asked.reply("yes")), "done");
    let mut mails = env.mails();
    let told = mails.remove(mails.iter().position(|mail| mail.to == BOB).unwrap());
    told.says("Mail for bob goes to another address now.");
    assert!(!told.raw.contains(NEW) && !told.reply_to().contains('+'), "{}", told.raw);
    // The waiting game and the open challenge are mailed to the new address.
    let [done, game, challenge] =
        ["Your mail comes to this address from now on.", "Your turn, bob", "alice challenges you"]
            .map(|text| mails.iter().find(|mail| mail.text.contains(text)).unwrap().clone());
    assert!(mails.iter().all(|mail| mail.to == NEW) && mails.len() == 3);
    assert_eq!(env.receive(&challenge.reply("decline")), "done");
    assert_eq!(env.receive(&game.reply("history")), "done");
    env.mails();
    assert_eq!(address(&env), NEW);
    // All tokens of earlier mails are revoked.
    assert_eq!(env.receive(&turn.reply("d6").from(NEW)), "done");
    env.mail_to(NEW).says("is not valid any more, so nothing was done");
    assert_eq!(env.receive(&turn.reply("d6")), "stranger");
    assert_eq!(env.receive(&asked.reply("yes").id("again@new.example")), "ignored: nothing held");
    assert_eq!(env.plies(1), 1);
    assert_eq!(env.receive(&done.reply("move 1 d6")), "done");
    assert_eq!(env.plies(1), 2);
}

#[test]
fn a_taken_address_is_not_mailed_and_requests_are_limited() {
    let (env, turn) = club();
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("remove carol --ban");
    env.mails();
    let mut answers = Vec::new();
    for taken in [ALICE, "carol+x@example.org", NEW] {
        env.ok(&format!("set address {taken} --as bob"));
        let (answer, asked) = confirmed(&env, &env.mail_to(BOB));
        assert_eq!(asked.map(|mail| mail.to), (taken == NEW).then(|| NEW.to_owned()));
        answers.push(answer.text.replace(taken, "X"));
    }
    assert_eq!((&answers[0], &answers[1]), (&answers[2], &answers[2]));
    let line = env.fails(1, &format!("set address {NEW} --as bob"));
    assert!(line.contains("limit of 3 requests for a new address in a day reached"), "{line}");
    assert_eq!(env.receive(&turn.reply(&format!("set address {NEW}"))), "done");
    env.mail_to(BOB).says("limit of 3 requests");
    env.later(24 * 60);
    env.ok(&format!("set address {NEW} --as bob"));
}

#[test]
fn requests_end_when_tokens_are_revoked_or_the_host_gives_an_address() {
    for command in ["rotate bob", "address bob bob@host.example", "leave --yes --as bob"] {
        let (env, _) = club();
        env.ok(&format!("set address {NEW} --as bob"));
        let asked = confirmed(&env, &env.mail_to(BOB)).1.unwrap();
        env.ok(command);
        env.mails();
        assert_eq!(env.receive(&asked.reply("yes")), "ignored: nothing held", "{command}");
        env.no_mail();
    }
    // A question sent to the old address is void, too, since somebody else may read it.
    let (env, turn) = club();
    assert_eq!(env.receive(&turn.reply(&format!("set address {NEW}\nleave"))), "held");
    let question = env.mail_to(BOB);
    env.ok("address bob bob@host.example");
    env.mails();
    let answer = question.reply("yes").from("bob@host.example");
    assert_eq!(env.receive(&answer), "ignored: nothing held");

    let (env, _) = club();
    for (words, why) in [
        (format!("set address {BOB}"), "is the address of bob already"),
        ("set address outflank@club.example".to_owned(), "is the address of this server"),
        ("set address robert".to_owned(), "is not an e-mail address"),
    ] {
        let line = env.fails(1, &format!("{words} --as bob"));
        assert!(line.contains(why), "{line}");
    }
    env.ok("signup ann --no-mail");
    let line = env.fails(1, &format!("set address {NEW} --as ann"));
    assert!(line.contains("the host writes `outflank address ann robert@new.example`"), "{line}");
}

#[test]
fn the_host_gives_an_address_and_what_bounced_goes_there() {
    let env = TestEnvironment::new().with_envelopes().with_game();
    let started = env.last_mail_to(BOB);
    assert_eq!(env.receive(&report(Server::Postfix, &started, FAILED)), "bounce");
    // The mail comes again with the same Message-ID.
    let folder = env.path("outflank.maildir/new");
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    env.ok("address bob robert@new.example");
    env.ok("send");
    // The mail about the start of the game, with alice to move.
    let sent =
        "SELECT sent_to FROM outbox WHERE kind = 'started' AND player = 2 AND state = 'sent'";
    assert_eq!(env.sqlite().query_row(sent, [], |row| row.get::<_, String>(0)).unwrap(), NEW);
}

#[test]
fn the_address_that_a_player_has_brings_no_mail_again() {
    let (env, _) = club();
    env.ok(&format!("address bob {BOB}"));
    env.ok("send");
    assert!(env.mails().is_empty());
    // After a pause, it is news that mail works.
    env.sqlite().execute("UPDATE player SET paused_at = 0 WHERE name = 'bob'", []).unwrap();
    env.ok(&format!("address bob {BOB}"));
    env.ok("send");
    assert_eq!(env.mails().len(), 1);
}

#[test]
fn a_held_command_that_only_looks_like_a_request_stays() {
    let env = TestEnvironment::new().with_game();
    env.ok(&format!("signup Cleaver {CAROL}"));
    assert_eq!(env.receive(&InboundMessage::new(BOB, "challenge Cleaver")), "held");
    let question = env.mail_to(BOB);
    env.ok(&format!("address bob {NEW}"));
    assert_eq!(env.receive(&question.reply("yes").from(NEW)), "done");
    assert_eq!(env.json("show 2")["to"], "Cleaver");
}
