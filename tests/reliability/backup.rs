//! Backups of a database in use.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rusqlite::Connection;

use super::{small_disk, state};
use crate::harness::{ALICE, BOB, TestEnvironment};

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
