//! Databases that cannot be used: one line says why, the status is 3, and nothing has changed.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use crate::house::{House, PROGRAM, Ran, words};
use crate::{small_disk, state};

const READING: [&str; 5] = ["games", "show 1", "history 1", "players", "mail"];
const WRITING: [&str; 4] = [
    "move 1 f5",
    "resign 1 --as bob",
    "signup carol carol@example.org",
    "address bob b@example.org",
];

/// Checks that every command is refused with this message, in words and in JSON, and that no
/// file has changed.
fn refused(house: &House, message: &str) {
    let before = house.files();
    for command in READING.into_iter().chain(WRITING).chain(["send", "backup copy.db"]) {
        let arguments = words(command);
        let ran = house.run(&arguments);
        let line = ran.failed(3);
        assert!(line.starts_with("outflank: ") && line.contains(message), "{command}: {line}");
        let (error, hint) = house.run(&[arguments, words("--json")].concat()).failed_in_json(3);
        assert!(error.contains(message) && !hint.is_empty(), "{command}: {error}; {hint}");
        assert_eq!(house.files(), before, "{command} changed something");
    }
}

#[test]
fn files_that_are_no_database() {
    let long = "It was a bright cold day in April. ".repeat(500);
    for text in ["no", "Dear diary,\n", &long] {
        let house = House::new();
        fs::write(house.database(), text).unwrap();
        refused(&house, "outflank.db is no Outflank database");
    }
}

#[test]
fn an_empty_file_is_a_fresh_database() {
    let house = House::new();
    fs::write(house.database(), "").unwrap();
    house.done(&["signup", "alice", "alice@example.org"]);
    assert_eq!(house.json(&["players"])["players"][0]["player"], "alice");
}

#[test]
fn databases_of_other_programs() {
    for sql in [
        "CREATE TABLE note (text TEXT)",
        "CREATE TABLE game (id INTEGER PRIMARY KEY); PRAGMA user_version = 1",
        "PRAGMA application_id = 1234; PRAGMA user_version = 1",
        "PRAGMA user_version = 1",
    ] {
        let house = House::new();
        house.sqlite().execute_batch(sql).unwrap();
        refused(&house, "outflank.db is no Outflank database");
    }
}

#[test]
fn a_database_of_a_newer_version() {
    let house = House::with_game();
    house.sqlite().pragma_update(None, "user_version", 1000).unwrap();
    let before = fs::read(house.database()).unwrap();
    refused(&house, "outflank.db has schema 1000, this version of outflank knows up to");
    assert_eq!(fs::read(house.database()).unwrap(), before);
}

#[test]
fn a_damaged_database() {
    let house = House::with_game();
    // Closed by SQLite itself, everything is in the one file.
    house.sqlite().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let mut bytes = fs::read(house.database()).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(house.database(), bytes).unwrap();
    for command in ["games", "show 1", "move 1 f5"] {
        let ran = house.run(&words(command));
        assert!(ran.failed(3).contains("the database is damaged"), "{command}: {ran:?}");
    }
}

#[test]
fn no_place_for_a_database() {
    let house = House::new();
    fs::create_dir(house.database()).unwrap();
    refused(&house, "outflank.db: it is a folder");

    fs::write(house.path("file"), "").unwrap();
    for (place, why) in [("missing", "its folder does not exist"), ("file", "its folder is a file")]
    {
        let database = format!("{place}/outflank.db");
        let line = house.run(&["games", "--db", &database]).failed(3).to_owned();
        assert!(line.contains(&database) && line.contains(why), "{line}");
    }
    assert!(!house.path("missing").exists());
}

