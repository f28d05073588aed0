//! `send --watch`: new mail, its end, a replaced database, and its wake-ups when idle.

use std::fs;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use super::outbox::{mail, start, transport_of};
use crate::harness::{TestEnvironment, until};

#[test]
fn a_watch_delivers_new_mail_until_it_is_stopped() {
    let env = TestEnvironment::new();
    transport_of(&env, "kind = 'smtp'\nhost = 'localhost'\nuser = 'x'\npassword_file = '/pigeon'");
    start(&env);
    assert!(mail(&env, 1)["error"].as_str().unwrap().contains("pigeon"));
    let watch = env.start("send --watch --json");
    until("both are mailed", || env.all_mails().len() == 2);
    env.ok("move 1 b1 --config config.toml");
    until("bob is mailed", || env.all_mails().len() == 3);

    assert_eq!(
        watch.stop("TERM").json(),
        serde_json::json!({ "sent": 3, "deferred": 0, "failed": 0, "waiting": 0, "next": null })
    );
}

#[test]
fn a_stopped_watch_leaves_a_silent_server_and_no_claim() {
    let env = TestEnvironment::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    transport_of(&env, "kind = 'maildir'\npath = 'outflank.maildir'");
    start(&env);
    let smtp = format!("kind = 'smtp'\nhost = '127.0.0.1'\nport = {port}\nsecurity = 'none'");
    transport_of(&env, &smtp);
    env.sqlite().execute("UPDATE outbox SET state = 'queued', due_at = 0", []).unwrap();
    let watch = env.start("send --watch --config config.toml");
    let claimed = "SELECT count(*) FROM outbox WHERE lease IS NOT NULL";
    let claimed = || env.sqlite().query_row(claimed, [], |row| row.get::<_, u32>(0)).unwrap();
    until("both are claimed", || claimed() == 2);
    watch.stop("TERM").ok();
    assert_eq!(claimed(), 0);
    // After the time limit of a reply, each mail would have a second try.
    let tries = "SELECT sum(tries) FROM outbox WHERE state = 'queued'";
    let tries: u32 = env.sqlite().query_row(tries, [], |row| row.get(0)).unwrap();
    assert_eq!(tries, 2, "the first delivery of each mail");
}

#[test]
fn a_watch_notices_that_the_database_was_replaced() {
    let env = TestEnvironment::new();
    transport_of(&env, "kind = 'smtp'\nhost = 'localhost'\nuser = 'x'\npassword_file = '/pigeon'");
    start(&env);
    env.ok("backup copy.db --config config.toml");
    transport_of(&env, "kind = 'maildir'\npath = 'outflank.maildir'");
    let watch = env.start("send --watch --config config.toml");
    until("both are mailed", || env.all_mails().len() == 2);
    for name in ["outflank.db-wal", "outflank.db-shm"] {
        let _ = fs::remove_file(env.path(name));
    }
    fs::remove_dir_all(env.path("outflank.maildir")).unwrap();
    fs::rename(env.path("copy.db"), env.database()).unwrap();
    until("both are mailed again", || env.all_mails().len() == 2);
    let stopped = watch.stop("TERM");
    assert!(stopped.stderr.contains("the database file was replaced"), "{stopped:?}");
}

#[test]
fn an_idle_watch_wakes_up_once_a_second() {
    let env = TestEnvironment::new().with_game();
    let watch = env.start("send --watch");
    let wakes = || -> u32 {
        let tasks = fs::read_dir(format!("/proc/{}/task", watch.id())).unwrap();
        let statuses = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("status")));
        let waits = statuses.map(|status| {
            let status = status.unwrap();
            let count = status.lines().find_map(|it| it.strip_prefix("voluntary_ctxt_switches:"));
            count.unwrap().trim().parse::<u32>().unwrap()
        });
        waits.sum()
    };
    // On a busy machine the start takes longer, and a round may also wait for the disk.
    until("three seconds with a wake-up a second", || {
        let (before, began) = (wakes(), Instant::now());
        thread::sleep(Duration::from_secs(3));
        wakes() - before <= began.elapsed().as_secs() as u32 + 1
    });
    watch.stop("TERM").ok();
}
