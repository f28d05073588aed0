//! Unsubscribing by one click (RFC 8058).

use outflank::app::StoppedMails;
use outflank_model::log::GameId;
use similar_asserts::assert_eq;

use super::{PAGES, app, env, tables};
use crate::harness::{ALICE, CAROL, InboundMessage, Mail, Purpose, TestEnvironment, Token};

/// Returns the links of `List-Unsubscribe`.
fn links(mail: &Mail) -> Vec<String> {
    let field = mail.header("List-Unsubscribe");
    field.split(", ").map(|link| link.trim_matches(['<', '>']).to_owned()).collect()
}

/// Returns the token of the link that needs one click.
#[track_caller]
fn one_click(mail: &Mail) -> String {
    assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let links = links(mail);
    assert_eq!(links.len(), 2, "{links:?}");
    assert!(links[1].starts_with("mailto:outflank%2B"), "{links:?}");
    let token = links[0].strip_prefix(&format!("{PAGES}/unsubscribe/")).unwrap();
    assert!(links[1].contains(token), "{links:?}");
    token.to_owned()
}

#[test]
fn one_click_mutes_one_game() {
    let env = env();
    env.ok("new mini bob alice");
    env.mails();
    env.ok("move 1 f5 d6");
    let mail = env.mails().into_iter().find(|mail| mail.to == ALICE).unwrap();
    let token = one_click(&mail);
    assert_eq!(token.parse::<Token>().unwrap().claims().purpose, Purpose::Unsubscribe);
    assert_eq!(app(&env).visit(&token).unwrap(), None, "it opens no page");
    let before = tables(&env);
    let found = app(&env).unsubscription(&token).unwrap().unwrap();
    assert_eq!((found.player.as_str(), found.mails), ("alice", StoppedMails::Turns(GameId(1))));
    assert_eq!(tables(&env), before, "looking changes nothing");
    for _ in 0..2 {
        app(&env).unsubscribe(&found).unwrap();
        let games = env.json("--as alice games");
        let muted = games["games"].as_array().unwrap().iter().map(|game| &game["muted"]);
        assert_eq!(muted.filter(|muted| **muted == true).count(), 1, "{games}");
    }
    env.ok("move 1 c3 d3");
    assert!(env.mails().iter().all(|mail| mail.to != ALICE));
    env.ok("move 2 a2");
    assert!(env.mails().iter().any(|mail| mail.to == ALICE));
}

#[test]
fn one_click_ends_watching() {
    let env = env();
    env.mails();
    env.ok("move 1 f5");
    let mail = env.mails().into_iter().find(|mail| mail.to == CAROL).unwrap();
    let found = app(&env).unsubscription(&one_click(&mail)).unwrap().unwrap();
    assert_eq!((found.player.as_str(), found.mails), ("carol", StoppedMails::Watched(GameId(1))));
    app(&env).unsubscribe(&found).unwrap();
    env.ok("move 1 d6");
    assert!(env.mails().iter().all(|mail| mail.to != CAROL));
}

#[test]
fn one_click_needs_https() {
    for (settings, is_sent) in [
        ("", false),
        ("[web]\npublic = true", false),
        ("[web]\nurl = 'http://club.example'", false),
        ("[web]\nurl = 'https://club.example'", true),
        ("[web]\nurl = 'https://club.example'\n[receive]\nenabled = false", false),
    ] {
        let env = TestEnvironment::new().config(settings).with_game();
        let mail = env.last_mail_to(ALICE);
        assert_eq!(mail.raw.contains("\nList-Unsubscribe-Post:"), is_sent, "{settings}");
        assert_eq!(mail.raw.contains("/unsubscribe/"), is_sent, "{settings}");
    }
}

#[test]
fn digests_reminders_and_letters_end_with_one_click_and_a_mail_says_so() {
    const DAY: i64 = 24 * 60;
    let env = env();
    env.ok("set mail digest 18:00 --as alice");
    env.ok("new mini bob alice --clock 3d");
    env.mails();
    env.ok("move 2 b1");
    env.later(DAY);
    env.ok("send");
    let digest = env.last_mail_to(ALICE);
    digest.says("2 games wait for you");
    env.ok("resign 1 --as alice");
    env.ok("set letter on --as alice");
    env.later(DAY + 2 * DAY / 3);
    env.ok("send");
    let letter = env.last_mail_to(ALICE);
    let reminder = env.mails().into_iter().find(|mail| mail.text.contains("left in game")).unwrap();
    // Each new one has the same seed.
    let mut app = app(&env);
    for (mail, mails, setting, again) in [
        (&digest, "digests", "mail: none", "set mail digest 18:00"),
        (&reminder, "reminders", "reminders: off", "set reminders on"),
        (&letter, "letters of the club", "letter: off", "set letter on"),
    ] {
        let token = one_click(mail);
        let found = app.unsubscription(&token).unwrap().unwrap();
        let StoppedMails::All(stopped) = found.mails else { panic!("{found:?}") };
        assert_eq!((found.player.as_str(), stopped.name, found.is_done), ("alice", mails, false));
        app.unsubscribe(&found).unwrap();
        // The process that took the request would have sent it.
        env.later(15);
        env.ok("send");
        env.mail_to(ALICE).says("You get no more").says(again);
        assert!(env.ok("set --as alice").contains(setting));
        let found = app.unsubscription(&token).unwrap().unwrap();
        assert!(found.is_done);
        app.unsubscribe(&found).unwrap();
        env.ok("send");
        env.no_mail();
    }
    // By mail, the answer says so.
    env.ok("set reminders on --as alice");
    let links = links(&reminder);
    let to = links[1].strip_prefix("mailto:").unwrap().split('?').next().unwrap();
    let mail = InboundMessage::new(ALICE, "unsubscribe").to(&to.replace("%2B", "+"));
    assert_eq!(env.receive(&mail), "done");
    env.mail_to(ALICE).says("Reply to ‹set reminders off›:").says("reminders: off");
}
