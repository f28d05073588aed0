//! Commands over ssh: they run as one player's commands and never reach a shell.

use std::path::Path;

use crate::harness::{Run, TestEnvironment, run};

impl TestEnvironment {
    /// Runs a player's ssh command as sshd does.
    pub fn ssh(&self, player: &str, given: &str) -> Run {
        let mut command = self.command_of(&["ssh", player]);
        command.env("SSH_ORIGINAL_COMMAND", given);
        run(command)
    }
}

#[test]
fn a_player_can_play_over_ssh() {
    let env = TestEnvironment::new().with_game();
    let stdout = env.ssh("alice", "move 1 f5").ok();
    assert!(stdout.contains("Last move: 1. alice (black) f5"), "{stdout}");
    assert_eq!(env.ssh("bob", "--json show 1").status, Some(0));
    assert_eq!(env.ssh("bob", "show 1 --json").json()["game"], 1);
    env.ssh("ALICE@example.org", "receipt on").ok();
}

#[test]
fn without_a_command_players_see_their_own_games() {
    let env = TestEnvironment::new().with_game();
    env.ok("new mini carol@example.org dave@example.org");
    let unset = env.ok("ssh alice");
    for stdout in
        ["", " ", "\n"].map(|given| env.ssh("alice", given).ok()).into_iter().chain([unset])
    {
        assert!(stdout.contains("  Othello") && !stdout.contains("Mini"), "{stdout}");
    }
}

#[test]
fn exit_statuses_are_those_of_the_shell() {
    let env = TestEnvironment::new().with_game();
    for (given, status) in [
        ("games", 0),
        ("help", 0),
        ("help move", 0),
        ("move 1 a1", 1),
        ("move 99 d3", 1),
        ("move 1 zz!", 1),
        ("move", 2),
        ("nonsense", 2),
        ("show 1 --nonsense", 2),
        ("show \"1", 2),
    ] {
        let ran = env.ssh("alice", given);
        assert_eq!(ran.status, Some(status), "{given}: {ran:?}");
        assert_eq!(ran.stderr.lines().count(), usize::from(status != 0), "{given}: {}", ran.stderr);
    }
    assert_eq!(env.ssh("bob", "move 1 f5").status, Some(1), "not bob's turn");
    std::fs::write(env.database(), "no database").unwrap();
    std::fs::remove_file(env.path("outflank.db-wal")).ok();
    assert_eq!(env.ssh("alice", "games").status, Some(3));
}

#[test]
fn help_lists_player_commands_only() {
    let env = TestEnvironment::new().with_game();
    for given in ["help", "--help", "-h"] {
        let stdout = env.ssh("alice", given).ok();
        for command in ["move", "pass", "resign", "games"] {
            assert!(stdout.contains(&format!("\n  {command} ")), "{given}: {stdout}");
        }
        for command in ["new", "backup", "ssh", "receive", "rotate"] {
            assert!(!stdout.contains(&format!("\n  {command} ")), "{given}: {stdout}");
        }
        assert!(!stdout.contains("--db") && !stdout.contains("--as "), "{stdout}");
    }
    assert!(env.ssh("alice", "move --help").ok().contains("MOVE[#PLY]"));
}

#[test]
fn unknown_players_are_refused() {
    let env = TestEnvironment::new().with_game();
    for given in ["", "games", "show 1", "players", "move 1 f5", "help"] {
        let ran = env.ssh("mallory", given);
        let line = ran.failed(1);
        assert!(line.contains("no player") && line.contains("mallory"), "{given}: {line}");
    }
    assert_ne!(env.ssh("", "move 1 f5").status, Some(0));
    let mut unnamed = env.command("ssh");
    unnamed.env("SSH_ORIGINAL_COMMAND", "bob");
    assert_eq!(run(unnamed).status, Some(2));
}

#[test]
fn a_player_cannot_act_for_another_player() {
    let env = TestEnvironment::new().with_game();
    for given in [
        "move 1 f5 --as alice",
        "--as alice move 1 f5",
        "--as=alice move 1 f5",
        "OUTFLANK_AS=alice move 1 f5",
        "env OUTFLANK_AS=alice outflank move 1 f5",
        "outflank move 1 f5",
        "ssh alice",
        "move 1 f5",
    ] {
        let ran = env.ssh("bob", given);
        assert_ne!(ran.status, Some(0), "{given}");
        assert!(env.moves(1).is_empty(), "{given}");
    }
    let mut command = env.command("ssh bob");
    command.env("OUTFLANK_AS", "alice").env("SSH_ORIGINAL_COMMAND", "resign 1");
    assert!(run(command).ok().contains("bob (white) resigned"));
}

#[test]
fn there_is_no_shell_no_host_command_and_no_file_access() {
    let env = TestEnvironment::new().with_game();
    let before = env.files();
    for given in [
        "show 1; rm outflank.db",
        "show 1 && rm outflank.db",
        "show 1 | tee x",
        "games > x",
        "games >x",
        "games\nbackup x",
        "games\n",
        "show 1\nmove 1 f5",
        "$(backup x)",
        "show $(touch x)",
        "show `touch x`",
        "show '1; touch x'",
        "show \"1\" \"$(touch x)\"",
        "show 1 \\; touch x",
        "show 1 # \n backup x",
        "--db x games",
        "games --db x",
        "--db=x games",
        "--config x games",
        "show 1 --config=/etc/passwd",
        "backup x",
        "backup /tmp/outflank-x",
        "new mini alice bob",
        "signup x x@example.org",
        "address alice x@example.org",
        "rotate bob",
        "send",
        "send --watch",
        "mail",
        "mail retry 1",
        "inbox",
        "receive",
        "receive --maildir .",
        "@x",
        "./x",
        "/bin/sh",
        "sh -c 'touch x'",
        "games /etc/passwd",
        "games ../../x",
        "help ../x",
        "help backup",
        "-",
        "--",
        "-- backup x",
        "''",
        "\u{1b}[31m",
        "scp -t x",
        "internal-sftp",
    ] {
        let ran = env.ssh("alice", given);
        assert!(matches!(ran.status, Some(0..=2)), "{given}: {ran:?}");
        assert_eq!(ran.status == Some(0), ran.stderr.is_empty(), "{given}: {}", ran.stderr);
        assert!(!ran.stderr.trim_end().contains(char::is_control), "{given}: {:?}", ran.stderr);
        let may_succeed = given == "games\n" || given.contains('#');
        assert!(may_succeed || ran.status != Some(0), "{given}: {ran:?}");
        assert_eq!(env.files(), before, "{given}");
        assert!(env.moves(1).is_empty(), "{given}");
    }
    assert!(!Path::new("/tmp/outflank-x").exists());
}

#[test]
fn quotation_marks_only_group_words() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.ssh("alice", "'move' \"1\" f5").status, Some(0));
    assert!(env.moves(1) == ["f5"]);
}
