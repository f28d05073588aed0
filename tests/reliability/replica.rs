//! A database that Litestream copies.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use similar_asserts::assert_eq;

use crate::harness::{TestEnvironment, skipped, until};

/// The settings of a club that has a replica.
const REPLICA: &str = "[host]\nreplica = 'litestream.yml'";

/// Returns the outcome of the check of the replica and what it found, if `doctor` has this check. `programs` is
/// the folder of Litestream.
fn checked(env: &TestEnvironment, programs: &str) -> Option<(String, String)> {
    let output = env.command("--json doctor").env("PATH", programs).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = json["checks"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = checks.into_iter().find(|it| it["check"] == "replica")?;
    Some((text(&found["outcome"]), text(&found["found"])))
}

fn log_bytes(env: &TestEnvironment) -> u64 {
    fs::metadata(env.path("outflank.db-wal")).map_or(0, |log| log.len())
}

#[test]
fn checkpoints_are_left_to_litestream() {
    let env = TestEnvironment::new().with_game();
    env.ok("send");
    assert_eq!(log_bytes(&env), 0);
    env.configure(REPLICA);
    env.ok("send");
    // Processes without a configuration know it, too.
    env.write_config("");
    let database = fs::read(env.database()).unwrap();
    for number in 0..40 {
        env.ok(&format!("signup player{number} player{number}@example.org"));
    }
    env.ok("send");
    assert!(log_bytes(&env) > 100 * 4096, "{}", log_bytes(&env));
    assert!(fs::read(env.database()).unwrap() == database, "a checkpoint was done");
    // A log that grows on is emptied.
    let log = OpenOptions::new().write(true).open(env.path("outflank.db-wal")).unwrap();
    log.set_len(65 << 20).unwrap();
    let (outcome, found) = checked(&env, "").unwrap();
    assert_eq!(outcome, "wrong");
    assert!(found.contains("Litestream seems to be stopped: the log has 65 MB"), "{found}");
    env.ok("send");
    assert_eq!(log_bytes(&env), 0);
    assert!(env.ok("verify").contains("Nothing is wrong"));
    // The host has ended the replica.
    env.configure("");
    env.ok("send");
    env.ok("signup last last@example.org");
    env.ok("send");
    assert_eq!((log_bytes(&env), checked(&env, "")), (0, None));
}

#[test]
fn doctor_asks_litestream_for_its_newest_file() {
    let env = TestEnvironment::new().config(REPLICA).with_game();
    env.ok("send");
    let folder = env.folder().to_str().unwrap().to_owned();
    let (outcome, found) = checked(&env, &folder).unwrap();
    assert_eq!(outcome, "warning");
    assert!(found.contains("Litestream cannot be asked: "), "{found}");
    for (answer, outcome, text) in [
        ("echo '[{\"timestamp\":\"2099-01-01T00:00:00Z\"}]'", "ok", "its newest file is from"),
        (
            "echo '[{\"timestamp\":\"2020-01-02T00:00:00Z\"},{\"timestamp\":\"2020-01-01T00:00:00Z\"}]'",
            "warning",
            "the database has changed",
        ),
        ("echo null", "wrong", "the replica has no files yet"),
        (
            "echo 'no such file: x.yml' >&2; exit 1",
            "warning",
            "cannot be asked: no such file: x.yml",
        ),
        ("echo nonsense", "warning", "Litestream cannot be asked"),
    ] {
        let program = env.path("litestream");
        let script = format!("#!/bin/sh\necho \"$*\" > asked\n{answer}\n");
        fs::write(env.path("new"), script).unwrap();
        fs::set_permissions(env.path("new"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(env.path("new"), program).unwrap();
        let (found_outcome, found) = checked(&env, &folder).unwrap();
        assert_eq!(found_outcome, outcome, "{found}");
        assert!(found.contains(text), "{found}");
        let asked = fs::read_to_string(env.path("asked")).unwrap();
        let database = env.database().canonicalize().unwrap();
        let expected =
            format!("ltx -level all -json -config litestream.yml {}\n", database.display());
        assert_eq!(asked, expected);
    }
}

/// Returns Litestream, if it is there.
fn litestream() -> Option<PathBuf> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/litestream/bin");
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = [own].into_iter().chain(std::env::split_paths(&folders)).collect();
    folders.into_iter().map(|folder| folder.join("litestream")).find(|program| program.is_file())
}

/// A process that is killed at the end of the test.
struct Replicating(Child);

impl Drop for Replicating {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_club_is_restored_from_its_replica() {
    let Some(program) = litestream() else {
        return skipped("a_club_is_restored_from_its_replica", "litestream is not installed");
    };
    let env = TestEnvironment::new().with_ticking_clock().config(REPLICA).with_game();
    env.ok("send");
    let (database, folder) = (env.database(), env.path("copy"));
    let settings = format!(
        "dbs:\n  - path: {}\n    replica:\n      path: {}\n",
        database.display(),
        folder.display()
    );
    fs::write(env.path("litestream.yml"), settings).unwrap();
    let run = |words: &[&str]| {
        let mut command = Command::new(&program);
        let log = File::options().create(true).append(true).open(env.path("log")).unwrap();
        command.args(words).current_dir(env.folder()).stdin(Stdio::null());
        command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
    };
    let replicating = Replicating(run(&["replicate", "-config", "litestream.yml"]));
    for mv in ["f5", "d6", "c3", "d3", "c4"] {
        env.ok(&format!("move 1 {mv}"));
        env.ok("send");
    }
    let restored = env.path("restored.db");
    until("the replica has all moves", || {
        let _ = fs::remove_file(&restored);
        let words = ["restore", "-config", "litestream.yml", "-o", "restored.db"];
        let words = [&words[..], &[database.to_str().unwrap()]].concat();
        run(&words).wait().unwrap().success()
            && env.run("--db restored.db --json show 1").stdout.contains("\"ply\":5")
    });
    drop(replicating);
    let programs = program.parent().unwrap().to_str().unwrap();
    assert_eq!(checked(&env, programs).unwrap().0, "ok");
    assert!(env.ok("verify").contains("Nothing is wrong"), "its tables are known");
    assert!(env.ok("--db restored.db verify").contains("Nothing is wrong"));
    env.ok("--db restored.db move 1 f4");
}
