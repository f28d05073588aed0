//! A database belongs to one club: a process without its configuration leaves its mail alone.

use std::fs;
use std::process::Command;

use crate::harness::{ALICE, BOB, Run, SERVER, TestEnvironment, run, until};

/// Runs a command without a configuration, as a line of `authorized_keys` that names none does.
fn without(env: &TestEnvironment, words: &str) -> Run {
    run(bare(env, words))
}

fn bare(env: &TestEnvironment, words: &str) -> Command {
    let mut command = env.command(words);
    command.env("XDG_CONFIG_HOME", env.path("nothing"));
    command
}

/// Returns a club with game 1; its first `send` has recorded its configuration.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new().with_game();
    env.ok("send");
    env
}

#[test]
fn a_process_without_the_configuration_leaves_the_mail_to_send() {
    let env = club();
    let mut ssh = bare(&env, "ssh alice");
    ssh.env("SSH_ORIGINAL_COMMAND", "move 1 f5");
    assert!(run(ssh).ok().ends_with("\nbob will be mailed.\n"));
    let said = without(&env, "move 1 d6").ok();
    assert!(said.ends_with("\nalice will be mailed by the club's `outflank send`.\n"), "{said}");
    let said = without(&env, &format!("new mini {ALICE} {BOB}")).ok();
    assert!(!said.contains("Mail goes to"), "{said}");
    let json = without(&env, "--json move 1 c3");
    assert!(json.status == Some(0) && json.stderr.contains("mail waits for"), "{json:?}");
    env.no_mail();
    for words in ["send", "send --watch", "mail retry 5", "doctor --mail dora@example.net"] {
        let run = without(&env, words);
        let line = run.failed(3);
        assert!(line.contains("the configuration of the club; give its file"), "{words}: {line}");
    }
    let tried = "SELECT coalesce(sum(tries), 0) FROM outbox WHERE state = 'queued'";
    assert_eq!(env.sqlite().query_row(tried, [], |row| row.get::<_, i64>(0)), Ok(0));
    env.no_mail();
    env.ok("send");
    // The newest turn mail of game 1 supersedes the older ones.
    let to: Vec<_> = env.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(to, [ALICE, BOB, BOB]);
}

#[test]
fn each_part_of_the_configuration_counts_and_nothing_else() {
    let env = TestEnvironment::new().with_game();
    let transport = "kind = 'smtp'\nhost = 'mx.example.org'";
    let parts = [
        ("from", format!("[mail]\nfrom = '{SERVER}'")),
        ("[transport]", format!("[transport]\n{transport}")),
        ("[receive]", "[receive]".to_owned()),
        ("[web] url", "[web]\nurl = 'https://club.example'".to_owned()),
    ];
    let with = |changes: &[(&str, &str)]| {
        let text = parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
        changes.iter().fold(text, |text, (from, to)| text.replace(from, to))
    };
    env.write_config(&with(&[]));
    env.ok("send");
    let send = |config: &str| {
        fs::write(env.path("other.toml"), config).unwrap();
        env.run("--config other.toml send")
    };
    for (name, text) in &parts {
        let line = send(&with(&[(text, "")])).failed(3).to_owned();
        let differs =
            format!("other.toml is not the configuration of this club: it differs in {name};");
        assert!(line.contains(&differs) && line.ends_with("`outflank mail adopt`"), "{line}");
    }
    for (from, to) in [
        ("@club", "@clubs"),
        ("mx.", "mail."),
        (transport, "kind = 'sendmail'"),
        (transport, "kind = 'maildir'\npath = 'mails'"),
        ("[receive]", "[receive]\nplus_addressing = false"),
        ("[receive]", "[receive]\ntoken_only = true"),
        ("[receive]", "[receive]\nauthserv_id = 'mx'"),
        ("https:", "http:"),
    ] {
        let line = send(&with(&[(from, to)])).failed(3).to_owned();
        assert!(line.contains("it differs in "), "{to}: {line}");
    }
    let line = send(&with(&[("@club", "@clubs"), ("https:", "http:")])).failed(3).to_owned();
    assert!(line.contains("it differs in from and [web] url;"), "{line}");
    send(&with(&[
        ("mx.example.org'", "MX.example.org'\nport = 26\nuser = 'o'\npassword = 'x'"),
        ("[receive]", "[receive]\nquarantine = 'bad'\nquarantine_mb = 7"),
        ("[web]", "[games]\naway_days_per_year = 9\n[web]\npublic = true"),
    ]))
    .ok();
}

#[test]
fn adopt_makes_another_configuration_the_clubs() {
    let env = club();
    fs::write(env.path("new.toml"), "[mail]\nfrom = 'new@club.example'\n[receive]").unwrap();
    let watch = env.start("send --watch");
    // Without a file, `adopt` is refused.
    let nothing = without(&env, "mail adopt");
    assert!(nothing.failed(1).contains("give its file with --config"), "{nothing:?}");
    assert_eq!(
        env.ok("--config new.toml mail adopt"),
        "new.toml is the configuration of the club from now on, with its own from. Start services \
         that run again.\n"
    );
    until("the watch says so", || watch.has_said("it differs in from; give the club's"));
    env.ok("--config new.toml move 1 f5");
    assert_eq!(env.mail_to(BOB).header("From"), "new@club.example");
    assert!(env.ok("move 1 d6").ends_with("alice will be mailed by the club's `outflank send`.\n"));
    watch.stop("TERM");
    env.no_mail();
    env.fails(3, "send");
    env.ok("--config new.toml send");
    env.mail_to(ALICE);
    assert_eq!(env.json("--config new.toml mail adopt")["adopted"], serde_json::json!([]));
    assert_eq!(env.json("mail adopt")["adopted"], serde_json::json!(["from"]));
}

#[test]
fn incoming_mail_with_another_configuration_is_answered_by_send() {
    let env = club();
    for part in ["new", "cur", "tmp"] {
        fs::create_dir_all(env.path("in").join(part)).unwrap();
    }
    let reply = env.last_mail_to(ALICE).reply("f5").bytes();
    fs::write(env.path("in/new/1.host"), reply).unwrap();
    fs::write(env.path("other.toml"), format!("[mail]\nfrom = 'Club <{SERVER}>'\n[receive]"))
        .unwrap();
    let received = env.run("--config other.toml receive --maildir in");
    assert_eq!((received.status, env.plies(1)), (Some(0), 1), "{received:?}");
    env.no_mail();
    env.ok("send");
    env.mail_to(BOB);
}

#[test]
fn without_a_configuration_there_is_no_club_to_record() {
    let env = TestEnvironment::new();
    without(&env, &format!("new mini {ALICE} {BOB}")).ok();
    without(&env, "send").ok();
    assert!(without(&env, "move 1 a2").ok().ends_with("\nbob was mailed.\n"));
    // The first `send` with a configuration records it.
    env.ok("send");
    without(&env, "send").failed(3);
}