/// Runs a command that file modes hold for; `None` where that cannot be had.
fn run_without_power(house: &House, command: &str) -> Option<Ran> {
    const NOBODY: u32 = 65534;
    let mut program = Command::new(PROGRAM);
    house.seal(&mut program).args(words(command));
    if fs::metadata(house.folder()).unwrap().uid() == 0 {
        program.uid(NOBODY).gid(NOBODY);
    }
    match program.output() {
        Ok(output) => Some(Ran::of(output)),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            println!("skipped: others than root may not run {PROGRAM}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn set_modes(house: &House, folder: u32, files: u32) {
    for file in ["outflank.db", "outflank.db-wal", "outflank.db-shm"] {
        match fs::set_permissions(house.path(file), Permissions::from_mode(files)) {
            Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
            _ => {}
        }
    }
    fs::set_permissions(house.folder(), Permissions::from_mode(folder)).unwrap();
}

#[test]
fn a_read_only_database_can_be_read() {
    let house = House::with_game();
    set_modes(&house, 0o555, 0o444);
    let before = house.files();
    for command in READING {
        let Some(ran) = run_without_power(&house, command) else { return };
        assert_eq!(ran.status, Some(0), "{command}: {ran:?}");
        assert_eq!(ran.out, house.done(&words(command)), "{command}");
    }
    for command in WRITING {
        let ran = run_without_power(&house, command).unwrap();
        assert!(ran.failed(3).contains("the database is read-only"), "{command}: {ran:?}");
        let ran = run_without_power(&house, &format!("{command} --json")).unwrap();
        assert_eq!(ran.failed_in_json(3).0, "the database is read-only");
    }
    assert_eq!(house.files(), before);

    // Without the log, SQLite cannot even read it: it must be told so in a line.
    set_modes(&house, 0o755, 0o644);
    house.sqlite().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    set_modes(&house, 0o555, 0o444);
    assert!(!house.path("outflank.db-wal").exists());
    for command in READING.into_iter().chain(WRITING) {
        let ran = run_without_power(&house, command).unwrap();
        assert!(ran.failed(3).contains("read-only"), "{command}: {ran:?}");
    }

    set_modes(&house, 0o755, 0o644);
    house.done(&["move", "1", "f5"]);
    state::check(&house.database());
}

#[test]
fn a_fresh_database_in_a_read_only_folder() {
    let house = House::new();
    set_modes(&house, 0o555, 0o444);
    if let Some(ran) = run_without_power(&house, "signup alice alice@example.org") {
        assert!(ran.failed(3).contains("cannot open the database"), "{ran:?}");
    }
    set_modes(&house, 0o755, 0o644);
}

#[test]
fn a_maildir_that_takes_nothing_does_not_keep_a_move_from_being_made() {
    let house = House::new();
    fs::write(house.path("outflank.maildir"), "no folder").unwrap();
    house.done(&["new", "othello", "alice@example.org", "bob@example.org"]);
    house.done(&["move", "1", "f5"]);
    let mails = house.json(&["mail"]);
    let error = mails["mails"][0]["error"].as_str().unwrap();
    assert!(error.contains("outflank.maildir"), "{error}");
    house.wait(3600);
    let ran = house.run(&["send"]);
    assert!(ran.failed(3).contains("outflank.maildir"), "{ran:?}");
    fs::remove_file(house.path("outflank.maildir")).unwrap();
    house.wait(24 * 3600);
    house.done(&["send"]);
    assert_eq!(house.mails().len(), 3);
}

#[test]
fn a_locked_database() {
    // Somebody writes and does not come to an end: whoever only reads goes on.
    let writing = House::with_game();
    let writer = writing.sqlite();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    for command in READING {
        writing.done(&words(command));
    }
    // Somebody has it alone.
    let closed = House::with_game();
    let owner = closed.sqlite();
    owner
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM outbox")
        .unwrap();

    // Each waits as long as it may; all at once.
    thread::scope(|scope| {
        for (house, command) in [
            (&writing, "move 1 f5"),
            (&writing, "signup carol carol@example.org"),
            (&closed, "games"),
            (&closed, "move 1 f5"),
        ] {
            let (plain, json) = (words(command), words(&format!("{command} --json")));
            scope.spawn(move || {
                let ran = house.run(&plain);
                assert!(ran.failed(3).contains("locked by another process"), "{ran:?}");
            });
            scope.spawn(move || {
                let (error, hint) = house.run(&json).failed_in_json(3);
                assert_eq!(error, "the database is locked by another process");
                assert!(!hint.is_empty());
            });
        }
    });
    writer.execute_batch("ROLLBACK").unwrap();
    drop(owner);
    for house in [writing, closed] {
        house.done(&["move", "1", "f5"]);
        state::check(&house.database());
    }
}

#[test]
fn a_short_lock_is_waited_for() {
    let house = House::with_game();
    let writer = house.sqlite();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        let moving = scope.spawn(|| house.done(&["move", "1", "f5"]));
        thread::sleep(Duration::from_millis(300));
        writer.execute_batch("ROLLBACK").unwrap();
        moving.join().unwrap();
    });
}

