//! The last line of a command: the outcome of its mail.

use crate::harness::{ALICE, BOB, CAROL, TestEnvironment};

/// Returns a transport with a program that prints this text and ends with this status.
fn program(says: &str, status: u8) -> String {
    format!(
        "[transport]\nkind = 'sendmail'\n\
         command = ['sh', '-c', 'cat >/dev/null; echo \"{says}\" >&2; exit {status}']"
    )
}

/// The address of a mail server that is not running.
const NO_SERVER: &str =
    "[transport]\nkind = 'smtp'\nhost = '127.0.0.1'\nport = 9\nsecurity = 'none'";
const NO_PASSWORD: &str =
    "[transport]\nkind = 'smtp'\nhost = 'localhost'\nuser = 'x'\npassword_file = '/pigeon'";

#[track_caller]
fn last_line(text: &str) -> &str {
    text.trim_end().rsplit_once("\n\n").unwrap_or_else(|| panic!("{text}")).1
}

#[test]
fn a_move_ends_with_the_outcome_of_its_mail() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(last_line(&env.ok("move 1 f5")), "bob was mailed.");
    assert_eq!(last_line(&env.ok("move 1 d6 --receipt")), "alice and bob were mailed.");
    assert_eq!(last_line(&env.ssh("alice", "move 1 c3").ok()), "bob was mailed.");
    env.configure(NO_SERVER);
    let waits = env.ok("move 1 d3");
    let waits = last_line(&waits);
    assert!(waits.starts_with("alice's mail waits: "), "{waits}");
    assert!(waits.contains("onnection refused"), "{waits}");
    assert!(waits.ends_with("; `outflank send` retries it."), "{waits}");
    let both = env.ok("--as alice resign 1");
    let both = last_line(&both);
    assert!(both.starts_with("alice's and bob's mails wait: "), "{both}");
    assert!(both.ends_with("; `outflank send` retries them."), "{both}");
}

#[test]
fn scripts_are_warned_when_no_mail_is_sent() {
    let env = TestEnvironment::new().with_game();
    for (transport, why) in [
        ("[transport]\nkind = 'sendmail'\ncommand = ['/missing']", "/missing"),
        (NO_SERVER, "onnection refused"),
        (NO_PASSWORD, "pigeon"),
    ] {
        env.configure(transport);
        let ran = env.run(&format!("--json move 1 {}", env.legal(1)));
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(ran.stderr.contains(why) && ran.stderr.lines().count() == 1, "{ran:?}");
        assert!(ran.stdout.starts_with('{') && ran.stdout.lines().count() == 1, "{ran:?}");
    }
}

#[test]
fn wrong_settings_of_the_transport_refuse_every_command() {
    let env = TestEnvironment::new().with_game();
    for (transport, why) in [
        ("kind = 'pigeon'", "unknown kind \"pigeon\""),
        ("kind = 'sendmail'\npath = '/x'", "unknown field `path`"),
        ("kind = 'maildir'", "missing field `path`"),
    ] {
        env.configure(&format!("[transport]\n{transport}"));
        for words in ["move 1 f5", "show 1"] {
            assert!(env.fails(3, words).contains(why), "{words}");
        }
    }
    env.configure("");
    assert_eq!(env.plies(1), 0);
}

#[test]
fn players_over_ssh_see_no_details_of_the_server() {
    let env = TestEnvironment::new().with_game();
    env.configure(NO_SERVER);
    assert_eq!(last_line(&env.ssh("alice", "move 1 f5").ok()), "bob's mail waits.");
    let json = env.ssh("bob", "--json move 1 d6");
    assert_eq!((json.status, &*json.stderr), (Some(0), ""), "{json:?}");
    assert!(json.stdout.ends_with("}\n"), "{json:?}");
    env.configure(NO_PASSWORD);
    let json = env.ssh("alice", "--json move 1 c3");
    assert_eq!(json.stderr, "outflank: mail cannot be sent until the host corrects the settings\n");
    let ran = env.ssh("bob", "move 1 d3");
    assert_eq!(ran.status, Some(0));
    assert_eq!(last_line(&ran.stdout), "alice's mail waits.");
    assert_eq!(ran.stderr, "outflank: mail cannot be sent until the host corrects the settings\n");
}

#[test]
fn a_mail_that_failed_for_good_is_reported() {
    let env = TestEnvironment::new().with_game();
    env.configure(&program("no such user", 65));
    let failed = env.ok("move 1 f5");
    let failed = last_line(&failed);
    assert!(failed.starts_with("bob's mail failed: "), "{failed}");
    assert!(failed.contains("no such user"), "{failed}");
    assert!(failed.ends_with("; see `outflank mail`."), "{failed}");
}

#[test]
fn every_command_that_queues_mail_warns_of_an_unusable_transport() {
    let env = TestEnvironment::new().with_game();
    env.configure(NO_PASSWORD);
    for words in [
        "move 1 f5",
        "--json move 1 d6",
        "new mini alice bob",
        "--json new mini alice bob",
        "--as bob resign 1",
    ] {
        let ran = env.run(words);
        assert_eq!(ran.status, Some(0), "{words}: {ran:?}");
        let warning =
            "outflank: mail cannot be sent: [transport] password_file /pigeon cannot be read";
        assert!(ran.stderr.starts_with(warning), "{words}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{words}: {}", ran.stderr);
        if !words.starts_with("--json") {
            let line = last_line(&ran.stdout);
            assert!(
                line.ends_with("`outflank send` retries it.") || line.ends_with("retries them.")
            );
            assert!(!line.contains("pigeon"), "{line}");
        }
    }
    for words in ["games", "show 1", "players", "signup carol carol@example.org"] {
        env.ok(words);
    }
}

#[test]
fn send_says_how_many_mails_wait_and_until_when() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.ok("send"), "0 sent.\n");
    env.configure(NO_SERVER);
    env.ok("move 1 f5");
    // The next try is in 45 to 75 seconds.
    assert_eq!(env.ok("send"), "0 sent. 1 mail waits until 2026-11-21 10:01Z.\n");
    let json = env.json("send");
    assert_eq!(json["waiting"], 1);
    assert!(json["next"].as_str().unwrap().starts_with("2026-11-21T10:0"), "{json}");
    env.later(10);
    let failed = env.fails(3, "send");
    assert!(failed.contains("; 1 mail waits until 2026-11-21 10:1"), "{failed}");
    env.ok("new mini alice bob");
    env.later(30);
    let failed = env.fails(3, "send");
    assert!(failed.contains("; 3 mails wait and are due now or later; see"), "{failed}");
    env.configure("");
    env.later(30);
    assert_eq!(env.ok("send"), "3 sent.\n");
    assert_eq!(env.json("send")["next"], serde_json::Value::Null);
}

#[test]
fn new_says_who_was_signed_up() {
    let env = TestEnvironment::new().with_game();
    let reply = env.ok(&format!("new mini alice@elsewhere.example {BOB}"));
    assert!(reply.contains("\nSigned up alice2 for alice@elsewhere.example.\n"), "{reply}");
    assert_eq!(reply.matches("Signed up").count(), 1, "{reply}");
    let reply = env.ok(&format!("new mini {ALICE} {CAROL}"));
    assert_eq!(reply.matches("Signed up").count(), 1, "{reply}");
    let unknown = env.fails(1, "new mini alice dave");
    assert!(unknown.contains("or give an address to sign a new player up"), "{unknown}");
    let similar = env.fails(1, "new mini alice caroll");
    assert!(similar.contains("did you mean carol?") && similar.contains("address"), "{similar}");
}
