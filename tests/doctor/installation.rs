//! The checks of files, settings and the database.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{configure, contents, examine, finds, healthy, parsed};
use crate::harness::{TestEnvironment, run, skipped};

#[test]
fn a_healthy_club_is_ok_and_stays_as_it_is() {
    let env = healthy();
    let before = contents(&env);
    let lines = examine(&env);
    for line in &lines {
        // The machine of the tests may have little space, or its temporary files in memory.
        let is_of_machine = ["space", "file system"].contains(&line.check.as_str());
        assert!(is_of_machine || line.outcome == "ok", "{line:?}");
    }
    let checks: Vec<_> = lines.iter().map(|line| line.check.as_str()).collect();
    assert_eq!(
        checks,
        [
            "configuration",
            "files",
            "space",
            "file system",
            "schema",
            "integrity",
            "clock",
            "sender",
            "mail server",
            "club",
            "receive",
            "outbox",
            "failed mail",
            "paused mail",
            "jobs",
            "send"
        ]
    );
    let text = env.run("doctor").stdout;
    for (line, found) in text.lines().zip(&lines) {
        let expected = format!("{:<7}  {}: ", found.outcome, found.check);
        assert!(line.starts_with(&expected), "{line}");
    }
    assert_eq!(contents(&env), before);
}

