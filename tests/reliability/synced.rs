//! A new file survives a power failure only if its folder and all folders above it are synced.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::{ALICE, BOB, PROGRAM, SERVER, TestEnvironment, run_with_input, skipped};

/// Returns whether system calls can be traced here.
fn can_trace() -> bool {
    let traced = Command::new("strace").arg("true").stderr(Stdio::null()).status();
    let can_trace = traced.is_ok_and(|status| status.success());
    if !can_trace {
        skipped("reliability::synced", "strace cannot run here");
    }
    can_trace
}

/// Runs the binary on the default database, and returns the paths that it has synced; `None` if
/// system calls cannot be traced.
fn synced(env: &TestEnvironment, words: &str, input: &[u8]) -> Option<BTreeSet<PathBuf>> {
    let path = |line: &str| Some(PathBuf::from(line.split_once('<')?.1.split_once(">)")?.0));
    Some(traced(env, "fsync,fdatasync", words, input)?.lines().filter_map(path).collect())
}

/// Runs the binary on the default database, and returns these system calls with their paths, a line each;
/// `None` if they cannot be traced.
fn traced(env: &TestEnvironment, calls: &str, words: &str, input: &[u8]) -> Option<String> {
    if !can_trace() {
        return None;
    }
    let trace = env.path("trace");
    let mut command = Command::new("strace");
    env.seal(&mut command).env_remove("OUTFLANK_DB");
    command.args(["-f", "-y", "-e", &format!("trace={calls}"), "-o"]).arg(&trace).arg(PROGRAM);
    command.args(shlex::split(words).unwrap());
    let ran = run_with_input(command, input);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    Some(fs::read_to_string(trace).unwrap())
}

#[track_caller]
fn assert_synced(synced: &BTreeSet<PathBuf>, home: &Path, folders: &[&str]) {
    for folder in folders {
        let folder = home.join(folder).components().collect::<PathBuf>();
        assert!(synced.contains(&folder), "{} is not synced: {synced:#?}", folder.display());
    }
}

/// The folders between the home folder and the database.
const ABOVE: [&str; 4] = ["", ".local", ".local/share", ".local/share/outflank"];

#[test]
fn all_folders_that_a_command_creates_are_synced() {
    let env = TestEnvironment::new();
    let home = env.folder().canonicalize().unwrap();
    let new = format!("new mini {ALICE} {BOB}");
    let Some(paths) = synced(&env, &new, b"") else { return };
    assert_synced(&paths, &home, &ABOVE);
    let maildir = ".local/share/outflank/outflank.maildir";
    assert_synced(&paths, &home, &[maildir, &format!("{maildir}/new")]);
    env.configure("[receive]");
    let receive = format!("receive {SERVER} {ALICE} ''");
    let paths = synced(&env, &receive, b"From: nobody").unwrap();
    assert_synced(&paths, &home, &ABOVE);
    assert_synced(&paths, &home, &[".local/share/outflank/outflank.quarantine"]);
}

#[test]
fn all_folders_that_a_killed_command_has_created_are_synced() {
    let env = TestEnvironment::new();
    let home = env.folder().canonicalize().unwrap();
    let Some(_) = synced(&env, &format!("new mini {ALICE} {BOB}"), b"") else { return };
    let folder = home.join(".local/share/outflank");
    // It was killed before it created the log and the third folder of the Maildir.
    rusqlite::Connection::open(folder.join("outflank.db"))
        .unwrap()
        .pragma_update(None, "journal_mode", "DELETE")
        .unwrap();
    fs::remove_dir_all(folder.join("outflank.maildir/cur")).unwrap();
    let paths = synced(&env, "move 1 a2", b"").unwrap();
    assert_synced(&paths, &home, &ABOVE);
    assert_synced(&paths, &home, &[".local/share/outflank/outflank.maildir"]);
    let paths = synced(&env, "--as bob show 1", b"").unwrap();
    assert!(paths.is_empty(), "only once: {paths:#?}");
    // It was killed after it created the log.
    fs::write(folder.join("outflank.db-wal"), "").unwrap();
    let paths = synced(&env, "--as bob resign 1", b"").unwrap();
    assert_synced(&paths, &home, &ABOVE);
}

