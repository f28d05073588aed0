//! The logs of the commands that run until stopped.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use serde_json::Value;

use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, Running, STRANGER, TestEnvironment, tokens_in, until,
};

/// Returns a command that logs at its default level.
fn logging(env: &TestEnvironment, words: &str) -> Command {
    let mut command = env.command(words);
    command.env_remove("OUTFLANK_LOG");
    command
}

/// Returns an environment with game 1 and a Maildir for incoming mail.
fn with_maildir() -> TestEnvironment {
    let env = TestEnvironment::new().with_game();
    for folder in ["new", "cur", "tmp"] {
        fs::create_dir_all(env.path("in").join(folder)).unwrap();
    }
    env
}

fn put(env: &TestEnvironment, name: &str, message: &InboundMessage) {
    fs::write(env.path("in/tmp").join(name), message.bytes()).unwrap();
    fs::rename(env.path("in/tmp").join(name), env.path("in/new").join(name)).unwrap();
}

/// Checks that a log has neither an address nor a token.
#[track_caller]
fn is_clean(log: &str, tokens: &[String]) {
    assert!(!log.contains('@'), "{log}");
    assert_eq!(tokens_in(log), [], "{log}");
    for token in tokens {
        assert!(!log.to_lowercase().contains(&token.to_lowercase()), "{log}");
    }
}

#[test]
fn incoming_mail_is_logged_without_addresses_and_tokens() {
    let env = with_maildir();
    let start = env.last_mail_to(ALICE);
    let token = start.token();
    put(&env, "1", &start.reply("f5\nsay my secret words"));
    put(&env, "2", &start.reply("d6").from(STRANGER));
    put(&env, "3", &InboundMessage::new(CAROL, "signup carol"));
    let watch = Running::start(logging(&env, "receive --maildir in --watch"));
    until("the confirmation is sent", || watch.has_said("about=\"confirm\""));
    let log = watch.stop("TERM").stderr;
    is_clean(&log, &[token]);
    for line in [
        "2026-11-21T10:00:00Z  INFO watching",
        "INFO mail received from=\"alice\" understood=\"say move\" disposition=\"done\" mails=1",
        "disposition=\"mismatch\"",
        "INFO mail received from=\"nobody known\" understood=\"signup\" disposition=\"held\" mails=1",
        "about=\"turn\" to=\"bob\"",
        "INFO stopped",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn what_is_sent_and_what_fails_is_logged() {
    let env = with_maildir();
    // The reason quotes the sender, which has a token, and the recipient.
    let command = r#"['sh', '-c', 'cat >/dev/null; echo "refused: $*" >&2; exit 75', 'x']"#;
    env.configure(&format!("[transport]\nkind = 'sendmail'\ncommand = {command}"));
    env.run("move 1 f5");
    assert!(env.json("mail")["mails"].to_string().contains("refused: "));
    env.later(10);
    let watch = Running::start(logging(&env, "send --watch --log json"));
    until("it has failed", || watch.has_said("mail deferred"));
    let failed = watch.stop("TERM").stderr;
    env.configure("");
    env.later(24 * 60);
    let watch = Running::start(logging(&env, "send --watch --log json"));
    until("it is sent", || watch.has_said("mail sent"));
    let sent = watch.stop("TERM").stderr;
    for log in [&failed, &sent] {
        is_clean(log, &[env.last_mail_to(BOB).token()]);
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            assert!(line["timestamp"].as_str().unwrap().starts_with("2026-11-2"), "{line}");
            assert!(line["level"].is_string() && line["message"].is_string(), "{line}");
        }
    }
    assert!(failed.contains("\"to\":\"bob\"") && failed.contains("refused: "), "{failed}");
    assert!(sent.contains("\"about\":\"turn\""), "{sent}");
}

#[test]
fn one_command_logs_nothing() {
    let env = with_maildir();
    put(&env, "1", &env.last_mail_to(ALICE).reply("f5"));
    for words in ["receive --maildir in", "send", "move 1 d6", "send"] {
        let ran = Running::start(logging(&env, words)).finish();
        assert_eq!((ran.status, &*ran.stderr), (Some(0), ""), "{words}");
    }
    assert!(env.fails(2, "send --log json").contains("--watch"));
    assert!(env.fails(2, "send --watch --log xml").contains("xml"));
}

#[test]
fn the_level_is_one_of_the_environment() {
    let env = with_maildir();
    put(&env, "1", &InboundMessage::new(CAROL, "hello"));
    let mut command = env.command("receive --maildir in --watch");
    command.env("OUTFLANK_LOG", "off");
    let watch = Running::start(command);
    until("it is processed", || !env.path("in/new/1").exists());
    assert_eq!(watch.stop("TERM").stderr, "");
    let mut command = env.command("send --watch");
    command.env("OUTFLANK_LOG", "loud");
    let ran = Running::start(command).finish();
    assert_eq!(ran.status, Some(3));
    assert!(
        ran.stderr.contains("OUTFLANK_LOG=\"loud\" is not a level; use off, error,"),
        "{ran:?}"
    );
}

#[cfg(feature = "web")]
#[test]
fn the_pages_log_requests_without_tokens() {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    let env = TestEnvironment::new().config("[web]\nurl = 'http://127.0.0.1'\npublic = true");
    let env = env.with_game();
    let start = env.last_mail_to(ALICE);
    let link = start.text.split("http://127.0.0.1").nth(1).unwrap();
    let link = link.split_whitespace().next().unwrap().to_owned();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let web = Running::start(logging(&env, &format!("web --listen 127.0.0.1:{port}")));
    until("it listens", || web.has_said("listening"));
    for (method, path) in [
        ("GET", link.as_str()),
        ("GET", "/players"),
        ("GET", &format!("/{}", start.token())),
        ("GET", "/game/1?to=a@example.org"),
        (&start.token().to_uppercase(), "/"),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_to_string(&mut String::new()).unwrap();
    }
    let log = web.stop("TERM").stderr;
    let token = link.rsplit('/').next().unwrap().to_owned();
    is_clean(&log, &[token, start.token()]);
    for line in [
        "request method=\"GET\" page=\"play\" status=200",
        "page=\"players\" status=200",
        "page=\"other\" status=404",
        "page=\"game\" status=200",
        "request method=\"other\" page=\"\" status=",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}
