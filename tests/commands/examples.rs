//! The examples in the help of the shell, typed as they stand there.

use std::fs;
use std::process::Command;

use outflank::cli::program;

use crate::harness::{ALICE, BOB, CAROL, PROGRAM, Running, TestEnvironment, until};

/// The configuration of the club.
const CONFIG: &str = "[web]\nurl = 'https://club.example'";
/// A transport that brings each mail back to the server.
const LOOP: &str = r#"[transport]
kind = 'sendmail'
command = ['sh', '-c', 'cat >mail.eml && outflank receive -- "$3" "$1" "" <mail.eml']"#;

/// A club of alice, who is the user's player, bob and carol, in which games 1 to 11 are taken.
struct Club {
    files: TestEnvironment,
}

impl Club {
    fn new() -> Self {
        let files = TestEnvironment::of_nobody().config(CONFIG);
        for (name, address) in [("alice", ALICE), ("bob", BOB), ("carol", CAROL)] {
            files.ok(&format!("signup {name} {address}"));
            files.ok(&format!("set watchers all --as {name}"));
        }
        files.ok("play --lines --as alice");
        (2..12).for_each(|_| drop(files.ok("new mini bob carol")));
        Self { files }
    }

    /// Returns a copy of the club.
    fn copy(&self) -> TestEnvironment {
        let env = TestEnvironment::of_nobody().config(CONFIG);
        let copy = "cp -a \"$0\"/outflank.db* \"$0\"/outflank.maildir \"$1\"";
        let mut shell = Command::new("sh");
        let copied = shell.args(["-c", copy]).args([self.files.folder(), env.folder()]).status();
        assert!(copied.unwrap().success());
        env
    }
}

/// What the examples of a command need besides the club: commands, and the clock moved on by days. Most of
/// them are about game 12, which alice and bob have begun.
fn needed(word: &str) -> &'static [&'static str] {
    match word {
        "signup" => &["without the club"],
        "accept" | "decline" => &["new othello alice bob", "draw 12 --as bob"],
        "pass" => &["new twente bob alice --size 4x4 --moves a2a3a4a1c1"],
        "plan" => &["new othello bob alice"],
        "takeback" => &["new othello alice bob", "move 12 d3 --as alice"],
        "show" => &["new othello alice bob --moves f5d6c3d3"],
        "rematch" => &["new othello alice bob", "resign 12 --as bob"],
        "analyze" => &["new mini alice bob --moves b1a1c4d4d3b4a4c1d1d2a3a2"],
        "hint" => &["new mini alice bot:novice --moves b1a1c4d4d3b4"],
        "pause" | "extend" => &["new othello alice bob --clock 3d"],
        "unpause" => {
            &["new othello alice bob --clock 3d", "pause 12 --as bob", "accept 12 --as alice"]
        }
        "claim" => &["new othello bob alice --clock 3d", "4 days later"],
        "watch" => &["new othello bob carol"],
        "unwatch" => &["new othello bob carol", "watch 12 --as alice"],
        "unmute" => &["new othello alice bob", "mute 12 --as alice"],
        "doctor" => &["mail that comes back"],
        "unblock" => &["block bob --as alice"],
        "import" => &["games of others"],
        "mail" | "retry" => &["a failed mail"],
        "takeover" => &["new othello alice bob", "handover club --to new.example"],
        "tournament" | "cancel" | "join" => &["tournament new spring othello"],
        "withdraw" => &["tournament new spring othello", "join spring --as alice"],
        "start" => &[
            "tournament new spring othello",
            "join spring --as alice",
            "join spring --as bob",
            "join spring --as carol",
        ],
        "verify" => &["new othello alice bob", "new othello alice bob", "backup --keep 7 backups"],
        _ => &["new othello alice bob"],
    }
}

