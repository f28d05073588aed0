//! Messages delivered again after an interrupted delivery.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use super::quarantine;
use crate::harness::{ALICE, BOB, InboundMessage, TestEnvironment, run_with_input};
use crate::reliability::small_disk;

const TIME: Duration = Duration::from_secs(4);
const MAILS: usize = 40;
/// The seconds between messages, enough to stay below the limit on answers.
const TICK: i64 = 1200;

/// Pipes a message in and kills the process. Returns its status if it ended by itself.
fn killed(env: &TestEnvironment, message: &InboundMessage, after: Duration) -> Option<i32> {
    let mut command = env.receive_command(message, &[]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let bytes = message.bytes();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&bytes).unwrap();
    drop(stdin);
    thread::sleep(after);
    child.kill().unwrap();
    let ended = child.wait().unwrap();
    // A transaction that is in SQLite's log but not in its index is kept or lost with the next
    // commit.
    let change = "UPDATE installation SET created_at = created_at + 1";
    env.sqlite().execute(change, []).unwrap();
    ended.code()
}

#[test]
fn a_message_retried_after_kills_is_handled_once() {
    let given = std::env::var("OUTFLANK_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| fastrand::u64(..));
    println!("OUTFLANK_TEST_SEED={seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let env = TestEnvironment::new().with_game();
    env.receive(&env.last_mail_to(ALICE).reply("receipt on"));
    env.receive(&env.last_mail_to(BOB).reply("receipt on"));
    let (mut messages, mut kills, mut span) = (0, 0, Duration::from_millis(25));
    let began = Instant::now();
    while messages < MAILS && began.elapsed() < TIME {
        let shown = env.game(1);
        let Some(mover) = shown["turn"].as_str() else { break };
        let address = if mover == "black" { ALICE } else { BOB };
        let played = shown["legal"][0].as_str().unwrap();
        // The answer shows the board, and the receipt confirms the move.
        let mail = env.mails_to(address).remove(0);
        let ply = shown["ply"].as_u64().unwrap() + 1;
        let message = mail.reply(&format!("move 1 {played}#{ply}\nshow 1"));
        let mut comes_again = true;
        while comes_again {
            let status = killed(&env, &message, span.mul_f64(rng.f64()));
            assert!(matches!(status, None | Some(0)), "{status:?}");
            comes_again = status.is_none();
            kills += usize::from(comes_again);
            span = span.mul_f64(if comes_again { 1.1 } else { 0.8 });
        }
        messages += 1;
        assert!(env.plies(1) >= ply);
        env.later_seconds(TICK);
    }
    println!("{kills} kills, {messages} messages, span {span:?}");
    assert!(kills > messages, "{kills} kills in {messages} messages");

    env.later(24 * 60);
    env.ok("send");
    let plies = env.json("history 1")["moves"].as_array().unwrap().clone();
    let made = plies.iter().filter(|ply| ply["auto"] != true).count();
    assert_eq!(made, messages);
    check_mails(&env, messages);
}

/// Checks that each message caused one mail of each kind, and that each was sent once.
fn check_mails(env: &TestEnvironment, messages: usize) {
    let sqlite = env.sqlite();
    let mut select = sqlite.prepare("SELECT kind, ply, state, message_id FROM outbox").unwrap();
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
    assert!(
        turns == messages || env.game(1)["status"] != "active",
        "{turns} turn mails, {messages} messages"
    );
    assert_eq!(outbox.iter().filter(|mail| mail.0 == "answer").count(), messages + 2);

    // Every mail was sent once.
    let delivered = env.all_mails();
    for (event, ply, state, id) in &outbox {
        match state.as_str() {
            "sent" => assert!(delivered.contains_key(id), "{event} {ply:?} was not delivered"),
            "superseded" => {}
            other => panic!("{event} {ply:?} is {other}"),
        }
    }
    assert!(delivered.keys().all(|id| outbox.iter().any(|mail| mail.3 == *id)));
}

#[test]
fn a_kill_before_the_end_of_the_message_changes_nothing() {
    let env = TestEnvironment::new().with_game();
    let message = env.last_mail_to(ALICE).reply("f5");
    let mut command = env.receive_command(&message, &[]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&message.bytes()).unwrap();
    thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((env.plies(1), env.dispositions().len()), (0, 0));
    assert_eq!(env.receive(&message), "done");
    assert_eq!(env.plies(1), 1);
}

#[test]
fn eight_copies_at_once_are_handled_once() {
    for (text, came_of_it) in [
        ("f5", &["bob turn"][..]),
        ("f5\nshow 1", &["bob turn", "alice answer"]),
        ("a1", &["alice answer"]),
    ] {
        let env = TestEnvironment::new().with_game();
        let message = env.last_mail_to(ALICE).reply(text);
        let barrier = Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    barrier.wait();
                    env.hand_in(&message).silent(0);
                });
            }
        });
        env.later(60);
        env.ok("send");
        let expected: Vec<_> = came_of_it.iter().map(|mail| format!("{mail} sent")).collect();
        assert_eq!(env.outbox()[2..], expected, "{text}");
        assert_eq!(env.all_mails().len(), 2 + expected.len());
        assert_eq!(env.plies(1), u64::from(text != "a1"));
        let dispositions = env.dispositions();
        assert_eq!((dispositions["done"], dispositions["copy"]), (1, 7));
    }
}

#[test]
fn a_full_disk_changes_nothing() {
    small_disk::within("intake::killed::a_full_disk_changes_nothing", on_a_full_disk);
}

fn on_a_full_disk(small: &Path) {
    let env = TestEnvironment::new().with_game();
    assert!(env.folder().starts_with(small));
    let large = format!("no mail {}", "x".repeat(20_000));
    let (mut done, mut full, mut kept, mut quarantined) = (0, 0, 0, 0);
    let mut message = env.last_mail_to(ALICE).reply("f5");
    for free in (0..30).step_by(2).chain((0..30).rev().step_by(2)) {
        for is_mail in [true, false] {
            let (plies, outbox, dispositions) =
                (env.plies(1), env.outbox().len(), env.dispositions());
            small_disk::fill(small, free * 4096);
            let bytes =
                if is_mail { message.bytes() } else { format!("{free} {large}").into_bytes() };
            let ran = run_with_input(env.receive_command(&message, &[]), &bytes);
            std::fs::remove_file(small.join("ballast")).unwrap();
            assert_eq!((&*ran.stdout, &*ran.stderr), ("", ""));
            match (ran.status, is_mail) {
                (Some(0), true) => {
                    done += 1;
                    assert_eq!((env.plies(1), env.outbox().len()), (plies + 1, outbox + 1));
                    let address = if plies % 2 == 0 { BOB } else { ALICE };
                    let played = format!("{}#{}", env.legal(1), plies + 2);
                    message = env.mails_to(address).remove(0).reply(&played);
                    env.later_seconds(TICK);
                }
                (Some(0), false) => kept += 1,
                (Some(75), _) => {
                    full += 1;
                    assert_eq!((env.plies(1), env.outbox().len()), (plies, outbox));
                    assert_eq!(env.dispositions(), dispositions);
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
    for message in quarantine(&env) {
        assert!(message.len() > 20_000 && message.ends_with(b"x"));
    }
}
