//! By mail and over ssh, players are named by name only.

use crate::harness::{BOB, STRANGER, TestEnvironment};

#[test]
fn an_address_is_refused_with_one_sentence_known_or_not() {
    const REFUSED: &str = "a player is named by name here, not by address";
    let env = TestEnvironment::new();
    env.ok("new othello alice@example.org bob@example.org");
    let start = env.last_mail_to("alice@example.org");
    env.mails();
    for command in ["games", "block", "unblock"] {
        for address in [BOB, STRANGER] {
            let ran = env.ssh("alice", &format!("{command} {address}"));
            assert_eq!(
                ran.failed(1).trim_end(),
                format!("outflank: {REFUSED}; see `players`"),
                "{address}"
            );
            env.receive(&start.reply(&format!("{command} {address}")));
            let answer = env.mail().text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(answer.contains(REFUSED), "{command} {address}: {answer}");
        }
        env.run(&format!("--as alice {command} {BOB}")).ok();
    }
    assert_eq!(env.json("players")["players"].as_array().unwrap().len(), 2);
}
