//! A Maildir on this machine.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use outflank::clock::Deadline;
use outflank::mail::transport::{Message, Worker};

use super::{DeliverOne, error, refused, soon};

fn transport(path: &Path) -> Worker {
    super::transport(&format!("kind = 'maildir'\npath = '{}'", path.display()))
}

fn message(id: &str) -> Message {
    Message { message_id: id.into(), ..super::message("Subject: your move\r\n\r\none\r\ntwo\r\n") }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn stores_one_private_file_with_lf() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("box");
    transport(&path).deliver_one(&message("1.a@host"), soon()).unwrap();
    for folder in ["", "tmp", "new", "cur"] {
        assert_eq!(mode(&path.join(folder)), 0o700, "{folder}");
    }
    assert_eq!(names(&path.join("new")), ["1.a@host"]);
    assert!(names(&path.join("tmp")).is_empty());
    let file = path.join("new/1.a@host");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "Delivered-To: alice@example.com\nSubject: your move\n\none\ntwo\n"
    );
}

#[test]
fn a_message_that_is_delivered_twice_is_stored_once() {
    let home = tempfile::tempdir().unwrap();
    let mut first = message("1@host");
    transport(home.path()).deliver_one(&first, soon()).unwrap();
    first.bytes = b"Subject: other\r\n\r\n".to_vec();
    transport(home.path()).deliver_one(&first, soon()).unwrap();
    transport(home.path()).deliver_one(&message("2@host"), soon()).unwrap();
    assert_eq!(names(&home.path().join("new")), ["1@host", "2@host"]);
    assert!(names(&home.path().join("tmp")).is_empty());
    let kept = fs::read_to_string(home.path().join("new/1@host")).unwrap();
    assert!(kept.contains("your move"), "the first one stays: {kept}");
}

#[test]
fn bare_line_ends_and_bytes_are_kept() {
    let home = tempfile::tempdir().unwrap();
    let odd = Message { bytes: b"a\rb\n\r\r\n\xff\r".to_vec(), ..message("1@host") };
    transport(home.path()).deliver_one(&odd, soon()).unwrap();
    let stored = fs::read(home.path().join("new/1@host")).unwrap();
    assert_eq!(stored, b"Delivered-To: alice@example.com\na\rb\n\r\n\xff\r");
}

#[test]
fn old_drafts_of_killed_processes_are_removed() {
    let home = tempfile::tempdir().unwrap();
    transport(home.path()).deliver_one(&message("1@host"), soon()).unwrap();
    let tmp = home.path().join("tmp");
    let hours_ago = |hours: u64| SystemTime::now() - Duration::from_secs(60 * 60 * hours);
    for (name, hours) in [("outflank.old", 37), ("outflank.young", 35), ("1234.M5.other", 37)] {
        let file = File::create(tmp.join(name)).unwrap();
        file.set_modified(hours_ago(hours)).unwrap();
    }
    fs::create_dir(tmp.join("outflank.folder")).unwrap();
    transport(home.path()).deliver_one(&message("2@host"), soon()).unwrap();
    assert_eq!(names(&tmp), ["1234.M5.other", "outflank.folder", "outflank.young"]);
}

#[test]
fn a_maildir_half_created_by_a_killed_process_is_completed() {
    for missing in [&["tmp", "new", "cur"][..], &["new", "cur"], &["cur"], &["new"]] {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("box");
        transport(&path).deliver_one(&message("1@host"), soon()).unwrap();
        missing.iter().for_each(|name| fs::remove_dir_all(path.join(name)).unwrap());
        transport(&path).deliver_one(&message("2@host"), soon()).unwrap();
        assert_eq!(names(&path), ["cur", "new", "tmp"], "{missing:?}");
    }
}

/// Returns the names of the files of messages with these Message-IDs.
fn stored_as(ids: &[&str]) -> Vec<String> {
    let home = tempfile::tempdir().unwrap();
    for id in ids {
        transport(home.path()).deliver_one(&message(id), soon()).unwrap();
    }
    names(&home.path().join("new"))
}

#[test]
fn names_are_safe_and_differ() {
    assert_eq!(stored_as(&["12.f5-3@games.example"]), ["12.f5-3@games.example"]);
    assert_eq!(stored_as(&[".hidden"]), ["=2Ehidden"]);
    assert_eq!(stored_as(&["../a:b\0=é"]), ["=2E.=2Fa=3Ab=00=3D=C3=A9"]);
    let long = |end: char| format!("{}{end}", "x".repeat(400));
    let names = stored_as(&[&long('a'), &long('a'), &long('b')]);
    assert_eq!(names.iter().map(String::len).collect::<Vec<_>>(), [217, 217]);
}

#[test]
fn errors_name_the_path() {
    let home = tempfile::tempdir().unwrap();
    let no_parent = home.path().join("missing/box");
    let no_folder = home.path().join("file");
    fs::write(&no_folder, "").unwrap();
    for path in [no_parent, no_folder] {
        let (kind, why) = error(transport(&path).deliver_one(&message("1@host"), soon()));
        assert!(kind == "unavailable" && why.contains(path.to_str().unwrap()), "{why}");
    }
}

#[test]
fn invalid_messages_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let bad = Message { to: "a@b\nBcc: c@d".into(), ..message("1@host") };
    for (bad, kind) in [(bad, "recipient"), (message(""), "permanent")] {
        assert_eq!(error(transport(home.path()).deliver_one(&bad, soon())).0, kind);
    }
    let over = Deadline::after(Duration::ZERO);
    let late = transport(home.path()).deliver_one(&message("1@host"), over);
    assert_eq!(error(late).0, "temporary");
    assert!(names(home.path()).is_empty());
}

#[test]
fn wrong_settings_are_named() {
    let refused = |settings: &str| refused(&format!("kind = 'maildir'\n{settings}"));
    assert_eq!(refused(""), "[transport] missing field `path`");
    assert!(refused("path = 3").starts_with("[transport] path: "));
    assert!(refused("path = ''").starts_with("[transport] path is empty"));
    assert!(refused("path = 'x'\nport = 3").contains("`port`"));
}
