//! A Maildir that another program fills.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::club::{ALICE, BOB, Club, Mail, OUTFLANK};
use crate::house::{Ran, until};

const TAKE_IN: [&str; 3] = ["receive", "--maildir", "in"];

fn with_maildir() -> Club {
    let club = Club::new();
    for name in ["in/new", "in/cur", "in/tmp"] {
        fs::create_dir_all(club.house.path(name)).unwrap();
    }
    club
}

/// Puts a mail there as programs do.
fn put(club: &Club, name: &str, bytes: &[u8]) {
    fs::write(club.house.path("in/tmp/x"), bytes).unwrap();
    fs::rename(club.house.path("in/tmp/x"), club.house.path("in/new").join(name)).unwrap();
}

fn names(club: &Club, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(club.house.path(folder)).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_new_is_taken_in_and_moved() {
    let club = with_maildir();
    let mail = club.reply(ALICE, "f5").bytes();
    put(&club, "1.host", &mail);
    put(&club, "2.host:2,", b"no mail");
    put(&club, "3.host:2,F", &club.reply(BOB, "show 1").bytes());
    put(&club, ".hidden", b"not ours");
    fs::create_dir(club.house.path("in/new/folder")).unwrap();
    fs::write(club.house.path("in/tmp/4.host"), &mail).unwrap();
    fs::write(club.house.path("in/cur/5.host:2,"), club.reply(BOB, "resign").bytes()).unwrap();

    assert_eq!(club.house.json(&TAKE_IN), serde_json::json!({ "taken": 3, "quarantined": 1 }));
    assert_eq!(names(&club, "in/new"), [".hidden", "folder"]);
    assert_eq!(names(&club, "in/cur"), ["1.host:2,S", "3.host:2,S", "5.host:2,"]);
    assert_eq!(names(&club, "in/tmp"), ["4.host"]);
    assert_eq!(fs::read(club.house.path("in/cur/1.host:2,S")).unwrap(), mail);
    assert_eq!(club.quarantine(), [b"no mail"]);
    assert_eq!(club.outbox()[2..], ["bob turn sent", "bob answer sent"]);
    assert_eq!(club.house.done(&TAKE_IN), "0 taken in.\n");
    assert_eq!(club.plies(1), 1);
}

#[test]
fn a_folder_that_is_no_maildir() {
    let club = Club::new();
    fs::create_dir_all(club.house.path("empty")).unwrap();
    fs::create_dir_all(club.house.path("half/new")).unwrap();
    fs::write(club.house.path("file"), "").unwrap();
    fs::write(club.house.path("half/new/1"), club.reply(ALICE, "f5").bytes()).unwrap();
    for folder in ["empty", "half", "file", "missing"] {
        for watch in [&[][..], &["--watch"]] {
            let ran = club.house.run(&[&["receive", "--maildir", folder], watch].concat());
            assert!(ran.failed(3).contains(folder), "{ran:?}");
        }
    }
    assert_eq!((club.plies(1), club.fates().len()), (0, 0));
}

#[test]
fn what_cannot_be_dealt_with_now_stays() {
    let club = with_maildir();
    put(&club, "1.host", b"no mail");
    put(&club, "2.host", &club.reply(ALICE, "f5").bytes());
    fs::write(club.house.path("outflank.quarantine"), "no folder").unwrap();
    let ran = club.house.run(&TAKE_IN);
    assert!(ran.failed(3).contains("quarantine"), "{ran:?}");
    assert_eq!(names(&club, "in/new"), ["1.host"], "it is in nobody's way");
    assert_eq!((club.plies(1), club.count("bob turn")), (1, 1));
    fs::remove_file(club.house.path("outflank.quarantine")).unwrap();
    assert_eq!(club.house.json(&TAKE_IN)["quarantined"], 1);
    assert!(names(&club, "in/new").is_empty());
}

#[test]
fn a_mail_that_may_not_be_read_is_in_nobodys_way() {
    let club = with_maildir();
    put(&club, "1.host", b"secret");
    put(&club, "2.host", &club.reply(ALICE, "f5").bytes());
    fs::set_permissions(club.house.path("in/new/1.host"), Permissions::from_mode(0o000)).unwrap();
    if File::open(club.house.path("in/new/1.host")).is_ok() {
        return println!("skipped: file modes do not hold here");
    }
    club.house.run(&TAKE_IN).failed(3);
    assert_eq!(club.plies(1), 1);
    assert_eq!(names(&club, "in/new"), ["1.host"]);
}

#[test]
fn the_same_mail_in_two_files_is_one_mail() {
    let club = with_maildir();
    let mail = club.reply(ALICE, "f5").bytes();
    for name in ["1.host", "2.host", "3.host"] {
        put(&club, name, &mail);
    }
    assert_eq!(club.house.json(&TAKE_IN)["taken"], 3);
    assert_eq!((club.plies(1), club.count("bob turn"), club.count("alice answer")), (1, 1, 0));
    assert_eq!(club.fates()["copy"], 2);
}

/// A watch over the Maildir.
struct Watch(Child);

impl Watch {
    fn start(club: &Club) -> Self {
        let mut command = club.house.command(&["receive", "--maildir", "in", "--watch"]);
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn stop(self, signal: &str) -> Ran {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        Ran::of(self.0.wait_with_output().unwrap())
    }
}

#[test]
fn a_watch_takes_in_what_comes_until_it_is_asked_to_stop() {
    for signal in ["TERM", "INT"] {
        let club = with_maildir();
        put(&club, "1.host", &club.reply(ALICE, "f5").bytes());
        let watch = Watch::start(&club);
        until("bob's turn is told", || club.count("bob turn sent") == 1);
        put(&club, "2.host", &club.reply(BOB, "show 1").bytes());
        put(&club, "3.host", b"no mail");
        until("bob is answered", || club.count("bob answer sent") == 1);
        until("all is taken in", || names(&club, "in/new").is_empty());
        let ended = watch.stop(signal);
        assert_eq!((ended.status, &*ended.err), (Some(0), ""), "{ended:?}");
        assert_eq!(club.quarantine(), [b"no mail"]);
        assert_eq!(club.plies(1), 1);
    }
}

#[test]
fn a_watch_delivers_what_it_answers_beside_a_mail_that_has_to_wait() {
    let club = with_maildir();
    put(&club, "1.host", &club.reply(ALICE, "f5").bytes());
    thread::sleep(Duration::from_millis(20));
    put(&club, "2.host", b"no mail");
    fs::write(club.house.path("outflank.quarantine"), "no folder").unwrap();
    let watch = Watch::start(&club);
    until("bob's turn is told", || club.count("bob turn sent") == 1);
    fs::remove_file(club.house.path("outflank.quarantine")).unwrap();
    until("it came again", || names(&club, "in/new").is_empty());
    let ended = watch.stop("TERM");
    assert_eq!((ended.status, ended.err.lines().count()), (Some(0), 1), "{ended:?}");
}

#[test]
fn two_watches_over_one_maildir_do_everything_once() {
    let club = with_maildir();
    let watches = [Watch::start(&club), Watch::start(&club), Watch::start(&club)];
    let letter = club.letter(ALICE);
    let mut names_put: Vec<PathBuf> = Vec::new();
    for number in 0..12 {
        let text = if number == 0 { "f5".to_owned() } else { format!("show 1#{}", number % 2) };
        let mail = match number {
            10 => b"no mail".to_vec(),
            11 => Mail::new("carol@example.org", OUTFLANK, "hello").bytes(),
            _ => letter.reply(ALICE, &text).bytes(),
        };
        put(&club, &format!("{number:02}.host"), &mail);
        names_put.push(club.house.path("in/cur").join(format!("{number:02}.host:2,S")));
    }
    until("all is taken in", || names(&club, "in/new").is_empty());
    for watch in watches {
        let ended = watch.stop("TERM");
        assert_eq!((ended.status, &*ended.err), (Some(0), ""), "{ended:?}");
    }
    club.house.wait(3600);
    club.house.done(&["send"]);
    assert_eq!(names_put.iter().filter(|path| path.exists()).count(), 11);
    assert_eq!((club.plies(1), club.count("bob turn"), club.count("carol")), (1, 1, 1));
    assert_eq!(club.count("alice answer"), 5);
    assert_eq!(club.fates()["unanswered"], 4);
    assert_eq!(club.quarantine(), [b"no mail"]);
    club.house.mails();
}

#[test]
fn whatever_is_killed_the_next_watch_goes_on() {
    let club = with_maildir();
    let mut span = Duration::from_millis(20);
    let mut rng = fastrand::Rng::new();
    let began = Instant::now();
    let mut mails = 0;
    while mails < 12 && began.elapsed() < Duration::from_secs(2) {
        let (address, number) = if mails % 2 == 0 { (ALICE, mails + 1) } else { (BOB, mails + 1) };
        let played = format!("{}#{number}\nshow 1", club.legal(1));
        let mail = club.letters(address)[0].reply(address, &played);
        put(&club, &format!("{mails}.host"), &mail.bytes());
        while !names(&club, "in/new").is_empty() {
            let mut watch = Watch::start(&club).0;
            thread::sleep(span.mul_f64(rng.f64()));
            watch.kill().unwrap();
            watch.wait().unwrap();
            span = span.mul_f64(1.1);
        }
        span = span.mul_f64(0.8);
        mails += 1;
        club.house.wait(1800);
        let turns = club.outbox().iter().filter(|mail| mail.contains(" turn ")).count();
        let answers = club.outbox().iter().filter(|mail| mail.contains(" answer ")).count();
        let found = (club.plies(1), turns, answers, names(&club, "in/cur").len());
        assert_eq!(found, (mails as u64, mails, mails, mails));
    }
    club.house.wait(3600);
    club.house.done(&["send"]);
    assert_eq!(club.outbox().iter().filter(|mail| mail.ends_with(" queued")).count(), 0);
}
