//! The state of the mail to each player, as the host sees it.

use super::bounces::{FAILED, Server, alice_got, report};
use crate::harness::ALICE;

#[test]
fn the_host_sees_whether_mail_to_an_address_works() {
    let (env, mails) = alice_got(2);
    let state = || {
        let alice = env.json("players --addresses")["players"][0].clone();
        assert_eq!(alice["address"], ALICE);
        (alice["mail"].as_str().unwrap().to_owned(), alice["since"].clone())
    };
    assert_eq!(state(), ("works".to_owned(), serde_json::Value::Null));
    env.later(60);
    env.receive(&report(Server::Postfix, &mails[0], FAILED));
    assert_eq!(state(), ("failing".to_owned(), "2026-11-21T11:00:00Z".into()));
    for mail in &mails[1..] {
        env.later(24 * 60);
        env.receive(&report(Server::Postfix, mail, FAILED));
    }
    assert_eq!(state(), ("paused".to_owned(), "2026-11-23T11:00:00Z".into()));
    let list = env.ok("players --addresses");
    let lines: Vec<_> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    let words: [Vec<&str>; 3] = lines.try_into().unwrap();
    assert_eq!(words[1], ["alice", ALICE, "paused", "2026-11-23", "11:00Z"]);
    assert_eq!(words[2], ["bob", "bob@example.org", "works"]);
}

#[test]
fn players_do_not_see_addresses() {
    let (env, mails) = alice_got(0);
    let refused = "only the host can list addresses; leave out --addresses";
    assert_eq!(env.fails(1, "--as alice players --addresses"), format!("outflank: {refused}"));
    let over_ssh = env.ssh("alice", "players --addresses");
    assert_eq!(over_ssh.failed(1), format!("outflank: {refused}"));
    env.receive(&mails[0].reply("players --addresses"));
    let reply = env.last_mail_to(ALICE);
    reply.says("only the host can list addresses");
    assert!(!reply.text.contains("bob@example.org"), "{}", reply.text);
    assert!(!env.ok("players").contains('@'));
}
