//! `doctor`: its findings and its advice; it changes nothing.

mod answers;
mod club;
mod installation;
mod replica;

use std::fs;

use serde_json::Value;

use crate::harness::{Run, TestEnvironment};

/// A line of `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub check: String,
    pub outcome: String,
    /// The finding and the advice.
    pub text: String,
}

/// Returns an environment where every check is ok.
pub fn healthy() -> TestEnvironment {
    let env = TestEnvironment::new();
    configure(&env, "club.test", "kind = 'maildir'\npath = 'PATH'", "[receive]");
    env.ok("new othello alice@example.org bob@example.org");
    env.ok("send");
    env
}

/// Replaces the configuration. `PATH` in the transport stands for the usual Maildir.
pub fn configure(env: &TestEnvironment, domain: &str, transport: &str, receive: &str) {
    let maildir = env.path("outflank.maildir");
    let transport = transport.replace("PATH", maildir.to_str().unwrap());
    let from = format!("[mail]\nfrom = 'outflank@{domain}'");
    env.write_config(&format!("{from}\n[transport]\n{transport}\n{receive}\n"));
}

/// Parses the output of `doctor --json`. Its exit status must match the worst line.
#[track_caller]
pub fn parsed(run: Run) -> Vec<Line> {
    assert_eq!(run.stderr, "", "{run:?}");
    let json: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines: Vec<_> = json["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| Line {
            check: text(&line["check"]),
            outcome: text(&line["outcome"]),
            text: format!("{}; {}", text(&line["found"]), text(&line["do"])),
        })
        .collect();
    let has = |outcome: &str| lines.iter().any(|line| line.outcome == outcome);
    let (worst, status) = match (has("wrong"), has("warning")) {
        (true, _) => ("wrong", 3),
        (false, true) => ("warning", 1),
        (false, false) => ("ok", 0),
    };
    assert_eq!((json["outcome"].as_str(), run.status), (Some(worst), Some(status)), "{lines:#?}");
    lines
}

/// Runs `doctor` and returns its lines.
#[track_caller]
pub fn examine(env: &TestEnvironment) -> Vec<Line> {
    parsed(env.run("--json doctor"))
}

/// Checks that a check has this outcome, and returns its lines with this outcome.
#[track_caller]
pub fn finds(env: &TestEnvironment, check: &str, outcome: &str) -> String {
    let lines = examine(env);
    let of_check: Vec<_> = lines.iter().filter(|line| line.check == check).collect();
    let rank = |outcome: &str| ["ok", "warning", "wrong"].iter().position(|it| *it == outcome);
    let worst = of_check.iter().max_by_key(|line| rank(&line.outcome));
    let worst = worst.unwrap_or_else(|| panic!("no {check}: {lines:#?}"));
    assert_eq!(worst.outcome, outcome, "{of_check:#?}");
    let such = of_check.iter().filter(|line| line.outcome == outcome);
    such.map(|line| line.text.clone()).collect::<Vec<_>>().join("\n")
}

/// Returns the contents of all files, with those of SQLite's log.
fn contents(env: &TestEnvironment) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(env.folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && !path.to_str().unwrap().ends_with("-shm"))
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}
