//! Faults of one mail, job or game, and times that a wrong clock has set.

use std::fs;
use std::os::unix::fs::FileExt;

use chrono::{DateTime, TimeDelta, Utc};

use super::outbox::{mail, start, transport_of};
use crate::harness::{ALICE, BOB, CAROL, TestEnvironment};

const DAY: i64 = 24 * 60;

/// Makes a change of the database fail until it is repaired.
fn break_when(env: &TestEnvironment, change: &str) {
    let broken = "BEGIN SELECT RAISE(ABORT, 'a broken row'); END";
    env.sqlite().execute_batch(&format!("CREATE TRIGGER broken BEFORE {change} {broken}")).unwrap();
}

fn repair(env: &TestEnvironment) {
    env.sqlite().execute_batch("DROP TRIGGER broken").unwrap();
}

/// Runs `send`, and checks the fault in its report.
#[track_caller]
fn send_reports(env: &TestEnvironment, what: &str) {
    let line = env.fails(3, "send");
    assert!(line.contains(what) && line.contains("a broken row"), "{line}");
}

#[test]
fn a_fault_of_one_mail_leaves_the_others() {
    let env = TestEnvironment::new();
    transport_of(&env, "kind = 'smtp'\nhost = 'localhost'\nuser = 'x'\npassword_file = '/pigeon'");
    start(&env);
    break_when(&env, "UPDATE OF first_try_at ON outbox WHEN OLD.id = 1");
    send_reports(&env, "mail 1 to alice");
    assert_eq!([1, 2].map(|id| mail(&env, id)["state"].clone()), ["queued", "sent"]);
    assert!(mail(&env, 1)["error"].as_str().unwrap().contains("a broken row"));
    repair(&env);
    env.later(5);
    env.ok("send");
    assert_eq!(mail(&env, 1)["state"], "sent");
}

#[test]
fn a_mail_that_cannot_be_checked_does_not_go() {
    let env = TestEnvironment::new().with_game();
    env.ok(&format!("signup carol {CAROL}"));
    for name in ["alice", "bob"] {
        env.ok(&format!("set watchers all --as {name}"));
    }
    env.ok("watch 1 --as carol");
    transport_of(&env, "kind = 'sendmail'\ncommand = ['sh', '-c', 'cat >/dev/null; exit 75']");
    env.ok("resign 1 --as alice --config config.toml");
    let rename = |from: &str, to: &str| {
        let sql = format!("ALTER TABLE watcher RENAME COLUMN {from} TO {to}");
        env.sqlite().execute_batch(&sql).unwrap();
    };
    rename("player", "person");
    env.later(5);
    let line = env.fails(3, "send");
    assert!(line.contains("mail 5 to carol") && line.contains("no such column"), "{line}");
    assert_eq!(env.mails_to(CAROL).len(), 0);
    env.mails();
    rename("person", "player");
    env.later(5);
    env.ok("send");
    env.mail_to(CAROL);
}

#[test]
fn a_mail_that_was_sent_but_not_marked_as_sent_is_reported() {
    let env = TestEnvironment::new().with_game();
    env.mails();
    break_when(&env, "UPDATE OF state ON outbox WHEN NEW.state = 'sent'");
    let moved = env.run("move 1 f5");
    let line = "1 mail was sent but not marked as sent, and will be sent again: ";
    assert_eq!(moved.status, Some(0), "{moved:?}");
    assert!(moved.stderr.contains(line), "{moved:?}");
    env.mail_to(BOB);
    send_reports(&env, line);
    repair(&env);
    env.ok("send");
    assert_eq!(env.count("bob turn sent"), 1);
}

#[test]
fn a_mail_that_makes_the_composer_panic_leaves_the_others() {
    let env = TestEnvironment::new();
    // The date of a mail cannot be before 1970.
    let ahead = 66 * 365 * DAY;
    env.later(-ahead);
    env.ok(&format!("new mini {ALICE} {BOB}"));
    assert_eq!(env.all_mails().len(), 0);
    env.later(ahead);
    env.ok("new mini alice bob");
    assert_eq!(env.all_mails().len(), 2);
    env.ok("send");
    let failed = mail(&env, 1);
    assert_eq!(failed["state"], "failed", "after five days");
    assert!(failed["error"].as_str().unwrap().contains("internal error"), "{failed}");
}

#[test]
fn a_fault_of_one_digest_leaves_the_others() {
    let env = TestEnvironment::new().with_game();
    env.ok("new othello bob alice");
    for name in ["alice", "bob"] {
        env.ok(&format!("--as {name} set mail digest 18:00"));
    }
    env.ok("move 1 f5");
    env.ok("move 2 f5");
    env.mails();
    env.later(DAY);
    break_when(&env, "INSERT ON outbox WHEN NEW.kind = 'digest' AND NEW.player = 1");
    send_reports(&env, "the digest of player 1 failed");
    env.mail_to(BOB);
    assert!(env.json("mail 2").to_string().contains("a broken row"));
    repair(&env);
    env.later(60);
    env.ok("send");
    env.mail_to(ALICE);
}

