//! The command `page`.

use outflank::app::Link;
use similar_asserts::assert_eq;

use super::{WEB, app, env, tokens_of, visit};
use crate::harness::{ALICE, InboundMessage, Mail, STRANGER, TestEnvironment};

/// Returns how many links to own pages the mails have, and checks that all are to alice.
fn own_links(mails: &[Mail]) -> usize {
    let links = |mail: &Mail| {
        assert!(mail.to == ALICE || !mail.raw.contains("/me/"), "{}", mail.raw);
        tokens_of(mail, "me").len()
    };
    mails.iter().map(links).sum()
}

#[test]
fn the_link_is_mailed_to_the_players_own_address() {
    let env = env();
    // Settings for mail do not stop it.
    env.ok("--as alice set mail none");
    env.ok("--as alice set quiet 04:00-16:00");
    env.mails();
    let printed = env.ok("--as alice page");
    assert_eq!(printed, "alice gets the link to a page by mail.\n\nalice was mailed.\n");
    let mail = env.mail_to(ALICE);
    insta::assert_snapshot!("own-page", mail.text.replace(&tokens_of(&mail, "me")[0], "TOKEN"));
    assert_eq!(mail.header("Subject"), "Your page");
    let visit = visit(&env, &tokens_of(&mail, "me")[0]);
    assert_eq!((visit.kind, visit.player.as_str(), visit.game), (Link::Me, "alice", None));
    assert_eq!(env.json("--as alice page")["mailed"], true);
    assert_eq!(own_links(&env.mails()), 1);
    let over_ssh = env.ssh("alice", "page").ok();
    assert!(!over_ssh.contains("https:"), "{over_ssh}");
    assert_eq!(own_links(&env.mails()), 1);
    assert!(env.fails(2, "page").contains("`page` needs --as NAME"));
}

#[test]
fn a_player_asks_for_it_by_mail() {
    let env = env();
    let turn = env.last_mail_to(ALICE);
    env.mails();
    assert_eq!(env.receive(&turn.reply("page")), "done");
    let mails = env.mails();
    assert!(mails.iter().all(|mail| mail.to == ALICE), "{mails:#?}");
    assert_eq!((mails.len(), own_links(&mails)), (2, 1), "the answer has no link");
}

#[test]
fn a_stranger_gets_nobody_mailed_but_the_player_who_is_asked() {
    let env = env();
    env.mails();
    // A mail from alice's address that is not verified.
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "page")), "held");
    let asked = env.mail_to(ALICE);
    assert_eq!(own_links(std::slice::from_ref(&asked)), 0);
    let mail = InboundMessage::new(STRANGER, "page\npage alice");
    assert_eq!(env.receive(&mail), "stranger");
    assert_eq!(own_links(&env.mails()), 0);
    assert_eq!(env.receive(&asked.reply("yes")), "done");
    assert_eq!(own_links(&env.mails()), 1);
}

#[test]
fn without_pages_or_an_address_there_is_no_link() {
    let env = TestEnvironment::new().with_game();
    assert!(env.fails(1, "--as alice page").contains("this club has no web pages"));
    env.configure(WEB);
    env.ok("signup dave --no-mail");
    assert!(env.fails(1, "--as dave page").contains("dave has no address for mails"));
    // The host removes the pages before the mail is sent.
    env.configure(&format!("{WEB}\n[transport]\nkind = 'sendmail'\ncommand = ['/missing']"));
    env.run("--as alice page");
    env.configure("");
    env.mails();
    env.later(60);
    env.ok("send");
    env.no_mail();
    assert_eq!(env.count("alice own-page superseded"), 1);
    assert!(app(&env).visit("").unwrap().is_none());
}
