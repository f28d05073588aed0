//! The first successful command creates the database.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use super::bad_database::run_unprivileged;
use super::{small_disk, state};
use crate::harness::{CAROL, Run, TestEnvironment, run, until};

const MANY: usize = 12;

/// Commands that are refused after they have opened the database to write.
const REFUSED: [&str; 4] =
    ["move 1 d3", "new othello alice bob", "resign 1 --as alice", "address zoe zoe@example.org"];

/// Returns all paths in a folder, including SQLite's files.
fn everything(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(everything(&path));
        }
        found.insert(path);
    }
    found
}

/// Returns a command on the default database.
fn by_default(env: &TestEnvironment, words: &str) -> Command {
    let mut command = env.command(words);
    command.env_remove("OUTFLANK_DB");
    command
}

fn default_database(env: &TestEnvironment) -> PathBuf {
    env.path(".local/share/outflank/outflank.db")
}

/// Runs commands on the default database at the same time.
fn at_once(env: &TestEnvironment, all: &[String]) -> Vec<Run> {
    let barrier = Barrier::new(all.len());
    thread::scope(|scope| {
        let start = |words| {
            let (command, barrier) = (by_default(env, words), &barrier);
            scope.spawn(move || {
                barrier.wait();
                run(command)
            })
        };
        let running: Vec<_> = all.iter().map(|words| start(words)).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn players(database: &Path) -> BTreeSet<String> {
    let sqlite = Connection::open(database).unwrap();
    let mut select = sqlite.prepare("SELECT name FROM player").unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn commands_refused_at_once_leave_nothing_behind() {
    for round in 0..20 {
        let env = TestEnvironment::new();
        let before = everything(env.folder());
        let all: Vec<_> = (0..MANY).map(|n| REFUSED[n % REFUSED.len()].to_owned()).collect();
        for ran in at_once(&env, &all) {
            ran.failed(1);
        }
        assert_eq!(everything(env.folder()), before, "round {round}");
    }
}

#[test]
fn changes_made_among_refused_commands_are_kept() {
    for round in 0..20 {
        let env = TestEnvironment::new();
        // Each name is asked for twice.
        let all: Vec<_> = (0..MANY)
            .map(|n| match n % 3 {
                0 => format!("signup player{} p{n}@example.org", n / 6),
                _ => REFUSED[n % REFUSED.len()].to_owned(),
            })
            .collect();
        let ran = at_once(&env, &all);
        let mut expected = BTreeSet::new();
        for (words, ran) in all.iter().zip(&ran) {
            if ran.status == Some(0) {
                let name = words.split(' ').nth(1).unwrap().to_owned();
                assert!(expected.insert(name), "round {round}: {words} succeeded twice");
            } else {
                ran.failed(1);
            }
        }
        assert_eq!(expected.len(), 2, "round {round}: {ran:?}");
        assert_eq!(players(&default_database(&env)), expected, "round {round}");
        let mode = fs::metadata(default_database(&env)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "round {round}");
    }
}

#[test]
fn a_database_is_created_after_an_earlier_attempt_was_killed() {
    let mut rng = fastrand::Rng::with_seed(7);
    for round in 0..50 {
        let env = TestEnvironment::new();
        let running = env.start("signup alice alice@example.org");
        thread::sleep(Duration::from_millis(12).mul_f64(rng.f64()));
        let ran = running.kill();
        env.ok("games");
        env.fails(1, "move 1 d3");
        env.ok("signup bob bob@example.org");
        assert_eq!(state::check(&env.database()), 0);
        let found = players(&env.database());
        assert!(found.contains("bob"), "round {round}");
        assert!(found.contains("alice") || ran.stdout.is_empty(), "round {round}: {ran:?}");
    }
}

/// The journal can undo the written half of the database.
#[test]
fn a_half_created_database_is_undone() {
    let env = TestEnvironment::new();
    let (source, half) = (env.path("source.db"), env.database());
    let writer = Connection::open(&source).unwrap();
    let sql = "PRAGMA cache_size = 2; BEGIN; CREATE TABLE game (bytes BLOB);
        INSERT INTO game VALUES (zeroblob(100000))";
    writer.execute_batch(sql).unwrap();
    fs::copy(&source, &half).unwrap();
    fs::copy(env.path("source.db-journal"), env.path("outflank.db-journal")).unwrap();
    assert!(fs::metadata(&half).unwrap().len() > 0);

    env.ok("games");
    env.fails(1, "move 1 d3");
    env.fails(3, "backup copy.db");
    assert_eq!(fs::metadata(&half).unwrap().len(), 0);
    env.ok("signup bob bob@example.org");
    assert_eq!(players(&half), ["bob".to_owned()].into());
}

#[test]
fn an_empty_file_that_was_there_before_stays() {
    let env = TestEnvironment::new();
    fs::write(env.database(), "").unwrap();
    for ran in env.run_at_once(&REFUSED.map(str::to_owned)) {
        ran.failed(1);
    }
    assert_eq!(fs::read(env.database()).unwrap(), b"");
}

#[test]
fn a_dangling_link_creates_its_target_or_nothing() {
    let env = TestEnvironment::new();
    fs::create_dir(env.path("disk")).unwrap();
    symlink("middle.db", env.database()).unwrap();
    symlink("disk/real.db", env.path("middle.db")).unwrap();
    let before = everything(env.folder());
    for refused in REFUSED {
        env.fails(1, refused);
        assert_eq!(everything(env.folder()), before, "{refused}");
    }
    env.ok("signup bob bob@example.org");
    assert!(env.database().is_symlink());
    let target = env.path("disk/real.db");
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(players(&target), ["bob".to_owned()].into());

    symlink("missing/real.db", env.path("lost.db")).unwrap();
    for command in ["games", "signup bob bob@example.org"] {
        let line = env.fails(3, &format!("{command} --db lost.db"));
        assert!(line.contains("its folder does not exist"), "{line}");
    }
}

#[test]
fn a_device_is_refused() {
    let env = TestEnvironment::new();
    for command in ["games", "signup bob bob@example.org"] {
        let line = env.fails(3, &format!("{command} --db /dev/null"));
        assert!(line.contains("/dev/null: it is not a file"), "{line}");
    }
}

#[test]
fn an_empty_file_in_a_read_only_folder_is_refused() {
    let env = TestEnvironment::new();
    fs::write(env.database(), "").unwrap();
    fs::set_permissions(env.database(), Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(env.folder(), Permissions::from_mode(0o555)).unwrap();
    if let Some(ran) = run_unprivileged(&env, "signup bob bob@example.org") {
        assert!(ran.failed(3).contains("read-only"), "{ran:?}");
    }
    fs::set_permissions(env.folder(), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fs::read(env.database()).unwrap(), b"");
}

#[test]
fn a_watch_waits_for_a_database_that_is_away() {
    let env = TestEnvironment::new().with_game();
    env.ok("send");
    // Without the club's configuration, the mail is left to the watch.
    fs::write(env.path("other.toml"), "[mail]\nfrom = 'other@club.example'").unwrap();
    env.ok("--config other.toml move 1 f5");
    let watch = env.start("send --watch");
    until("bob is mailed", || env.count("bob turn sent") == 1);
    let names = ["outflank.db-wal", "outflank.db-shm", "outflank.db"];
    // The database goes first, so that its log is there alone for a while, and comes back last.
    for name in names.iter().rev() {
        fs::rename(env.path(name), env.path(&format!("away-{name}"))).unwrap();
    }
    until("it says so", || watch.has_said("outflank.db; give another file with --db"));
    for name in names {
        fs::rename(env.path(&format!("away-{name}")), env.path(name)).unwrap();
    }
    env.ok("--config other.toml move 1 d6");
    until("alice is mailed", || env.count("alice turn sent") == 1);
    watch.stop("TERM");
}

/// Moves the files of the database with these names away.
fn move_away(env: &TestEnvironment, names: &[&str]) {
    for name in names {
        fs::rename(env.path(name), env.path(&format!("away-{name}"))).unwrap();
    }
}

#[test]
fn nothing_is_created_beside_the_log_of_another_database() {
    for kept in ["outflank.db-wal", "outflank.db-shm"] {
        let env = TestEnvironment::new().with_game();
        env.ok("send");
        env.ok("move 1 f5");
        let gone = ["outflank.db", "outflank.db-wal", "outflank.db-shm"];
        let gone: Vec<_> = gone.into_iter().filter(|name| *name != kept).collect();
        move_away(&env, &gone);
        let before = everything(env.folder());
        let new = format!("new mini {CAROL} dave@example.org");
        for words in [&new, "signup carol carol@example.org", "play --lines", "games", "send"] {
            let line = env.fails(3, words);
            assert!(line.contains(&format!("{kept} lies there")), "{words}: {line}");
            assert!(line.contains("move that database back"), "{words}: {line}");
        }
        // An empty file is no database either: SQLite would remove the log.
        fs::write(env.database(), "").unwrap();
        assert!(env.fails(3, &new).contains("lies there"));
        fs::remove_file(env.database()).unwrap();
        assert_eq!(everything(env.folder()), before);
        for name in gone {
            fs::rename(env.path(&format!("away-{name}")), env.path(name)).unwrap();
        }
        assert_eq!(env.moves(1), ["f5"]);

        fs::write(env.path(&format!("copy.db{}", &kept["outflank.db".len()..])), "").unwrap();
        assert!(env.fails(3, "backup copy.db").contains("the log of another database"));
        assert!(!env.path("copy.db").exists());
    }
}

#[test]
fn a_full_disk_leaves_no_half_of_a_database() {
    let test = "reliability::creation::a_full_disk_leaves_no_half_of_a_database";
    small_disk::within(test, on_a_full_disk);
}

fn on_a_full_disk(small: &Path) {
    let env = TestEnvironment::new();
    let before = everything(env.folder());
    let (mut made, mut full) = (0, 0);
    for free in (0..160).step_by(2) {
        small_disk::fill(small, free * 4096);
        let ran = run(by_default(&env, "signup bob bob@example.org"));
        fs::remove_file(small.join("ballast")).unwrap();
        if ran.status == Some(0) {
            assert_eq!(players(&default_database(&env)), ["bob".to_owned()].into());
            fs::remove_dir_all(env.path(".local")).unwrap();
            made += 1;
        } else {
            assert!(ran.failed(3).contains("the disk is full"), "{free} pages: {ran:?}");
            assert_eq!(everything(env.folder()), before, "{free} pages: {ran:?}");
            full += 1;
        }
    }
    assert!(made > 1 && full > 1, "made {made} times, full {full} times");
}
