//! Comments and digests through real mail servers.

use chrono::TimeDelta;

use super::inbox::mailtos;
use super::mail_host::MailHost;
use super::mail_program::{open, reply};

#[test]
fn a_comment_in_a_reply_reaches_the_opponent() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    let (mut alice, mut bob) = (host.inbox("alice"), host.inbox("bob"));
    env.ok("new mini alice@local.test bob@local.test");
    let started = alice.expect(1).remove(0);
    bob.expect(1);
    let text = "b1\nsay Good luck, bob!\nI have a plan.\n";
    host.send(&reply(&started, "Alice <alice@local.test>", text));
    host.settle();
    let turn = bob.expect(1).remove(0);
    let said = "| alice: Good luck, bob!\n| I have a ‹plan›.\n\n";
    assert!(turn.text.starts_with(said), "{}", turn.text);
    host.send(&reply(&turn, "bob@local.test", "say --now\nSo have I.\n"));
    host.settle();
    let notice = alice.expect(1).remove(0);
    assert!(notice.text.starts_with("| bob: So have I.\n"), "{}", notice.text);
    assert!(!notice.text.contains("plan"), "the quote is not passed on: {}", notice.text);
    bob.expect(1);
    assert_eq!(env.game(1)["ply"], 1);
}

#[test]
fn a_digest_is_answered_by_a_link() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    let (mut alice, mut bob) = (host.inbox("alice"), host.inbox("bob"));
    env.ok("new mini alice@local.test bob@local.test");
    env.ok("new othello alice bob");
    alice.expect(2);
    bob.expect(2);
    let time = (env.now() + TimeDelta::hours(1)).format("%H:%M");
    env.ok(&format!("--as bob set mail digest {time}"));
    env.ok("move 1 b1");
    env.ok("move 2 f5");
    host.settle();
    bob.expect(0);
    env.later(61);
    env.ok("send");
    let digest = bob.expect(1).remove(0);
    assert!(digest.text.starts_with("2 games wait for you, bob"), "{}", digest.text);
    let html = digest.html().expect("an HTML part");
    let links = mailtos(&html).into_iter().filter(|uri| uri.ends_with("body=f6%0D%0A"));
    let links: Vec<_> = links.collect();
    assert_eq!(links.len(), 1, "{html}");
    host.send(&open(&links[0], "bob@local.test"));
    host.settle();
    assert_eq!((env.game(1)["ply"].clone(), env.game(2)["ply"].clone()), (1.into(), 2.into()));
    alice.expect(1);
}