#[test]
fn a_move_syncs_the_log_and_its_mail_but_no_folder_of_a_known_log() {
    let env = TestEnvironment::new();
    let home = env.folder().canonicalize().unwrap();
    let Some(_) = synced(&env, &format!("new othello {ALICE} {BOB} --moves f5"), b"") else {
        return;
    };
    let folder = home.join(".local/share/outflank");
    let is_draft = |path: &PathBuf| path.starts_with(folder.join("outflank.maildir/tmp"));
    for mv in ["d6", "c3", "d3", "c4", "f4"] {
        if ["c4", "f4"].contains(&mv) {
            // `send` empties the log, but its name is on disk.
            synced(&env, "send", b"");
            assert_eq!(fs::metadata(folder.join("outflank.db-wal")).unwrap().len(), 0);
        }
        let paths = synced(&env, &format!("move 1 {mv}"), b"").unwrap();
        assert!(paths.contains(&folder.join("outflank.db-wal")), "{paths:#?}");
        assert!(paths.contains(&folder.join("outflank.maildir/new")), "{paths:#?}");
        assert_eq!(paths.iter().filter(|path| is_draft(path)).count(), 1, "{paths:#?}");
        assert_eq!(paths.len(), 3, "{paths:#?}");
    }
}

#[test]
fn a_mail_that_is_erased_from_the_quarantine_does_not_come_back() {
    let env = TestEnvironment::new();
    let home = env.folder().canonicalize().unwrap();
    let Some(_) = synced(&env, &format!("new mini {ALICE} {BOB}"), b"") else { return };
    env.configure("[receive]");
    let mail = format!("From: {BOB}");
    synced(&env, &format!("receive {SERVER} {BOB} ''"), mail.as_bytes());
    let quarantine = ".local/share/outflank/outflank.quarantine";
    let count = || fs::read_dir(home.join(quarantine)).unwrap().count();
    assert_eq!(count(), 1);
    let paths = synced(&env, "--as bob leave --yes", b"").unwrap();
    assert_eq!(count(), 0);
    assert_synced(&paths, &home, &[quarantine]);
}

#[test]
fn a_dated_copy_is_on_disk_before_it_has_its_name() {
    let env = TestEnvironment::new();
    let Some(_) = synced(&env, &format!("new mini {ALICE} {BOB}"), b"") else { return };
    fs::create_dir(env.path("copies")).unwrap();
    let calls = traced(&env, "fsync,renameat2", "backup --keep 2 copies", b"").unwrap();
    let (before, after) = calls.split_once("renameat2(").expect("a rename");
    // The folder of the draft, then the draft.
    let is_in_draft = |call: &str| call.rsplit_once("/.outflank.db-keep-")?.1.contains('/').into();
    let drafts: Vec<bool> = before.lines().filter_map(is_in_draft).collect();
    assert!(drafts.ends_with(&[false, true]), "{calls}");
    assert!(after.contains("/copies>)"), "{calls}");
}

/// The change claims its mails; the second turn settles them.
#[test]
fn a_command_takes_two_turns_among_those_who_write() {
    let env = TestEnvironment::new();
    let new = format!("new othello {ALICE} {BOB}");
    let Some(_) = synced(&env, &new, b"") else { return };
    for command in ["move 1 f5", "--as alice draw 1", "--as bob resign 1"] {
        let calls = traced(&env, "flock", command, b"").unwrap();
        let turns = calls.lines().filter(|line| line.contains(".db-lock>, LOCK_EX")).count();
        assert_eq!(turns, 2, "{command}: {calls}");
    }
    let mails = fs::read_dir(env.path(".local/share/outflank/outflank.maildir/new")).unwrap();
    assert_eq!(mails.count(), 6);
}

#[test]
fn a_disk_that_fails_while_a_move_is_saved_is_reported() {
    let env = TestEnvironment::new().with_game();
    if !can_trace() {
        return;
    }
    let mut command = Command::new("strace");
    env.seal(&mut command).args(["-f", "-o", "trace", "-e", "trace=fsync,fdatasync"]);
    command.args(["-e", "inject=fsync,fdatasync:error=EIO", PROGRAM, "move", "1", "f5"]);
    let ran = run_with_input(command, b"");
    let line = ran.failed(3);
    assert!(line.contains("the disk failed while saving"), "{line}");
    assert!(line.contains("the change may have been saved; look with `outflank show"), "{line}");
    // With its number, the move cannot be repeated.
    let again = env.run("move 1 f5#1");
    assert!(again.status == Some(0) || again.failed(1).contains("already played"), "{again:?}");
    assert_eq!(env.plies(1), 1);
}
