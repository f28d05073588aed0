//! Backups of a database in use.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rusqlite::Connection;

use super::{small_disk, state};
use crate::harness::{ALICE, BOB, TestEnvironment, until};

/// Returns the files except those of the database, the Maildir and the configuration.
fn others(env: &TestEnvironment) -> Vec<String> {
    let names = fs::read_dir(env.folder()).unwrap();
    let mut names: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with("outflank.") && name != ".config");
    names.sort();
    names
}

#[test]
fn a_backup_made_while_others_move_is_consistent() {
    let env = TestEnvironment::new();
    for _ in 0..3 {
        env.ok(&format!("new othello {ALICE} {BOB}"));
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0..1000 {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let id = (turn % 3 + 1).to_string();
                let game = env.json(&format!("show {id}"));
                match game["legal"][0].as_str() {
                    Some(played) => env.ok(&format!("move {id} {played}")),
                    None => env.ok(&format!("new mini {ALICE} {BOB}")),
                };
            }
        });
        let mut earlier = 0;
        for number in 0..10 {
            let copy = env.path(&format!("copy-{number}.db"));
            env.ok(&format!("backup {}", copy.display()));
            // The copy is complete without a log beside it.
            assert!(!env.path(&format!("copy-{number}.db-wal")).exists());
            let plies = moves(&copy);
            assert!(plies >= earlier, "{plies} moves after {earlier}");
            earlier = plies;
            assert!(state::check(&copy) >= 3);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(others(&env).iter().all(|name| name.starts_with("copy-")), "{:?}", others(&env));
}

