//! Refusals before a command runs, and quoted input in messages.

use crate::harness::{ALICE, InboundMessage, TestEnvironment, run};

/// Commands of all kinds with their arguments.
const COMMANDS: [&str; 11] = [
    "move 1 f5",
    "pass 1",
    "resign 1",
    "show 1",
    "history 1",
    "games",
    "players",
    "subscribe 1",
    "unsubscribe 1",
    "receipt on",
    "help",
];

/// Commands of the host with their arguments.
const HOST_COMMANDS: [&str; 11] = [
    "new mini alice bob",
    "signup carol carol@example.org",
    "address alice a@example.org",
    "rotate alice",
    "annul 1",
    "send",
    "send --watch",
    "inbox",
    "mail",
    "mail retry 1",
    "backup copy.db",
];

#[test]
fn an_unknown_actor_is_refused_by_every_command_of_players() {
    let env = TestEnvironment::new().with_game();
    let before = env.files();
    for words in COMMANDS {
        for actor in ["nobody", "nobody@example.org", "''"] {
            let line = env.fails(1, &format!("--as {actor} {words}"));
            assert!(line.contains("there is no player"), "{words}: {line}");
            assert!(line.ends_with("leave out --as, and unset OUTFLANK_AS, to act as the host"));
        }
        let mut command = env.command(words);
        command.env("OUTFLANK_AS", "nobody");
        assert!(run(command).failed(1).contains("there is no player \"nobody\""), "{words}");
        assert!(env.fails(1, &format!("{words} --as alcie")).ends_with("did you mean alice?"));
    }
    assert_eq!(env.files(), before);
}

#[test]
fn the_hosts_commands_act_for_no_player() {
    let env = TestEnvironment::new().with_game();
    let before = env.files();
    for words in HOST_COMMANDS {
        let line = env.fails(2, &format!("--as alice {words}"));
        assert_eq!(line, "outflank: a command of the host acts for no player: leave out --as");
    }
    assert_eq!(env.files(), before);
    let mut command = env.command("annul 1");
    command.env("OUTFLANK_AS", "nobody");
    run(command).ok();
}

#[test]
fn commands_that_create_nothing_refuse_a_missing_database_that_db_names() {
    let env = TestEnvironment::new();
    let reading = ["games", "games --all", "players", "show 1", "history 1", "mail", "inbox"];
    for words in reading {
        let line = env.fails(1, &format!("--db typo.db {words}"));
        assert!(
            line.contains("there is no database") && line.contains("typo.db; check --db"),
            "{line}"
        );
        let (error, _) = env.run(&format!("--json --db typo.db {words}")).failed_in_json(1);
        assert!(error.starts_with("there is no database"), "{error}");
    }
    assert!(!env.path("typo.db").exists());
    // The default database and the one in OUTFLANK_DB count as empty until they are created.
    assert!(env.ok("games").starts_with("No active games."));
    let mut command = env.command("games");
    command.env_remove("OUTFLANK_DB");
    assert!(run(command).ok().starts_with("No active games."));
    env.ok("--db typo.db signup alice alice@example.org");
    assert!(env.ok("--db typo.db players").contains("alice"));
}

/// Texts that could deceive a reader.
const TRICKS: [&str; 6] = [
    "a\u{202e}b",
    "\u{1b}[2Jx",
    "x\u{2066}y",
    "x\u{200b}\u{feff}",
    "x\u{2028}y",
    "x\u{600}\u{fff9}y",
];

