//! A mail that comes again because nobody knows what became of it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::club::{ALICE, BOB, Club, Mail, feed};
use crate::small_disk;

const TIME: Duration = Duration::from_secs(4);
const MAILS: usize = 40;
/// Nobody is ever over the limit of answers.
const TICK: i64 = 1200;

/// Pipes a mail in and kills what takes it in. Its status, if it ended by itself.
fn killed(club: &Club, mail: &Mail, after: Duration) -> Option<i32> {
    let mut command = club.command(mail, &[]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let bytes = mail.bytes();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&bytes).unwrap();
    drop(stdin);
    thread::sleep(after);
    child.kill().unwrap();
    let ended = child.wait().unwrap();
    // What is in SQLite's log and not in its index is decided by the next commit.
    let change = "UPDATE installation SET created_at = created_at + 1";
    club.house.sqlite().execute(change, []).unwrap();
    ended.code()
}

#[test]
fn whatever_is_killed_a_mail_that_comes_again_is_dealt_with_once() {
    let given = std::env::var("OUTFLANK_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| fastrand::u64(..));
    println!("OUTFLANK_TEST_SEED={seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let club = Club::new();
    club.receive(&club.reply(ALICE, "receipt on"));
    club.receive(&club.reply(BOB, "receipt on"));
    let (mut mails, mut kills, mut span) = (0, 0, Duration::from_millis(25));
    let began = Instant::now();
    while mails < MAILS && began.elapsed() < TIME {
        let shown = club.house.json(&["show", "1"]);
        let Some(mover) = shown["turn"].as_str() else { break };
        let address = if mover == "black" { ALICE } else { BOB };
        let played = shown["legal"][0].as_str().unwrap();
        // The answer shows the board, and the receipt tells of the move.
        let letter = club.letters(address).remove(0);
        let ply = shown["ply"].as_u64().unwrap() + 1;
        let mail = letter.reply(address, &format!("move 1 {played}#{ply}\nshow 1"));
        let mut comes_again = true;
        while comes_again {
            let status = killed(&club, &mail, span.mul_f64(rng.f64()));
            assert!(matches!(status, None | Some(0)), "{status:?}");
            comes_again = status.is_none();
            kills += usize::from(comes_again);
            span = span.mul_f64(if comes_again { 1.1 } else { 0.8 });
        }
        mails += 1;
        assert!(club.plies(1) >= ply);
        club.house.wait(TICK);
    }
    println!("{kills} kills, {mails} mails, span {span:?}");
    assert!(kills > mails, "{kills} kills in {mails} mails");

    club.house.wait(86_400);
    club.house.done(&["send"]);
    let plies = club.house.json(&["history", "1"])["moves"].as_array().unwrap().clone();
    let made = plies.iter().filter(|ply| ply["auto"] != true).count();
    assert_eq!(made, mails);
    let sqlite = club.house.sqlite();
    let mut select = sqlite.prepare("SELECT event, ply, state, message_id FROM outbox").unwrap();
    let outbox: Vec<(String, Option<usize>, String, String)> = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut counted: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for (event, ply, ..) in &outbox {
        if let "turn" | "receipt" = event.as_str() {
            *counted.entry((event, ply.unwrap())).or_default() += 1;
        }
    }
    assert!(counted.values().all(|&count| count == 1), "{counted:?}");
    let turns = counted.keys().filter(|(event, _)| *event == "turn").count();
    assert!(turns == mails || club.legal_or_over(1), "{turns} turn mails, {mails} mails");
    assert_eq!(outbox.iter().filter(|mail| mail.0 == "answer").count(), mails + 2);

    // Everything has gone out, once.
    let delivered = club.house.mails();
    for (event, ply, state, id) in &outbox {
        match state.as_str() {
            "sent" => assert!(delivered.contains_key(id), "{event} {ply:?} was not delivered"),
            "superseded" => {}
            other => panic!("{event} {ply:?} is {other}"),
        }
    }
    assert!(delivered.keys().all(|id| outbox.iter().any(|mail| mail.3 == *id)));
}

impl Club {
    /// Whether a game is over, so that both were told something else.
    fn legal_or_over(&self, game: i64) -> bool {
        self.house.json(&["show", &game.to_string()])["status"] != "active"
    }
}

#[test]
fn a_kill_before_the_end_of_the_mail_changes_nothing() {
    let club = Club::new();
    let mail = club.reply(ALICE, "f5");
    let mut command = club.command(&mail, &[]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&mail.bytes()).unwrap();
    thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((club.plies(1), club.fates().len()), (0, 0));
    assert_eq!(club.receive(&mail), "done");
    assert_eq!(club.plies(1), 1);
}

#[test]
fn eight_copies_at_once_are_one_mail() {
    for (text, came_of_it) in [
        ("f5", &["bob turn"][..]),
        ("f5\nshow 1", &["bob turn", "alice answer"]),
        ("a1", &["alice answer"]),
    ] {
        let club = Club::new();
        let mail = club.reply(ALICE, text);
        let barrier = Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    barrier.wait();
                    let ran = feed(club.command(&mail, &[]), &mail.bytes());
                    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""));
                });
            }
        });
        club.house.wait(3600);
        club.house.done(&["send"]);
        let expected: Vec<_> = came_of_it.iter().map(|mail| format!("{mail} sent")).collect();
        assert_eq!(club.outbox()[2..], expected, "{text}");
        assert_eq!(club.house.mails().len(), 2 + expected.len());
        let fates = club.fates();
        assert_eq!((fates["done"], fates["copy"]), (1, 7));
    }
}

#[test]
fn a_full_disk() {
    small_disk::within("killed::a_full_disk", on_a_full_disk);
}

fn on_a_full_disk(small: &Path) {
    let club = Club::new();
    assert!(club.house.folder().starts_with(small));
    let large = format!("no mail {}", "x".repeat(20_000));
    let (mut done, mut full, mut kept, mut quarantined) = (0, 0, 0, 0);
    let mut mail = club.reply(ALICE, "f5");
    for free in (0..30).step_by(2).chain((0..30).rev().step_by(2)) {
        for is_mail in [true, false] {
            let (plies, outbox, fates) = (club.plies(1), club.outbox().len(), club.fates());
            small_disk::fill(small, free * 4096);
            let bytes = if is_mail { mail.bytes() } else { format!("{free} {large}").into_bytes() };
            let ran = feed(club.command(&mail, &[]), &bytes);
            std::fs::remove_file(small.join("ballast")).unwrap();
            assert_eq!((&*ran.out, &*ran.err), ("", ""));
            match (ran.status, is_mail) {
                (Some(0), true) => {
                    done += 1;
                    assert_eq!((club.plies(1), club.outbox().len()), (plies + 1, outbox + 1));
                    let address = if plies % 2 == 0 { BOB } else { ALICE };
                    let played = format!("{}#{}", club.legal(1), plies + 2);
                    mail = club.letters(address).remove(0).reply(address, &played);
                    club.house.wait(TICK);
                }
                (Some(0), false) => kept += 1,
                (Some(75), _) => {
                    full += 1;
                    assert_eq!((club.plies(1), club.outbox().len()), (plies, outbox));
                    assert_eq!(club.fates(), fates);
                    quarantined += usize::from(!is_mail);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(
        done > 1 && full > 1 && kept > 1 && quarantined > 1,
        "{done} {full} {kept} {quarantined}"
    );
    for mail in club.quarantine() {
        assert!(mail.len() > 20_000 && mail.ends_with(b"x"));
    }
}