fn moves(database: &std::path::Path) -> i64 {
    let sqlite = Connection::open(database).unwrap();
    sqlite.query_row("SELECT count(*) FROM event", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_backup_can_replace_its_database() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    env.ok("backup copy.db");
    env.ok("move 1 f6");
    for file in ["outflank.db", "outflank.db-wal", "outflank.db-shm"] {
        fs::remove_file(env.path(file)).unwrap();
    }
    fs::rename(env.path("copy.db"), env.database()).unwrap();

    assert_eq!(env.json("show 1")["ply"], 1);
    env.ok("move 1 d6");
    assert_eq!(env.json("show 1")["ply"], 2);
    let sqlite = env.sqlite();
    let log: String = sqlite.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(log, "wal", "readers must not keep writers waiting again");
    env.later(60);
    env.ok("send");
    state::check(&env.database());
    // Before the restore, the mail about f6 was sent with another Message-ID.
    let second = env.all_mails().into_keys().filter(|id| id.starts_with("1.2.turn.")).count();
    assert_eq!(second, 2);
}

/// Puts a message into the Maildir `in`.
fn put(env: &TestEnvironment, name: &str, bytes: &[u8]) {
    fs::write(env.path("in/tmp").join(name), bytes).unwrap();
    fs::rename(env.path("in/tmp").join(name), env.path("in/new").join(name)).unwrap();
}

/// Returns the steps of the section on restoring.
fn steps() -> String {
    let page = include_str!("../../docs/operating.md");
    let section = page.split("## Restore\n").nth(1).expect("a section on restoring");
    section.split("\n## ").next().unwrap().to_owned()
}

#[test]
fn a_database_is_restored_as_the_docs_say() {
    let env = TestEnvironment::new().with_game();
    fs::create_dir(env.path("kept")).unwrap();
    for folder in ["in/new", "in/cur", "in/tmp"] {
        fs::create_dir_all(env.path(folder)).unwrap();
    }
    let watches = || [env.start("send --watch"), env.start("receive --maildir in --watch")];
    let early = env.turn_after("f5");
    env.ok("backup --keep 7 kept");
    let late = env.turn_after("f6");
    let running = watches();

    let steps = steps();
    for named in ["outflank send --watch", "outflank receive --maildir DIR --watch"] {
        assert!(steps.contains(named), "the docs name `{named}`");
    }
    // 1. Stop everything.
    running.into_iter().for_each(|watch| drop(watch.stop("TERM")));
    // 2. Remove the log and its index.
    for file in ["outflank.db-wal", "outflank.db-shm"] {
        assert!(steps.contains(file), "the docs name {file}");
        let _ = fs::remove_file(env.path(file));
    }
    // 3. Copy the backup over the database.
    fs::copy(env.path("kept/outflank-2026-11-21T100000Z.db"), env.database()).unwrap();
    // 4. Start everything again.
    let running = watches();

    // The games are there, as they were.
    assert_eq!(env.moves(1), ["f5"]);
    // A reply to a mail from before the backup is a move.
    put(&env, "early", &early.reply("d6").bytes());
    until("the reply is played", || env.plies(1) == 2);
    assert_eq!(env.moves(1), ["f5", "d6"]);
    env.ok("move 1 c3");
    // A reply to a mail from after the backup is refused.
    put(&env, "late", &late.reply("f4").bytes());
    until("the reply is processed", || env.dispositions().values().sum::<u64>() == 2);
    assert_eq!(env.moves(1), ["f5", "d6", "c3"]);
    running.into_iter().for_each(|watch| drop(watch.stop("TERM")));
    state::check(&env.database());
}

#[test]
fn a_backup_never_overwrites_a_file() {
    let env = TestEnvironment::new().with_game();
    fs::write(env.path("precious"), "mine").unwrap();
    fs::create_dir(env.path("folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", env.path("link")).unwrap();
    for target in ["precious", "folder", "link", "outflank.db"] {
        let line = env.fails(1, &format!("backup {target}"));
        assert!(line.contains(target) && line.contains("exists already"), "{line}");
    }
    assert_eq!(fs::read_to_string(env.path("precious")).unwrap(), "mine");
    assert_eq!(others(&env), ["folder", "link", "precious"]);
    assert_eq!(env.json("show 1")["ply"], 0);
}

#[test]
fn a_failed_backup_leaves_nothing_behind() {
    let env = TestEnvironment::new().with_game();
    fs::write(env.path("file"), "").unwrap();
    for target in ["missing/copy.db", "file/copy.db", "/proc/copy.db"] {
        let (error, _) = env.run(&format!("backup {target} --json")).failed_in_json(3);
        assert!(error.contains(target), "{error}");
    }
    assert_eq!(others(&env), ["file"]);
}

#[test]
fn a_backup_that_fails_on_a_full_disk_leaves_nothing_behind() {
    let test = "reliability::backup::a_backup_that_fails_on_a_full_disk_leaves_nothing_behind";
    small_disk::within(test, |small| {
        let env = TestEnvironment::new().with_game();
        // More than one page, so that SQLite needs a journal.
        for number in 0..400 {
            let add =
                "INSERT INTO player (name, address, secret, created_at) VALUES (?1, ?1, x'00', 0)";
            env.sqlite().execute(add, [format!("player{number}{}", "x".repeat(200))]).unwrap();
        }
        let (mut made, mut full) = (0, 0);
        for free in (0..300).step_by(3) {
            small_disk::fill(small, free * 4096);
            let ran = env.run("backup copy.db");
            fs::remove_file(small.join("ballast")).unwrap();
            if ran.status == Some(0) {
                made += 1;
                fs::remove_file(env.path("copy.db")).unwrap();
            } else {
                let line = ran.failed(3);
                assert!(line.contains("full"), "{free} pages are free: {line}");
                full += 1;
            }
            assert_eq!(others(&env), [""; 0], "{free} pages are free");
        }
        assert!(made > 1 && full > 1, "{made} were made, {full} failed");
    });
}

/// Returns the names in a folder of the environment.
fn names_in(env: &TestEnvironment, folder: &str) -> Vec<String> {
    let names = fs::read_dir(env.path(folder)).unwrap();
    let mut names: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn dated_copies_are_kept_up_to_a_number() {
    let env = TestEnvironment::new().with_game();
    fs::create_dir(env.path("kept")).unwrap();
    // None of these is a copy of this database.
    let foreign = [
        "outflank.db",
        "outflank-2020-01-01.db",
        "outflank-2020-01-01T000000Z",
        "outflank-2020-01-01T000000Z.db-wal",
        "club-2020-01-01T000000Z.db",
    ];
    for name in foreign {
        fs::write(env.path("kept").join(name), "mine").unwrap();
    }
    fs::create_dir(env.path("kept/outflank-2020-01-01T000001Z.db")).unwrap();
    std::os::unix::fs::symlink("outflank.db", env.path("kept/outflank-2020-01-01T000002Z.db"))
        .unwrap();
    let copies = || {
        let mut names = names_in(&env, "kept");
        names.retain(|name| !foreign.contains(&&**name) && !name.contains("2020"));
        names
    };

    assert_eq!(
        env.ok("backup --keep 2 kept"),
        "The database is copied to kept/outflank-2026-11-21T100000Z.db.\n"
    );
    env.ok("backup --keep 2 kept");
    assert_eq!(
        copies(),
        ["outflank-2026-11-21T100000Z-2.db", "outflank-2026-11-21T100000Z.db"],
        "two in a second"
    );
    let removed = env.json("backup --keep 2 kept");
    assert_eq!(removed["backup"], "kept/outflank-2026-11-21T100000Z-3.db");
    assert_eq!(removed["removed"], serde_json::json!(["kept/outflank-2026-11-21T100000Z.db"]));
    env.later(60);
    let text = env.ok("backup --keep 2 kept");
    assert_eq!(
        text,
        "The database is copied to kept/outflank-2026-11-21T110000Z.db. \
         kept/outflank-2026-11-21T100000Z-2.db is removed.\n"
    );
    let kept = ["outflank-2026-11-21T100000Z-3.db", "outflank-2026-11-21T110000Z.db"];
    assert_eq!(copies(), kept);
    for name in kept {
        let path = env.path("kept").join(name);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(state::check(&path), 1);
    }
    assert_eq!(fs::read_to_string(env.path("kept/outflank.db")).unwrap(), "mine");
    assert_eq!(names_in(&env, "kept").len(), kept.len() + foreign.len() + 2);
}

#[test]
fn copies_of_a_clock_that_was_ahead_count_as_older() {
    let env = TestEnvironment::new().with_game();
    fs::create_dir(env.path("kept")).unwrap();
    env.later(60 * 24 * 365);
    env.ok("backup --keep 3 kept");
    env.later(1);
    env.ok("backup --keep 3 kept");
    env.later(-60 * 24 * 365);
    env.ok("backup --keep 2 kept");
    let kept = ["outflank-2026-11-21T100100Z.db", "outflank-2027-11-21T100100Z.db"];
    assert_eq!(names_in(&env, "kept"), kept);
    env.later(1);
    env.ok("backup --keep 2 kept");
    let kept = ["outflank-2026-11-21T100100Z.db", "outflank-2026-11-21T100200Z.db"];
    assert_eq!(names_in(&env, "kept"), kept);
}

#[test]
fn dated_copies_made_at_once_are_all_kept() {
    let env = TestEnvironment::new().with_game();
    fs::create_dir(env.path("kept")).unwrap();
    let all = vec!["backup --keep 4 kept".to_owned(); 4];
    env.run_at_once(&all).into_iter().for_each(|ran| drop(ran.ok()));
    assert_eq!(names_in(&env, "kept").len(), 4);
    let all = vec!["backup --keep 1 kept".to_owned(); 4];
    env.run_at_once(&all).into_iter().for_each(|ran| drop(ran.ok()));
    let kept = names_in(&env, "kept");
    assert_eq!(kept.len(), 1);
    state::check(&env.path("kept").join(&kept[0]));
}

#[test]
fn a_killed_backup_leaves_no_copy_and_the_next_one_removes_its_leftovers() {
    let env = TestEnvironment::new().with_game();
    fs::create_dir(env.path("kept")).unwrap();
    // More than a few pages, so that a copy takes a moment.
    let add = "INSERT INTO player (name, secret, created_at) VALUES (?1, randomblob(1000), 0)";
    let sqlite = env.sqlite();
    sqlite.execute_batch("BEGIN").unwrap();
    for number in 0..20_000 {
        sqlite.execute(add, [format!("player{number}")]).unwrap();
    }
    sqlite.execute_batch("COMMIT").unwrap();
    let mut killed = 0;
    for number in 0..20 {
        let folder = format!("kept-{number}");
        fs::create_dir(env.path(&folder)).unwrap();
        let running = env.start(&format!("backup --keep 7 {folder}"));
        until("a backup begins", || !names_in(&env, &folder).is_empty());
        running.kill();
        let (drafts, copies): (Vec<_>, Vec<_>) =
            names_in(&env, &folder).into_iter().partition(|name| name.starts_with('.'));
        for name in &copies {
            assert!(name.starts_with("outflank-2026-11-21T"), "{name}");
            state::check(&env.path(&folder).join(name));
        }
        if copies.is_empty() {
            assert_eq!(drafts.len(), 1);
            env.ok(&format!("backup --keep 7 {folder}"));
            assert_eq!(names_in(&env, &folder), ["outflank-2026-11-21T100000Z.db"]);
            killed += 1;
        }
        if killed == 3 {
            break;
        }
    }
    assert!(killed > 0, "no backup was killed in time");
}

#[test]
fn a_backup_removes_what_a_killed_one_has_left_unless_it_is_in_use() {
    let env = TestEnvironment::new().with_game();
    let leftover = env.path(".outflank-copy-x");
    fs::create_dir(&leftover).unwrap();
    fs::write(leftover.join("draft"), "").unwrap();
    let other = File::open(env.folder()).unwrap();
    other.lock_shared().unwrap();
    env.ok("backup one.db");
    assert!(leftover.exists());
    other.unlock().unwrap();
    env.ok("backup two.db");
    assert_eq!(others(&env), ["one.db", "two.db"]);
}

#[test]
fn a_damaged_database_does_not_replace_sound_copies() {
    let env = TestEnvironment::new().with_game();
    fs::create_dir(env.path("kept")).unwrap();
    env.ok("backup --keep 1 kept");
    env.sqlite().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let mut bytes = fs::read(env.database()).unwrap();
    // The number of free pages in the header is wrong.
    bytes[39] ^= 5;
    fs::write(env.database(), bytes).unwrap();
    env.later(1);
    for words in ["backup --keep 1 kept", "backup copy.db"] {
        let line = env.fails(3, words);
        assert!(
            line.contains("the disk could not be read, or the database is damaged: "),
            "{line}"
        );
        assert!(line.ends_with("; run `outflank verify` before you restore a backup"), "{line}");
    }
    assert_eq!(names_in(&env, "kept"), ["outflank-2026-11-21T100000Z.db"]);
    assert_eq!(others(&env), ["kept"]);
}

#[test]
fn a_dated_copy_needs_a_folder_and_a_number() {
    let env = TestEnvironment::new().with_game();
    fs::write(env.path("file"), "").unwrap();
    assert_eq!(
        env.fails(3, "backup --keep 7 missing"),
        "outflank: there is no folder missing; create it with `mkdir`, or give another folder"
    );
    assert_eq!(
        env.fails(1, "backup --keep 7 file"),
        "outflank: file is not a folder; with --keep, give a folder; leave out --keep to write one file"
    );
    let line = env.fails(1, "backup --keep 0 .");
    assert!(line.contains("--keep takes a number from 1 to 1000, not \"0\""), "{line}");
    env.fails(2, "backup --keep 7");
    env.fails(2, "backup --keep 7 . copy.db");
    assert_eq!(others(&env), ["file"]);
}

#[test]
fn a_dated_copy_that_fails_on_a_full_disk_removes_nothing() {
    let test = "reliability::backup::a_dated_copy_that_fails_on_a_full_disk_removes_nothing";
    small_disk::within(test, |small| {
        let env = TestEnvironment::new().with_game();
        fs::create_dir(env.path("kept")).unwrap();
        env.ok("backup --keep 2 kept");
        env.later(1);
        env.ok("backup --keep 2 kept");
        let before = names_in(&env, "kept");
        env.later(1);
        small_disk::fill(small, 3 * 4096);
        let line = env.fails(3, "backup --keep 2 kept");
        assert!(line.contains("full"), "{line}");
        assert_eq!(names_in(&env, "kept"), before);
        fs::remove_file(small.join("ballast")).unwrap();
        env.ok("backup --keep 2 kept");
        assert_eq!(names_in(&env, "kept").len(), 2);
    });
}