#[test]
fn doctor_creates_no_file_beside_the_database() {
    let env = healthy();
    env.sqlite().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    for suffix in ["-wal", "-shm", "-lock"] {
        let _ = fs::remove_file(env.path(&format!("outflank.db{suffix}")));
    }
    let names = || {
        let names = fs::read_dir(env.folder()).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let before = names();
    finds(&env, "integrity", "ok");
    assert_eq!(names(), before);
}

#[test]
fn a_process_that_writes_is_not_disturbed() {
    let env = healthy();
    let sqlite = env.sqlite();
    sqlite.execute_batch("BEGIN IMMEDIATE; UPDATE player SET receipt = 1").unwrap();
    finds(&env, "integrity", "ok");
    sqlite.execute_batch("COMMIT").unwrap();
}

#[test]
fn a_missing_database_is_a_line_and_stays_missing() {
    let env = TestEnvironment::new();
    let text = finds(&env, "database", "warning");
    assert!(text.contains("outflank.db yet; `outflank new`"), "{text}");
    assert!(!env.database().exists() && !env.path("outflank.maildir").exists());
    let nowhere = parsed(env.run("--json --db nowhere/x.db doctor"));
    assert!(nowhere.iter().any(|line| line.check == "files" && line.outcome == "wrong"));
    assert!(!env.path("nowhere").exists());
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_modes_of_all_files_and_folders_are_checked() {
    let env = healthy();
    fs::create_dir(env.path("outflank.quarantine")).unwrap();
    set_mode(&env.path("outflank.quarantine"), 0o700);
    // The log and its index stay while a connection is open.
    let sqlite = env.sqlite();
    sqlite.execute("UPDATE player SET receipt = 0", []).unwrap();
    finds(&env, "files", "ok");
    for (name, usual, readable, writable) in [
        ("outflank.db", 0o600, 0o640, 0o660),
        ("outflank.db-wal", 0o600, 0o604, 0o602),
        ("outflank.db-shm", 0o600, 0o644, 0o666),
        ("outflank.db-lock", 0o600, 0o640, 0o620),
        ("outflank.maildir", 0o700, 0o755, 0o777),
        ("outflank.quarantine", 0o700, 0o750, 0o770),
        ("", 0o700, 0o1777, 0o777),
    ] {
        let path = env.path(name);
        for (mode, outcome) in [(readable, "warning"), (writable, "wrong")] {
            set_mode(&path, mode);
            let text = finds(&env, "files", outcome);
            let advice = if name.is_empty() { "chmod 700 " } else { name };
            assert!(text.contains(advice) && text.contains("chmod "), "{name}: {text}");
        }
        set_mode(&path, usual);
    }
    finds(&env, "files", "ok");
    fs::remove_dir(env.path("outflank.quarantine")).unwrap();
    fs::write(env.path("outflank.quarantine"), "").unwrap();
    assert!(finds(&env, "files", "wrong").contains("outflank.quarantine is not a folder"));
}

#[test]
fn files_of_another_user_are_wrong() {
    let env = healthy();
    if user() != "0" {
        return skipped("files_of_another_user_are_wrong", "only root can give files away");
    }
    std::os::unix::fs::chown(env.path("outflank.db-lock"), Some(1234), None).unwrap();
    let text = finds(&env, "files", "wrong");
    assert!(text.contains("belongs to user 1234, but the database to user 0"), "{text}");
    assert!(text.contains("chown 0 "), "{text}");
}

/// Returns the number of the user who runs the tests.
fn user() -> String {
    let id = Command::new("id").arg("-u").output().unwrap();
    String::from_utf8(id.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_password_that_others_can_read_is_a_warning() {
    let env = healthy();
    let transport = "kind = 'smtp'\nhost = 'localhost'\nport = 1\nuser = 'o'\npassword = 'x'";
    configure(&env, "club.test", transport, "[receive]");
    set_mode(&env.config_file(), 0o644);
    assert!(finds(&env, "files", "warning").contains("can read the password"));
    set_mode(&env.config_file(), 0o640);
    finds(&env, "files", "ok");

    // Or in a file of its own: then the configuration can be open.
    let file = env.path(".config/outflank/smtp-password");
    fs::write(&file, "x\n").unwrap();
    let transport = transport.replace("password = 'x'", "password_file = 'smtp-password'");
    configure(&env, "club.test", &transport, "[receive]");
    set_mode(&env.config_file(), 0o644);
    set_mode(&file, 0o644);
    let found = finds(&env, "files", "warning");
    assert!(found.contains("can read the password in ~/.config/outflank/smtp-password"), "{found}");
    set_mode(&file, 0o640);
    finds(&env, "files", "ok");
}

#[test]
fn the_schema_is_checked() {
    let env = healthy();
    let sqlite = env.sqlite();
    let version = |sqlite: &rusqlite::Connection| -> i64 {
        sqlite.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    let newest = version(&sqlite);
    assert!(finds(&env, "schema", "ok").contains(&newest.to_string()));

    sqlite.execute_batch("CREATE TABLE note (text TEXT)").unwrap();
    assert!(finds(&env, "schema", "wrong").contains("note"));
    sqlite.execute_batch("DROP TABLE note").unwrap();
    sqlite.execute_batch("DROP INDEX outbox_held").unwrap();
    assert!(finds(&env, "schema", "wrong").contains("outbox_held"));

    sqlite.pragma_update(None, "user_version", 15).unwrap();
    let text = finds(&env, "schema", "warning");
    assert!(text.contains("older schema 15") && text.contains(&newest.to_string()), "{text}");
    assert_eq!(version(&sqlite), 15);
    sqlite.pragma_update(None, "user_version", 99).unwrap();
    assert!(finds(&env, "schema", "wrong").contains("has schema 99"));
}

#[test]
fn a_file_that_is_no_database_is_wrong() {
    let env = TestEnvironment::new();
    fs::write(env.database(), "no database at all").unwrap();
    assert!(finds(&env, "schema", "wrong").contains("is not an Outflank database"));
    assert_eq!(fs::read(env.database()).unwrap(), b"no database at all");
}

#[test]
fn a_damaged_database_is_wrong() {
    let env = healthy();
    env.sqlite().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let sound = fs::read(env.database()).unwrap();
    // The number of free pages in the header is wrong.
    let mut bytes = sound.clone();
    bytes[39] ^= 5;
    fs::write(env.database(), bytes).unwrap();
    assert!(finds(&env, "integrity", "wrong").to_lowercase().contains("free"));
    let mut bytes = sound;
    // The schema is on the first pages.
    let begin = 60 * 4096;
    bytes[begin..].fill(0xa5);
    fs::write(env.database(), bytes).unwrap();
    let lines = examine(&env);
    let is_found = lines.iter().any(|line| line.check == "integrity" && line.outcome == "wrong");
    assert!(is_found, "{lines:#?}");
    assert!(lines.iter().any(|line| line.check == "mail server"), "the other checks follow");
}

#[test]
fn the_clock_is_compared_with_what_was_recorded() {
    let env = healthy();
    env.ok("move 1 f5");
    assert!(finds(&env, "clock", "ok").contains("2026-11-21 10:00"));
    env.outage_seconds(-60);
    assert!(finds(&env, "clock", "warning").contains("game 1 has an event 1 minute later"));
    env.outage_seconds(-3540);
    assert!(finds(&env, "clock", "wrong").contains("game 1 has an event 1 hour later"));
    env.outage_seconds(3600);
    let later = env.now().timestamp() + 86_400;
    env.sqlite().execute("UPDATE intake SET last_at = ?1", [later]).unwrap();
    env.sqlite().execute("UPDATE player SET created_at = ?1", [later]).unwrap();
    assert!(finds(&env, "clock", "warning").contains("table player has a row 1 day later"));
}

#[test]
fn a_configuration_that_cannot_be_read_is_a_line() {
    let env = healthy();
    env.write_config("[mail]\nfrom = 'nobody'\n");
    let text = finds(&env, "configuration", "wrong");
    assert!(text.contains("line 2: from: ") && text.contains("correct it"), "{text}");
    env.write_config("[mail]\nform = 'o@club.test'\n");
    assert!(finds(&env, "configuration", "wrong").contains("line 2: unknown field `form`"));
    // The database is still examined.
    finds(&env, "integrity", "ok");
    let missing = parsed(env.run("--json --config missing.toml doctor"));
    let wrong = missing.iter().find(|line| line.check == "configuration").unwrap();
    assert_eq!(wrong.outcome, "wrong");
    fs::remove_file(env.config_file()).unwrap();
    assert!(finds(&env, "configuration", "ok").contains("all settings have their defaults"));
}

#[test]
fn the_sender_must_not_be_a_placeholder() {
    let env = healthy();
    finds(&env, "sender", "ok");
    configure(&env, "localhost", "kind = 'maildir'\npath = 'PATH'", "[receive]");
    finds(&env, "sender", "warning");
    configure(&env, "example.org", "kind = 'sendmail'\ncommand = ['true']", "[receive]");
    assert!(finds(&env, "sender", "wrong").contains("from in [mail]"));
}

#[test]
fn sendmail_needs_new_privileges() {
    let env = healthy();
    let has_setpriv = Command::new("setpriv").args(["--no-new-privs", "true"]).status();
    if !has_setpriv.is_ok_and(|status| status.success()) {
        return skipped("sendmail_needs_new_privileges", "there is no setpriv");
    }
    let examined = |command: &str| {
        let transport = format!("kind = 'sendmail'\ncommand = ['{command}']");
        configure(&env, "club.test", &transport, "[receive]");
        let mut doctor = Command::new("setpriv");
        doctor.args(["--no-new-privs", crate::harness::PROGRAM, "--json", "doctor"]);
        env.seal(&mut doctor);
        let lines = parsed(run(doctor));
        lines.into_iter().find(|line| line.check == "privileges").unwrap()
    };
    let sendmail = env.path("sendmail");
    std::os::unix::fs::symlink("/bin/true", &sendmail).unwrap();
    assert_eq!(examined(sendmail.to_str().unwrap()).outcome, "warning");
    fs::remove_file(&sendmail).unwrap();
    fs::copy("/bin/true", &sendmail).unwrap();
    let found = examined(sendmail.to_str().unwrap());
    assert_eq!(found.outcome, "wrong");
    assert!(found.text.contains("kind = \"smtp\""), "{}", found.text);
    assert_eq!(examined("/bin/true").outcome, "warning");
    finds(&env, "privileges", "ok");
}