#[test]
fn no_message_shows_control_or_format_characters() {
    let env = TestEnvironment::new().with_game();
    for trick in TRICKS {
        for words in [
            vec![trick],
            vec!["help", trick],
            vec!["move", trick, "d3"],
            vec!["move", "1", trick],
            vec!["move", "1", &format!("d3#{trick}")],
            vec!["show", "1", trick],
            vec!["show", "1", &format!("--{trick}")],
            vec!["games", trick],
            vec!["games", &format!("{trick}@x.org")],
            vec!["--as", trick, "games"],
            vec!["--db", trick, "games"],
            vec!["--config", trick, "games"],
            vec!["--color", trick, "games"],
            vec!["new", trick, "alice", "bob"],
            vec!["new", "othello", trick, "bob"],
            vec!["new", "othello", "alice", "bob", "--size", trick],
            vec!["new", "othello", "alice", "bob", "--position", trick],
            vec![
                "new",
                "othello",
                "alice",
                "bob",
                "--position",
                &format!("({trick} {trick} {trick})"),
            ],
            vec!["new", "oddthello", "alice", "bob", "--position", "(b b)", "--frame", trick],
            vec!["new", "othello", "alice", "bob", "--moves", trick],
            vec!["new", "othello", "alice", "bob", "--pass", trick],
            vec!["signup", trick, "x@example.org"],
            vec!["signup", "x", trick],
            vec!["mail", "retry", trick],
            vec!["receive", "--maildir", trick],
        ] {
            let json = [&["--json"], &*words].concat();
            for words in [words, json] {
                let ran = run(env.command_of(&words));
                assert!(matches!(ran.status, Some(1..=3)), "{words:?}: {ran:?}");
                let is_bad = |c: char| c.is_control() || trick.contains(c) && !c.is_ascii();
                assert!(!ran.stderr.trim_end().contains(is_bad), "{words:?}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn long_arguments_are_cut_to_60_characters() {
    let env = TestEnvironment::new().with_game();
    let long = "x".repeat(200);
    for words in [
        vec![&*long],
        vec!["help", &long],
        vec!["move", "1", &long],
        vec!["move", &long, "d3"],
        vec!["move", "1", &format!("d3#{long}")],
        vec!["show", "1", &format!("--{long}")],
        vec!["show", "1", &long],
        vec!["games", &long],
        vec!["--color", &long, "games"],
        vec!["new", &long, "alice", "bob"],
        vec!["new", "othello", "alice", "bob", "--position", &long],
        vec!["new", "othello", "alice", "bob", "--size", &long],
        vec!["signup", &long, "x@example.org"],
        vec!["signup", "x", &long],
        vec!["mail", "retry", &long],
    ] {
        let ran = run(env.command_of(&words));
        assert!(!ran.stderr.contains(&"x".repeat(61)), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(&"x".repeat(55)), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains('\u{2026}'), "{words:?}: {}", ran.stderr);
    }
}

#[test]
fn mails_escape_and_cut_quoted_input() {
    let env = TestEnvironment::new().config("[receive]\ntoken_only = true").with_game();
    let to = env.last_mail_to(ALICE).reply_to();
    for words in
        [format!("move 1 {}", "x".repeat(200)), "show 12#\u{600}\u{202e}\u{fff9}x".to_owned()]
    {
        env.later(60);
        env.receive(&InboundMessage::new(ALICE, &words).to(&to));
        let reply = env.last_mail_to(ALICE);
        reply.says("was not done:");
        let is_bad = |c: char| "\u{600}\u{202e}\u{fff9}".contains(c);
        assert!(!reply.text.contains(is_bad), "{}", reply.text);
        assert!(!reply.text.contains(&"x".repeat(61)), "{}", reply.text);
    }
}

#[test]
fn an_own_offer_is_not_accepted_but_withdrawn() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(
        env.fails(1, "--as bob accept 1"),
        "outflank: no offer is open in game 1; see `outflank show 1`"
    );
    assert_eq!(
        env.fails(1, "--as bob decline 1"),
        "outflank: no offer is open in game 1; `outflank abort 1` ends a game in which you have not moved"
    );
    env.ok("--as alice draw 1");
    assert_eq!(
        env.fails(1, "--as alice accept 1"),
        "outflank: the offer of a draw in game 1 is your own; `outflank decline 1` withdraws it"
    );
    env.ok("--as alice decline 1");
    env.ok("--as alice draw 1");
    env.ok("--as bob decline 1");
    let log = env.ok("log 1");
    for what in [
        "alice (black)  makes an offer of a draw",
        "alice (black)  withdraws the offer of a draw",
        "bob (white)    declines the offer of a draw",
    ] {
        assert!(log.contains(what), "{log}");
    }
}