#[test]
fn a_fault_of_one_game_leaves_the_others() {
    let env = TestEnvironment::new();
    for _ in 0..2 {
        env.ok(&format!("new othello {ALICE} {BOB} --clock 3d --flag hard"));
    }
    env.ok("send");
    env.later(4 * DAY);
    break_when(&env, "INSERT ON event WHEN NEW.game = 1");
    send_reports(&env, "the deadline or reminder of game 1 failed");
    assert_eq!([1, 2].map(|id| env.game(id)["status"].clone()), ["active", "finished"]);
    let failed = &env.json("mail 1")["failed_work"][0];
    assert_eq!((&failed["work"], &failed["game"]), (&"deadline".into(), &1.into()), "{failed}");
    assert!(env.json("mail 2").get("failed_work").is_none());
    env.ok("send");
    repair(&env);
    env.later(60);
    env.ok("send");
    assert_eq!(env.game(1)["status"], "finished");
    assert!(env.json("mail").get("failed_work").is_none());
}

#[test]
fn a_fault_of_one_job_leaves_the_others() {
    let env = TestEnvironment::new();
    env.ok(&format!("new mini {ALICE} bot:0"));
    env.ok("new mini alice bot:0");
    break_when(&env, "INSERT ON event WHEN NEW.game = 1 AND NEW.author = 'w'");
    let printed = env.ok("move 1 b1");
    assert!(printed.contains("bot:0 replies at the next `send`."), "{printed}");
    env.ok("move 2 b1");
    assert_eq!([1, 2].map(|id| env.plies(id)), [1, 2]);
    let failed = &env.json("mail")["failed_work"][0];
    assert_eq!((&failed["work"], &failed["game"]), (&"move".into(), &1.into()), "{failed}");
    assert!(env.ok("mail").contains("a broken row"));
    repair(&env);
    env.later(2);
    env.ok("send");
    assert_eq!(env.plies(1), 2);
}

#[test]
fn a_command_that_fails_after_a_flag_fell_changes_nothing() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
    env.later(4 * DAY);
    let events = "SELECT count(*) FROM event";
    let events = || env.sqlite().query_row(events, [], |row| row.get::<_, u32>(0)).unwrap();
    let before = events();
    break_when(&env, "INSERT ON event WHEN NEW.action = 'claim'");
    env.fails(3, "claim 1 --as bob");
    assert_eq!(events(), before);
    repair(&env);
    // After a refusal, the flag stays.
    env.fails(1, "claim 1 --as alice");
    assert_eq!(events(), before + 1);
    env.ok("claim 1 --as bob");
}

#[test]
fn what_a_clock_that_was_ahead_has_put_off_comes_due() {
    let program = "[bots.friend]\ncommand = ['false']\nprotocol = 'gtp'";
    let env = TestEnvironment::new().config(program).with_game();
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("--as carol set mail digest 18:00");
    env.ok("--as bob set grace 10m");
    for sides in ["alice carol", "bob alice", "alice bot:friend"] {
        env.ok(&format!("new othello {sides}"));
    }
    env.ok("send");
    env.mails();
    let ahead = 4 * 365 * DAY * 60;
    env.outage_seconds(ahead);
    transport_of(&env, "kind = 'sendmail'\ncommand = ['sh', '-c', 'cat >/dev/null; exit 75']");
    env.ok("move 1 f5 --config config.toml");
    for game in 2..=4 {
        env.ok(&format!("move {game} f5"));
    }
    env.fails(3, "send");
    env.outage_seconds(-ahead);
    env.mails();

    // The job fails again.
    env.fails(3, "send");
    let mut to: Vec<_> = env.mails().into_iter().map(|mail| mail.to).collect();
    to.sort();
    assert_eq!(to, [ALICE, BOB], "after a grace and a retry");
    let failed = &env.json("mail")["failed_work"][0];
    let due: DateTime<Utc> = failed["due"].as_str().unwrap().parse().unwrap();
    assert!(due - env.now() < TimeDelta::hours(1), "{failed}");
    env.later(DAY);
    env.run("send");
    env.mail_to(CAROL);
}

#[test]
fn a_round_without_progress_ends_on_a_damaged_index() {
    let env = TestEnvironment::new();
    // The times in the index of games are valid numbers of players.
    let now = DateTime::<Utc>::from_timestamp(2, 0).unwrap();
    env.outage_seconds((now - env.now()).num_seconds());
    env.ok(&format!("new othello {ALICE} {BOB}"));
    let sqlite = env.sqlite();
    sqlite.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let page = |index: &str| -> u64 {
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        sqlite.query_row(root, [index], |row| row.get::<_, u64>(0)).unwrap() - 1
    };
    let size: u64 = sqlite.pragma_query_value(None, "page_size", |row| row.get(0)).unwrap();
    let (from, to) = (page("game_black") * size, page("outbox_digest") * size);
    drop(sqlite);
    let file = fs::OpenOptions::new().read(true).write(true).open(env.database()).unwrap();
    let mut bytes = vec![0; size as usize];
    file.read_exact_at(&mut bytes, from).unwrap();
    file.write_all_at(&bytes, to).unwrap();
    assert!(env.fails(3, "send").contains("the database is damaged"));
    env.ok("move 1 f5");
    env.ok("new mini alice bob");
    assert_eq!(env.all_mails().len(), 5);
}
