//! One player over ssh: what was given to ssh is read as that player's command, and as nothing
//! else.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A game of alice (black) and bob, and whatever ssh hands over.
struct Host(tempfile::TempDir);

struct Ran {
    status: i32,
    out: String,
    err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Host {
    fn new() -> Self {
        let host = Self(tempfile::tempdir().unwrap());
        let new = ["new", "othello", "alice@example.org", "bob@example.org"];
        assert!(host.command(&new).status().unwrap().success());
        host
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        command
            .args(words)
            .env_clear()
            .env("HOME", self.0.path())
            .env("OUTFLANK_DB", self.path("outflank.db"))
            .env("OUTFLANK_NOW", "2026-11-21T10:00:00Z")
            .current_dir(self.0.path())
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped());
        command
    }

    /// What sshd runs when this player gives this command to ssh.
    fn ssh(&self, player: &str, given: &str) -> Ran {
        let mut command = self.command(&["ssh", player]);
        command.env("SSH_ORIGINAL_COMMAND", given).output().unwrap().into()
    }

    fn moves(&self) -> String {
        Ran::from(self.command(&["--json", "history", "1"]).output().unwrap()).out
    }

    /// All files that there are.
    fn files(&self) -> Vec<PathBuf> {
        let all = std::fs::read_dir(self.0.path()).unwrap().map(|file| file.unwrap().path());
        let is_log = |path: &PathBuf| path.to_string_lossy().contains(".db-");
        let mut files: Vec<_> = all.filter(|path| !is_log(path)).collect();
        files.sort();
        files
    }
}

#[test]
fn a_player_plays() {
    let host = Host::new();
    let ran = host.ssh("alice", "move 1 f5");
    assert_eq!((ran.status, &*ran.err), (0, ""));
    assert!(ran.out.contains("Last move: 1. alice (black) f5"), "{}", ran.out);
    let ran = host.ssh("bob", "--json show 1");
    assert!(ran.status == 0 || ran.status == 2);
    let ran = host.ssh("bob", "show 1 --json");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.starts_with("{\"game\":1,"), "{}", ran.out);
    let ran = host.ssh("ALICE@example.org", "receipt on");
    assert_eq!((ran.status, &*ran.err), (0, ""));
}

#[test]
fn without_a_command_a_player_sees_the_own_games() {
    let host = Host::new();
    let others = ["new", "mini", "carol@example.org", "dave@example.org"];
    assert!(host.command(&others).status().unwrap().success());
    for given in ["", " ", "\n"] {
        let ran = host.ssh("alice", given);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert!(ran.out.contains("othello") && !ran.out.contains("mini"), "{}", ran.out);
    }
    let unset: Ran = host.command(&["ssh", "alice"]).output().unwrap().into();
    assert!(unset.out.contains("othello") && !unset.out.contains("mini"), "{}", unset.out);
}

#[test]
fn the_exit_status_is_that_of_the_shell() {
    let host = Host::new();
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
        let ran = host.ssh("alice", given);
        assert_eq!(ran.status, status, "{given}: {}{}", ran.out, ran.err);
        assert_eq!(ran.err.lines().count(), usize::from(status != 0), "{given}: {}", ran.err);
    }
    assert_eq!(host.ssh("bob", "move 1 f5").status, 1, "not bob's turn");
    std::fs::write(host.path("outflank.db"), "no database").unwrap();
    std::fs::remove_file(host.path("outflank.db-wal")).ok();
    assert_eq!(host.ssh("alice", "games").status, 3);
}

#[test]
fn help_is_given_where_it_is_asked_for() {
    let host = Host::new();
    for given in ["help", "--help", "-h"] {
        let ran = host.ssh("alice", given);
        assert_eq!((ran.status, &*ran.err), (0, ""), "{given}");
        for command in ["move", "pass", "resign", "games"] {
            assert!(ran.out.contains(&format!("\n  {command} ")), "{given}: {}", ran.out);
        }
        for command in ["new", "backup", "ssh", "receive", "rotate"] {
            assert!(!ran.out.contains(&format!("\n  {command} ")), "{given}: {}", ran.out);
        }
        assert!(!ran.out.contains("--db") && !ran.out.contains("--as "), "{}", ran.out);
    }
    let ran = host.ssh("alice", "move --help");
    assert_eq!((ran.status, &*ran.err), (0, ""));
    assert!(ran.out.contains("MOVE[#PLY]"), "{}", ran.out);
}

#[test]
fn nobody_unknown_comes_in() {
    let host = Host::new();
    for given in ["", "games", "show 1", "players", "move 1 f5", "help"] {
        let ran = host.ssh("mallory", given);
        assert_eq!((ran.status, &*ran.out), (1, ""), "{given}");
        assert!(ran.err.contains("no player `mallory`"), "{}", ran.err);
    }
    let nobody = host.ssh("", "move 1 f5");
    assert_ne!(nobody.status, 0);
    let unnamed = host.command(&["ssh"]).env("SSH_ORIGINAL_COMMAND", "bob").output().unwrap();
    assert_eq!(unnamed.status.code(), Some(2));
}

#[test]
fn a_player_acts_for_nobody_else() {
    let host = Host::new();
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
        let ran = host.ssh("bob", given);
        assert_ne!(ran.status, 0, "{given}");
        assert!(host.moves().contains("\"moves\":[]"), "{given}");
    }
    let mut command = host.command(&["ssh", "bob"]);
    command.env("OUTFLANK_AS", "alice").env("SSH_ORIGINAL_COMMAND", "resign 1");
    let ran: Ran = command.output().unwrap().into();
    assert!(ran.out.contains("bob (white) resigned"), "{}", ran.out);
}

#[test]
fn there_is_no_shell_no_host_and_no_file() {
    let host = Host::new();
    let before = host.files();
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
        let ran = host.ssh("alice", given);
        assert!([0, 1, 2].contains(&ran.status), "{given}: {}", ran.status);
        assert_eq!(ran.status == 0, ran.err.is_empty(), "{given}: {}", ran.err);
        assert!(!ran.err.trim_end().contains(char::is_control), "{given}: {:?}", ran.err);
        assert!(
            given == "games\n" || given.contains('#') || ran.status != 0,
            "{given}: {}",
            ran.out
        );
        assert_eq!(host.files(), before, "{given}");
        assert!(host.moves().contains("\"moves\":[]"), "{given}");
    }
    assert!(!PathBuf::from("/tmp/outflank-x").exists());
}

#[test]
fn quotation_marks_group_words_and_do_nothing_else() {
    let host = Host::new();
    assert_eq!(host.ssh("alice", "'move' \"1\" f5").status, 0);
    assert!(host.moves().contains("f5"));
}
