//! The links in mails.

use std::collections::BTreeMap;

use similar_asserts::assert_eq;

use super::{PAGES, WEB, env, tokens_of, visit};
use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Purpose, TestEnvironment, Token};

/// Causes mails of all kinds about games.
fn play(env: &TestEnvironment) {
    env.ok("--as alice say 1 Good luck");
    env.ok("move 1 f5 --receipt");
    env.ok("--as bob draw 1");
    env.ok("--as alice decline 1");
    let reply = env.last_mail_to(BOB).reply("show 1");
    assert_eq!(env.receive(&reply), "done");
    assert_eq!(env.receive(&reply.from(CAROL).id("<2@x>")), "mismatch");
    env.ok("new othello alice bob --clock 2d");
    env.later(46 * 60);
    env.ok("send");
    env.later(3 * 60);
    env.ok("send");
    env.ok("--as bob say 1 --now Are you there");
    env.ok("--as bob resign 1");
    env.ok("--as alice analyze 1");
    env.ok("send");
    env.ok("--as alice rematch 1");
}

#[test]
fn every_mail_about_a_game_links_to_its_page() {
    let env = env();
    play(&env);
    let mails: Vec<_> = env.all_mails().into_values().collect();
    let mut kinds = env.outbox();
    kinds.retain(|mail| mail.ends_with(" sent"));
    for kind in [
        "alice started",
        "bob turn",
        "alice receipt",
        "alice notice",
        "bob answer",
        "bob mismatch",
        "alice reminder",
        "bob flagged",
        "alice over",
        "carol watched",
        "carol watched-over",
        "carol watched-analysis",
    ] {
        assert!(kinds.contains(&format!("{kind} sent")), "{kind}: {kinds:#?}");
    }
    let mut links = BTreeMap::new();
    for mail in &mails {
        let [played, watched] = ["play", "watch"].map(|path| tokens_of(mail, path));
        let (expected, tokens) = match mail.to.as_str() {
            CAROL => (Purpose::Board, &watched),
            _ => (Purpose::Page, &played),
        };
        let player = mail.to.split('@').next().unwrap();
        assert_eq!(played.len() + watched.len(), 1, "{}", mail.text);
        let subject = mail.header("Subject");
        let game = if mail.text.contains("game 2") || subject.contains("#2") { 2 } else { 1 };
        let (token, expected) = (&tokens[0], env.token(expected, player, game, 0));
        let claims = |token: &str| *token.parse::<Token>().unwrap().claims();
        assert_eq!(claims(token), claims(&expected), "{}", mail.text);
        assert_eq!(links.entry((player.to_owned(), game)).or_insert(token.clone()), token);
        // The link is below the line for replies.
        let (above, _) = mail.text.split_once(PAGES).unwrap();
        assert!(above.contains("---- Answer above this line ----"), "{}", mail.text);
    }
}

#[test]
fn a_digest_links_to_each_game() {
    let env = env();
    env.ok("new mini alice bob");
    env.ok("new mini carol bob");
    env.ok("--as carol set mail digest 18:00");
    env.ok("--as alice set mail digest 18:00");
    env.ok("move 1 f5 d6");
    env.mails();
    env.later(9 * 60);
    env.ok("send");
    let mails = env.mails();
    let digest = |to| mails.iter().find(|mail| mail.to == to).unwrap();
    let games = |mail, path| {
        let tokens = tokens_of(mail, path);
        tokens.iter().map(|token| visit(&env, token).game.unwrap().0).collect::<Vec<_>>()
    };
    assert_eq!(games(digest(ALICE), "play"), [1, 2], "{}", digest(ALICE).text);
    assert_eq!(games(digest(CAROL), "play"), [3]);
    assert_eq!(games(digest(CAROL), "watch"), [1]);
    assert_eq!(digest(ALICE).html().unwrap().matches("Play in a browser").count(), 2);
}

#[test]
fn without_web_no_mail_has_a_link() {
    let env = TestEnvironment::new().config("[web]\npublic = true").with_game();
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("--as alice set watchers all");
    env.ok("--as bob set watchers all");
    env.ok("--as carol watch 1");
    play(&env);
    for mail in env.all_mails().into_values() {
        for part in [&mail.raw, &mail.text, &mail.html().unwrap()] {
            assert!(!part.contains("https:") && !part.contains("web page"), "{part}");
        }
    }
}

#[test]
fn mails_with_links_can_be_replied_to_when_the_pages_are_gone() {
    let env = TestEnvironment::new().config(WEB).with_game();
    let mail = env.last_mail_to(ALICE);
    assert_eq!(tokens_of(&mail, "play").len(), 1);
    env.configure("");
    let quoted = format!("f5\n\nOn Saturday, Outflank wrote:\n{}", mail.quoted());
    assert_eq!(env.receive(&mail.reply(&quoted)), "done");
    assert_eq!(env.plies(1), 1);
    assert!(!env.last_mail_to(BOB).text.contains("https:"));
}

#[test]
fn links_are_removed_from_words_that_are_passed_on() {
    let env = TestEnvironment::new().config(WEB).with_game();
    let mail = env.last_mail_to(ALICE);
    let token = &tokens_of(&mail, "play")[0];
    let link = format!("{PAGES}/play/{token}");
    env.ok(&format!("--as alice say 1 Look at {link}"));
    env.ok("move 1 f5");
    let turn = env.last_mail_to(BOB);
    turn.says(&format!("| alice: Look at | {PAGES}/play/..."));
    // Some mail programs quote without marks below the move.
    let reply = env.last_mail_to(BOB).reply(&format!("d6\nsay It said {link}, see {token}"));
    assert_eq!(env.receive(&reply), "done");
    env.last_mail_to(ALICE).says(&format!("| bob: It said | {PAGES}/play/..., | see ..."));
    let stranger = InboundMessage::new(ALICE, &format!("say 1 {link}"));
    env.receive(&stranger);
    assert!(!env.last_mail_to(BOB).raw.contains(token));
}
