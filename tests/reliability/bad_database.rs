//! Unusable databases: an error of one line, status 3, and no changes.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::{small_disk, state};
use crate::harness::{ALICE, BOB, PROGRAM, Run, Running, TestEnvironment, skipped};

const READING: [&str; 5] = ["games", "show 1", "history 1", "players", "mail"];
const WRITING: [&str; 4] = [
    "move 1 f5",
    "resign 1 --as bob",
    "signup carol carol@example.org",
    "address bob b@example.org",
];

/// Checks that every command is refused with this message, as text and as JSON, and that no file
/// has changed.
fn refused(env: &TestEnvironment, message: &str) {
    let before = env.files();
    for command in READING.into_iter().chain(WRITING).chain(["send", "backup copy.db"]) {
        let line = env.fails(3, command);
        assert!(line.starts_with("outflank: ") && line.contains(message), "{command}: {line}");
        let (error, hint) = env.run(&format!("{command} --json")).failed_in_json(3);
        assert!(error.contains(message) && !hint.is_empty(), "{command}: {error}; {hint}");
        assert_eq!(env.files(), before, "{command} changed something");
    }
}

#[test]
fn files_that_are_not_a_database_are_refused() {
    let long = "It was a bright cold day in April. ".repeat(500);
    for text in ["no", "Dear diary,\n", &long] {
        let env = TestEnvironment::new();
        fs::write(env.database(), text).unwrap();
        refused(&env, "outflank.db is not an Outflank database");
    }
}

#[test]
fn an_empty_file_is_a_fresh_database() {
    let env = TestEnvironment::new();
    fs::write(env.database(), "").unwrap();
    env.ok("signup alice alice@example.org");
    assert_eq!(env.json("players")["players"][0]["player"], "alice");
}

#[test]
fn databases_of_other_programs_are_refused() {
    for sql in [
        "CREATE TABLE note (text TEXT)",
        "CREATE TABLE game (id INTEGER PRIMARY KEY); PRAGMA user_version = 1",
        "PRAGMA application_id = 1234; PRAGMA user_version = 1",
        "PRAGMA user_version = 1",
    ] {
        let env = TestEnvironment::new();
        env.sqlite().execute_batch(sql).unwrap();
        refused(&env, "outflank.db is not an Outflank database");
    }
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let env = TestEnvironment::new().with_game();
    env.sqlite().pragma_update(None, "user_version", 1000).unwrap();
    let before = fs::read(env.database()).unwrap();
    refused(&env, "outflank.db has schema 1000, this version of outflank knows up to");
    assert_eq!(fs::read(env.database()).unwrap(), before);
}

/// Returns the bytes of the database and of its log.
fn database_and_log(env: &TestEnvironment) -> [Option<Vec<u8>>; 2] {
    ["outflank.db", "outflank.db-wal"].map(|file| fs::read(env.path(file)).ok())
}

#[test]
fn a_database_from_before_the_first_release_is_refused() {
    for (version, mode) in [(1, "WAL"), (11, "WAL"), (11, "DELETE")] {
        let env = TestEnvironment::new();
        let sqlite = env.sqlite();
        sqlite.pragma_update(None, "journal_mode", mode).unwrap();
        sqlite.execute_batch("CREATE TABLE player (name TEXT)").unwrap();
        sqlite.pragma_update(None, "application_id", 0x4f66_6c6b).unwrap();
        sqlite.pragma_update(None, "user_version", version).unwrap();
        drop(sqlite);
        let before = database_and_log(&env);
        assert_eq!(before[1], None);
        let why = format!("has schema {version} of a version before the first release");
        refused(&env, &why);
        assert_eq!(database_and_log(&env), before, "{version} {mode}");

        if mode == "WAL" {
            // The last changes are in the log.
            let sqlite = env.sqlite();
            sqlite.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
            sqlite.execute_batch("INSERT INTO player VALUES ('alice')").unwrap();
            drop(sqlite);
            let before = database_and_log(&env);
            assert!(before[1].as_ref().is_some_and(|log| !log.is_empty()));
            refused(&env, &why);
            assert_eq!(database_and_log(&env), before, "{version} {mode}");
        }
    }
}

#[test]
fn a_damaged_database_is_reported() {
    let env = TestEnvironment::new().with_game();
    // A checkpoint moves the contents of the log into the database file.
    env.sqlite().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let mut bytes = fs::read(env.database()).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(env.database(), bytes).unwrap();
    for command in ["games", "show 1", "move 1 f5"] {
        let line = env.fails(3, command);
        assert!(line.contains("the database is damaged"), "{command}: {line}");
    }
}