#[test]
fn a_full_disk() {
    small_disk::within("bad_database::a_full_disk", on_a_full_disk);
}

fn on_a_full_disk(small: &Path) {
    let house = House::with_game();
    assert!(house.folder().starts_with(small));
    let games = |house: &House| house.json(&["games"])["games"].as_array().unwrap().len();
    let start = words("new mini alice@example.org bob@example.org --json");
    // The disk gets full somewhere in what a command writes: log, index of the log, Maildir.
    let (mut made, mut full) = (1, 0);
    for free in (0..40).chain((0..40).rev()) {
        small_disk::fill(small, free * 4096);
        let ran = house.run(&start);
        if ran.status == Some(0) {
            made += 1;
        } else {
            let (error, hint) = ran.failed_in_json(3);
            assert_eq!(error, "the disk is full");
            assert!(hint.contains("nothing was changed"), "{hint}");
            full += 1;
        }
        fs::remove_file(small.join("ballast")).unwrap();
        assert_eq!(games(&house), made);
    }
    assert!(made > 1 && full > 1, "{made} games were made, {full} times the disk was full");
    state::check(&house.database());

    // The check has left no log, and there is no room for a new one.
    small_disk::fill(small, 0);
    assert!(house.run(&["games"]).failed(3).contains("the disk is full"));
    fs::remove_file(small.join("ballast")).unwrap();
    house.done(&["games"]);
    small_disk::fill(small, 0);
    for command in READING {
        house.done(&words(command));
    }
    assert_eq!(house.run(&["move", "1", "f5"]).failed(3).matches("the disk is full").count(), 1);
    let before = house.files();
    let copy = house.run(&["backup", "copy.db"]);
    assert!(copy.failed(3).contains("copy.db: ") && copy.err.contains("full"), "{copy:?}");
    assert_eq!(house.files(), before, "the copy leaves nothing behind");
    let found = words("signup alice alice@example.org --db fresh.db");
    let fresh = house.run(&found);
    assert!(fresh.failed(3).contains("the disk is full"), "{fresh:?}");

    // With room again everything goes on.
    fs::remove_file(small.join("ballast")).unwrap();
    house.done(&["move", "1", "f5"]);
    house.done(&found);
    house.wait(3600);
    house.done(&["send"]);
    assert_eq!(house.mails().len(), 2 * made + 1);
    state::check(&house.database());
    assert!(Connection::open(house.path("fresh.db")).is_ok());
}

#[test]
fn a_command_that_is_refused_or_only_looks_makes_no_database() {
    let house = House::new();
    for command in ["games", "players", "mail", "send", "games --all --json"] {
        house.done(&words(command));
    }
    for (command, status) in [
        ("show 1", 1),
        ("move 1 d3", 1),
        ("address alice alice@example.org", 1),
        ("mail retry 1", 1),
        ("new chess alice@example.org bob@example.org", 1),
        ("new othello alice bob", 1),
        ("new othello alice@example.org alice@example.org", 1),
        ("signup 2alice alice@example.org", 1),
        ("signup alice", 2),
        ("backup copy.db", 3),
    ] {
        house.run(&words(command)).failed(status);
    }
    assert!(house.files().is_empty(), "{:?}", house.files());
}
