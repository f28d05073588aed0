//! The replica of the database: what Litestream says of it.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use super::{examine, finds, healthy, parsed};
use crate::harness::{TestEnvironment, run};

/// Returns a healthy club whose database knows that it has a replica.
fn replicated() -> TestEnvironment {
    let env = healthy();
    let config = fs::read_to_string(env.config_file()).unwrap();
    env.write_config(&format!("{config}[host]\nreplica = '/etc/litestream.yml'\n"));
    env
}

/// Returns the outcome and the text of the line about the replica, when Litestream does this.
fn found(env: &TestEnvironment, litestream: &str) -> (String, String) {
    let program = env.path("litestream");
    fs::write(&program, format!("#!/bin/sh\n{litestream}\n")).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let mut command = env.command("--json doctor");
    command.env("PATH", format!("{}:/usr/bin:/bin", env.folder().display()));
    let lines = parsed(run(command)).into_iter();
    let mut lines = lines.filter(|line| line.check == "replica");
    let line = lines.next().unwrap();
    assert_eq!(lines.next(), None);
    (line.outcome, line.text)
}

#[test]
fn the_newest_file_is_compared_with_the_last_change() {
    let env = replicated();
    env.ok("send");
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    for file in ["outflank.db", "outflank.db-wal"] {
        File::options().write(true).open(env.path(file)).unwrap().set_modified(changed).unwrap();
    }
    let listed = |times: &[&str]| {
        let files = times.iter().map(|time| format!("{{\"timestamp\":\"{time}\"}}"));
        format!("echo '[{}]'; echo \"$@\" >asked", files.collect::<Vec<_>>().join(","))
    };
    // The time of the change is 2026-09-21T14:13:20Z.
    let times = ["2026-09-21T14:08:20Z", "2026-09-20T00:00:00Z"];
    assert_eq!(found(&env, &listed(&times)).0, "ok");
    let database = env.database().canonicalize().unwrap();
    let asked =
        format!("ltx -level all -json -config /etc/litestream.yml {}\n", database.display());
    assert_eq!(fs::read_to_string(env.path("asked")).unwrap(), asked);
    let (outcome, text) = found(&env, &listed(&["2026-09-21T14:08:19Z"]));
    assert_eq!(outcome, "warning");
    assert!(
        text.contains("the database has changed 5 minutes 1 s later; start Litestream"),
        "{text}"
    );
}

#[test]
fn litestream_that_cannot_answer_is_reported() {
    let env = replicated();
    assert!(
        finds(&env, "replica", "warning").contains("does not know yet that it has a replica; run")
    );
    env.ok("send");
    for (litestream, outcome, words) in [
        ("echo null", "wrong", "the replica has no files"),
        (
            "echo 'Error: no such file' >&2; exit 1",
            "warning",
            "asked: Error: no such file; run `litestream ltx -config",
        ),
        ("exit 1", "warning", "asked: it failed"),
        ("echo nonsense", "warning", "Litestream cannot be asked: expected"),
    ] {
        let (found, text) = found(&env, litestream);
        assert_eq!(found, outcome);
        assert!(text.contains(words), "{text}");
    }
    fs::remove_file(env.path("litestream")).unwrap();
    assert!(finds(&env, "replica", "warning").contains("No such file or directory"));
}

#[test]
fn a_long_log_says_that_litestream_is_stopped() {
    let env = replicated();
    env.ok("send");
    let log = File::options().write(true).open(env.path("outflank.db-wal")).unwrap();
    log.set_len(64_000_001).unwrap();
    let text = finds(&env, "replica", "wrong");
    assert!(text.contains("Litestream seems to be stopped: the log has 64 MB"), "{text}");
}

#[test]
fn without_a_replica_there_is_no_line() {
    assert!(examine(&healthy()).iter().all(|line| line.check != "replica"));
}
