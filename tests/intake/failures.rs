//! Failures of the mail to a player, however the program learns of them.

use crate::harness::{ALICE, TestEnvironment};

/// A transport that refuses all mail to alice with this exit status and reply.
fn refuse(env: &TestEnvironment, status: u8, reply: &str) {
    let script = format!(r#"case "$*" in *{ALICE}) echo "{reply}" >&2; exit {status};; esac"#);
    let command = format!("['sh', '-c', '''{script}''', 'sendmail']");
    env.configure(&format!("[transport]\nkind = 'sendmail'\ncommand = {command}"));
}

fn failures(env: &TestEnvironment) -> i64 {
    let select = "SELECT bounces FROM player WHERE name = 'alice'";
    env.sqlite().query_row(select, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_refused_recipient_counts_and_a_refusal_of_the_host_is_shown() {
    for (status, reply, counted) in [
        (67, "550 5.1.1 no such user", 1),
        (68, "550 no such domain", 1),
        (67, "550 5.7.1 your host is blocked", 0),
        (65, "554 message rejected", 0),
    ] {
        let env = TestEnvironment::new();
        refuse(&env, status, reply);
        env.run("new mini alice@example.org bob@example.org").ok();
        let shown = env.json("mail 1");
        assert!(shown["mails"][0]["error"].as_str().unwrap().contains(reply), "{shown}");
        assert_eq!(failures(&env), counted, "{status} {reply}");
    }
}