/// Returns the club with what the examples of a command need.
fn prepared(club: &Club, word: &str) -> TestEnvironment {
    let env = match needed(word) {
        ["without the club"] => return TestEnvironment::of_nobody().config(CONFIG),
        _ => club.copy(),
    };
    let mut folders = Command::new("mkdir");
    let folders = env.seal(&mut folders).args([
        "-p",
        "backups/outflank",
        "Mail/outflank/new",
        "Mail/outflank/cur",
    ]);
    let folders = folders.args(["Mail/outflank/tmp", ".config/fish/completions"]);
    assert!(folders.status().unwrap().success());
    for line in needed(word) {
        match *line {
            "4 days later" => env.later(4 * 24 * 60),
            "games of others" => {
                fs::write(env.path("games.pgn"), "1. f5 d6 1-0\n").unwrap();
                let header = [&[0, 0, 0, 0, 1][..], &[0; 11]].concat();
                let game = [&[0, 0, 0, 0, 0, 0, 40, 40, 56, 64][..], &[0; 58]].concat();
                fs::write(env.path("WTH_2009.wtb"), [&header[..], &game].concat()).unwrap();
                fs::write(env.path("WTHOR.JOU"), [0; 36]).unwrap();
                fs::write(env.path("game.eml"), include_str!("../portable/first-version.txt"))
                    .unwrap();
                fs::write(env.path("clubs.txt"), format!("{} Another club\n", "0123".repeat(16)))
                    .unwrap();
            }
            "mail that comes back" => env.configure(&format!("{CONFIG}\n{LOOP}")),
            "a failed mail" => {
                env.sqlite()
                    .execute("UPDATE outbox SET state = 'failed' WHERE id = 7", [])
                    .unwrap();
            }
            line => drop(env.run(line)),
        }
    }
    fs::copy(env.config_file(), env.path("outflank.toml")).unwrap();
    env
}

/// Returns the commands of the shell at the end of a help.
fn examples(help: &str) -> Vec<&str> {
    let Some((_, examples)) = help.split_once("\nExample") else { return Vec::new() };
    // The help of the program goes on behind its example.
    let (examples, _) = examples.split_once("\n\n").unwrap_or((examples, ""));
    let lines = examples.lines().filter_map(|line| Some(&line[line.find("outflank ")?..]));
    // One is a line of sshd's `authorized_keys`.
    lines.map(|it| it.split("\",restrict").next().unwrap_or(it)).collect()
}

/// Types an example, and stops it if it runs until it is stopped. Returns what went wrong.
fn typed(env: &TestEnvironment, example: &str) -> Option<String> {
    // Folders and ports of the machine are those of the test.
    let folder = format!("{}/", env.folder().display());
    let line = example.replace("/etc/", &folder).replace("/var/", &folder).replace(":8080", ":0");
    let program = Some(env.path("outflank")).filter(|copy| copy.is_file());
    let program = program.unwrap_or_else(|| PROGRAM.into());
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let mut command = Command::new("sh");
    env.seal(&mut command).args(["-c", &format!("exec {line}")]);
    command.env("PATH", path).env("OUTFLANK_LOG", "info");
    let mut running = Running::start(command);
    until(example, || running.has_said(" INFO ") || running.has_ended());
    let run = if running.has_ended() { running.finish() } else { running.stop("TERM") };
    (run.status != Some(0)).then(|| format!("{example}: {run:?}"))
}

/// Types the examples of a command and of those below it. Returns the outcome of each.
fn type_examples(club: &Club, words: &str, command: &clap::Command) -> Vec<Option<String>> {
    let help = club.files.ok(&format!("{words} --help"));
    let examples = examples(&help);
    let mut outcomes = Vec::new();
    if !examples.is_empty() {
        let env = prepared(club, command.get_name());
        outcomes.extend(examples.iter().map(|example| typed(&env, example)));
    }
    for below in command.get_subcommands() {
        outcomes.extend(type_examples(club, &format!("{words} {}", below.get_name()), below));
    }
    outcomes
}

#[test]
fn every_example_works_when_it_is_typed() {
    let outcomes = type_examples(&Club::new(), "", &program());
    assert!(outcomes.len() > 50, "{}", outcomes.len());
    let wrong: Vec<_> = outcomes.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