#[test]
fn a_path_that_cannot_hold_a_database_is_refused() {
    let env = TestEnvironment::new();
    fs::create_dir(env.database()).unwrap();
    refused(&env, "outflank.db: it is a folder");

    fs::write(env.path("file"), "").unwrap();
    for (place, why) in [("missing", "its folder does not exist"), ("file", "its folder is a file")]
    {
        let database = format!("{place}/outflank.db");
        let line = env.fails(3, &format!("games --db {database}"));
        assert!(line.contains(&database) && line.contains(why), "{line}");
    }
    assert!(!env.path("missing").exists());
}

/// Runs a command as a user other than root, or returns `None` if that is impossible.
pub fn run_unprivileged(env: &TestEnvironment, command: &str) -> Option<Run> {
    const NOBODY: u32 = 65534;
    let mut program = env.command(command);
    if fs::metadata(env.folder()).unwrap().uid() == 0 {
        program.uid(NOBODY).gid(NOBODY);
    }
    match Running::try_start(program) {
        Ok(running) => Some(running.finish()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            skipped(command, &format!("others than root may not run {PROGRAM}"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn set_modes(env: &TestEnvironment, folder: u32, files: u32) {
    for file in ["outflank.db", "outflank.db-wal", "outflank.db-shm"] {
        match fs::set_permissions(env.path(file), Permissions::from_mode(files)) {
            Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
            _ => {}
        }
    }
    fs::set_permissions(env.folder(), Permissions::from_mode(folder)).unwrap();
}

#[test]
fn a_read_only_database_can_be_read() {
    let env = TestEnvironment::new().with_game();
    set_modes(&env, 0o555, 0o444);
    let before = env.files();
    for command in READING {
        let Some(ran) = run_unprivileged(&env, command) else { return };
        assert_eq!(ran.status, Some(0), "{command}: {ran:?}");
        assert_eq!(ran.stdout, env.ok(command), "{command}");
    }
    for command in WRITING {
        let ran = run_unprivileged(&env, command).unwrap();
        assert!(ran.failed(3).contains("the database is read-only"), "{command}: {ran:?}");
        let ran = run_unprivileged(&env, &format!("{command} --json")).unwrap();
        assert_eq!(ran.failed_in_json(3).0, "the database is read-only");
    }
    assert_eq!(env.files(), before);

    // Without the log, SQLite cannot even read the database.
    set_modes(&env, 0o755, 0o644);
    env.sqlite().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    set_modes(&env, 0o555, 0o444);
    assert!(!env.path("outflank.db-wal").exists());
    for command in READING.into_iter().chain(WRITING) {
        let ran = run_unprivileged(&env, command).unwrap();
        assert!(ran.failed(3).contains("read-only"), "{command}: {ran:?}");
    }

    set_modes(&env, 0o755, 0o644);
    env.ok("move 1 f5");
    state::check(&env.database());
}

#[test]
fn a_fresh_database_in_a_read_only_folder_is_refused() {
    let env = TestEnvironment::new();
    set_modes(&env, 0o555, 0o444);
    if let Some(ran) = run_unprivileged(&env, "signup alice alice@example.org") {
        assert!(ran.failed(3).contains("cannot open the database"), "{ran:?}");
    }
    set_modes(&env, 0o755, 0o644);
}

#[test]
fn a_broken_maildir_does_not_prevent_a_move() {
    let env = TestEnvironment::new();
    fs::write(env.path("outflank.maildir"), "no folder").unwrap();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.ok("move 1 f5");
    let mails = env.json("mail");
    let error = mails["mails"][0]["error"].as_str().unwrap();
    assert!(error.contains("outflank.maildir"), "{error}");
    env.later(60);
    let line = env.fails(3, "send");
    assert!(line.contains("outflank.maildir"), "{line}");
    fs::remove_file(env.path("outflank.maildir")).unwrap();
    env.later(24 * 60);
    env.ok("send");
    // The mails about the start show the move.
    assert_eq!(env.all_mails().len(), 2);
}

#[test]
fn a_locked_database_can_be_read_and_writing_times_out() {
    // Another process is writing: reading commands still work.
    let writing = TestEnvironment::new().with_game();
    let writer = writing.sqlite();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    for command in READING {
        writing.ok(command);
    }
    // Another process has locked it exclusively.
    let closed = TestEnvironment::new().with_game();
    let owner = closed.sqlite();
    owner
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM outbox")
        .unwrap();

    // Each command waits until its time limit, so they run at the same time.
    thread::scope(|scope| {
        for (env, command) in [
            (&writing, "move 1 f5"),
            (&writing, "signup carol carol@example.org"),
            (&closed, "games"),
            (&closed, "move 1 f5"),
        ] {
            scope.spawn(move || {
                let line = env.fails(3, command);
                assert!(line.contains("locked by another process"), "{line}");
            });
            scope.spawn(move || {
                let json = format!("{command} --json");
                let (error, hint) = env.run(&json).failed_in_json(3);
                assert_eq!(error, "the database is locked by another process");
                assert!(!hint.is_empty());
            });
        }
    });
    writer.execute_batch("ROLLBACK").unwrap();
    drop(owner);
    for env in [writing, closed] {
        env.ok("move 1 f5");
        state::check(&env.database());
    }
}

#[test]
fn a_short_lock_is_waited_for() {
    let env = TestEnvironment::new().with_game();
    let writer = env.sqlite();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        let moving = scope.spawn(|| env.ok("move 1 f5"));
        thread::sleep(Duration::from_millis(300));
        writer.execute_batch("ROLLBACK").unwrap();
        moving.join().unwrap();
    });
}

#[test]
fn a_full_disk_changes_nothing() {
    small_disk::within("reliability::bad_database::a_full_disk_changes_nothing", on_a_full_disk);
}

fn on_a_full_disk(small: &Path) {
    let env = TestEnvironment::new().with_game();
    assert!(env.folder().starts_with(small));
    let games = |env: &TestEnvironment| env.json("games")["games"].as_array().unwrap().len();
    let start = format!("--json new mini {ALICE} {BOB}");
    // The disk becomes full while a command writes the log, its index or the Maildir.
    let (mut made, mut full) = (1, 0);
    for free in (0..40).chain((0..40).rev()) {
        small_disk::fill(small, free * 4096);
        let ran = env.run(&start);
        if ran.status == Some(0) {
            made += 1;
        } else {
            let (error, hint) = ran.failed_in_json(3);
            assert_eq!(error, "the disk is full");
            assert!(hint.contains("nothing was changed"), "{hint}");
            full += 1;
        }
        fs::remove_file(small.join("ballast")).unwrap();
        assert_eq!(games(&env), made);
    }
    assert!(made > 1 && full > 1, "{made} games were made, {full} times the disk was full");
    state::check(&env.database());

    // The check has removed the log, and there is no space for a new one.
    small_disk::fill(small, 0);
    assert!(env.fails(3, "games").contains("the disk is full"));
    fs::remove_file(small.join("ballast")).unwrap();
    env.ok("games");
    small_disk::fill(small, 0);
    for command in READING {
        env.ok(command);
    }
    assert_eq!(env.fails(3, "move 1 f5").matches("the disk is full").count(), 1);
    let files = || {
        let mut files = env.files();
        // The queue of writers.
        files.retain(|path, _| !path.ends_with("outflank.db-lock"));
        files
    };
    let before = files();
    let line = env.fails(3, "backup copy.db");
    assert!(line.contains("copy.db: ") && line.contains("full"), "{line}");
    assert_eq!(files(), before, "the copy leaves nothing behind");
    let create = "signup alice alice@example.org --db fresh.db";
    let line = env.fails(3, create);
    assert!(line.contains("the disk is full"), "{line}");

    // With free space everything works again.
    fs::remove_file(small.join("ballast")).unwrap();
    env.ok("move 1 f5");
    env.ok(create);
    env.later(60);
    env.ok("send");
    assert_eq!(env.all_mails().len(), 2 * made + 1);
    state::check(&env.database());
    assert!(Connection::open(env.path("fresh.db")).is_ok());
}

#[test]
fn refused_and_reading_commands_create_no_database() {
    let env = TestEnvironment::new();
    let before = env.files();
    for command in ["games", "players", "mail", "games --all --json"] {
        env.ok(command);
    }
    for (command, status) in [
        ("show 1", 1),
        ("move 1 d3", 1),
        ("address alice alice@example.org", 1),
        ("mail retry 1", 1),
        (&format!("new chess {ALICE} {BOB}"), 1),
        ("new othello alice bob", 1),
        ("new othello alice@example.org alice@example.org", 1),
        ("signup 2alice alice@example.org", 1),
        ("signup alice", 2),
        ("backup copy.db", 3),
        ("send", 3),
        ("send --watch", 3),
        ("receive --maildir .", 3),
        ("web --listen 127.0.0.1:0", 3),
    ] {
        env.fails(status, command);
    }
    assert_eq!(env.files(), before);
}
