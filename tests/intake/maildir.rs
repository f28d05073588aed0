//! `receive` from a Maildir that another program fills.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::quarantine;
use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, PROGRAM, Running, TestEnvironment, run, skipped, until,
};

const RECEIVE: &str = "receive --maildir in";

fn with_maildir() -> TestEnvironment {
    let env = TestEnvironment::new().with_game();
    make_maildir(&env);
    env
}

fn make_maildir(env: &TestEnvironment) {
    for name in ["in/new", "in/cur", "in/tmp"] {
        fs::create_dir_all(env.path(name)).unwrap();
    }
}

/// Receives these messages from a Maildir, in one run and in this order.
pub fn receive_all(env: &TestEnvironment, messages: impl IntoIterator<Item = Vec<u8>>) {
    make_maildir(env);
    for (number, message) in messages.into_iter().enumerate() {
        put(env, &format!("{number:05}"), &message);
    }
    env.ok(RECEIVE);
}

/// Puts a message into the Maildir as mail programs do.
fn put(env: &TestEnvironment, name: &str, bytes: &[u8]) {
    fs::write(env.path("in/tmp/x"), bytes).unwrap();
    fs::rename(env.path("in/tmp/x"), env.path("in/new").join(name)).unwrap();
}

fn names(env: &TestEnvironment, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(env.path(folder)).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn new_messages_are_received_and_moved() {
    let env = with_maildir();
    let message = env.last_mail_to(ALICE).reply("f5").bytes();
    put(&env, "1.host", &message);
    put(&env, "2.host:2,", b"no mail");
    put(&env, "3.host:2,F", &env.last_mail_to(BOB).reply("show 1").bytes());
    put(&env, ".hidden", b"not ours");
    fs::create_dir(env.path("in/new/folder")).unwrap();
    fs::write(env.path("in/tmp/4.host"), &message).unwrap();
    fs::write(env.path("in/cur/5.host:2,"), env.last_mail_to(BOB).reply("resign").bytes()).unwrap();

    assert_eq!(env.json(RECEIVE), serde_json::json!({ "processed": 3, "quarantined": 1 }));
    assert_eq!(names(&env, "in/new"), [".hidden", "folder"]);
    assert_eq!(names(&env, "in/cur"), ["1.host:2,S", "3.host:2,S", "5.host:2,"]);
    assert_eq!(names(&env, "in/tmp"), ["4.host"]);
    assert_eq!(fs::read(env.path("in/cur/1.host:2,S")).unwrap(), message);
    assert_eq!(quarantine(&env), [b"no mail"]);
    assert_eq!(env.outbox()[2..], ["bob turn sent", "bob answer sent"]);
    assert_eq!(env.ok(RECEIVE), "0 processed.\n");
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_folder_that_is_not_a_maildir_is_refused() {
    let env = TestEnvironment::new().with_game();
    fs::create_dir_all(env.path("empty")).unwrap();
    fs::create_dir_all(env.path("half/new")).unwrap();
    fs::write(env.path("file"), "").unwrap();
    fs::write(env.path("half/new/1"), env.last_mail_to(ALICE).reply("f5").bytes()).unwrap();
    for folder in ["empty", "half", "file", "missing"] {
        for watch in ["", "--watch"] {
            let error = env.fails(3, &format!("receive --maildir {folder} {watch}"));
            assert!(error.contains(folder), "{error}");
        }
    }
    assert_eq!((env.plies(1), env.dispositions().len()), (0, 0));
}

#[test]
fn a_message_that_cannot_be_handled_now_stays_in_the_maildir() {
    let env = with_maildir();
    put(&env, "1.host", b"no mail");
    put(&env, "2.host", &env.last_mail_to(ALICE).reply("f5").bytes());
    fs::write(env.path("outflank.quarantine"), "no folder").unwrap();
    let error = env.fails(3, RECEIVE);
    assert!(error.contains("quarantine"), "{error}");
    assert_eq!(names(&env, "in/new"), ["1.host"], "only the message that waits");
    assert_eq!((env.plies(1), env.count("bob turn")), (1, 1));
    fs::remove_file(env.path("outflank.quarantine")).unwrap();
    assert_eq!(env.json(RECEIVE)["quarantined"], 1);
    assert!(names(&env, "in/new").is_empty());
}

#[test]
fn a_message_that_cannot_be_moved_is_handled_once() {
    let env = with_maildir();
    // Not even root can put a file in the place of a folder.
    fs::create_dir(env.path("in/cur/1.host:2,S")).unwrap();
    let mail = env.last_mail_to(ALICE);
    put(&env, "1.host", &mail.reply("f5").bytes());
    let watch = watch(&env);
    until("the move fails", || watch.has_said("cannot move in/new/1.host to `cur`"));
    // Each of these is processed in a round of its own.
    for name in ["2.host", "3.host"] {
        put(&env, name, &mail.reply("show 1").id(name).bytes());
        until("it is processed", || !names(&env, "in/new").contains(&name.to_owned()));
    }
    assert_eq!(names(&env, "in/new"), ["1.host"]);
    let received: i64 =
        env.sqlite().query_row("SELECT count(*) FROM received", [], |row| row.get(0)).unwrap();
    assert_eq!((received, env.plies(1)), (3, 1));
    fs::remove_dir(env.path("in/cur/1.host:2,S")).unwrap();
    until("it is moved", || names(&env, "in/new").is_empty());
    watch.stop("TERM");
    assert!(env.path("in/cur/1.host:2,S").exists());
}

#[test]
fn an_unreadable_message_does_not_block_the_others() {
    let env = with_maildir();
    put(&env, "1.host", b"secret");
    put(&env, "2.host", &env.last_mail_to(ALICE).reply("f5").bytes());
    fs::set_permissions(env.path("in/new/1.host"), Permissions::from_mode(0o000)).unwrap();
    if File::open(env.path("in/new/1.host")).is_ok() {
        return skipped(
            "an_unreadable_message_does_not_block_the_others",
            "this user can read every file",
        );
    }
    env.fails(3, RECEIVE);
    assert_eq!(env.plies(1), 1);
    assert_eq!(names(&env, "in/new"), ["1.host"]);
}

#[test]
fn the_same_message_in_several_files_is_handled_once() {
    let env = with_maildir();
    let message = env.last_mail_to(ALICE).reply("f5").bytes();
    for name in ["1.host", "2.host", "3.host"] {
        put(&env, name, &message);
    }
    assert_eq!(env.json(RECEIVE)["processed"], 3);
    assert_eq!((env.plies(1), env.count("bob turn"), env.count("alice answer")), (1, 1, 0));
    assert_eq!(env.dispositions()["copy"], 2);
}

#[test]
fn a_query_after_a_move_sees_the_move() {
    let env = with_maildir();
    let (alice, bob) = (env.last_mail_to(ALICE), env.last_mail_to(BOB));
    put(&env, "1.host", &bob.reply("history").id("1@x").bytes());
    put(&env, "2.host", &alice.reply("f5").bytes());
    put(&env, "3.host", &bob.reply("history\nd6#2\nshow").id("3@x").bytes());
    put(&env, "4.host", &alice.reply("history").id("4@x").bytes());
    env.ok(RECEIVE);
    let [before, after] = [1, 3].map(|id| {
        let answers = env.mails_to(BOB).into_iter();
        let mut answers = answers.filter(|mail| mail.header("In-Reply-To") == format!("<{id}@x>"));
        answers.next().unwrap()
    });
    before.says("Reply to ‹history›:").says("No move has been made.");
    after.says("1  alice (black)  f5").says("‹d6#2› is done.").says("Last move: 2. bob (white) d6");
    env.last_mail_to(ALICE).says("2  bob (white)    d6");
}

#[test]
fn each_mail_of_a_batch_can_fail_alone() {
    let env = with_maildir();
    for _ in 0..2 {
        env.ok(&format!("new othello {ALICE} {BOB}"));
    }
    // The reply to the damaged game stays in the Maildir.
    let broken = "INSERT INTO event (game, number, at, author, action) VALUES (2, 1, 0, 'b', 'a1')";
    env.sqlite().execute(broken, []).unwrap();
    let starts = env.mails_to(ALICE);
    let start_of = |game: usize| &starts[game - 1];
    let mut messages = vec![
        start_of(1).reply("f5").bytes(),
        start_of(2).reply("f5").bytes(),
        b"no mail".to_vec(),
        start_of(3).reply("f5").bytes(),
    ];
    // More than two batches.
    messages.extend((0..110).map(|_| start_of(1).reply("f5").bytes()));
    for (number, message) in messages.iter().enumerate() {
        put(&env, &format!("{number:03}.host"), message);
    }
    let error = env.fails(3, RECEIVE);
    assert!(error.contains("game 2"), "{error}");
    assert_eq!(names(&env, "in/new"), ["001.host"]);
    assert_eq!(names(&env, "in/cur").len(), messages.len() - 2);
    assert_eq!(quarantine(&env), [b"no mail"]);
    assert_eq!((env.plies(1), env.plies(3), env.count("bob turn")), (1, 1, 2));
    assert_eq!(env.dispositions()["done"], messages.len() as u64 - 2);
    env.sqlite().execute("DELETE FROM event WHERE game = 2", []).unwrap();
    env.ok(RECEIVE);
    assert_eq!(env.plies(2), 1);
}

/// Starts `receive --watch` on the Maildir.
fn watch(env: &TestEnvironment) -> Running {
    env.start("receive --maildir in --watch")
}

#[test]
fn a_watch_receives_new_messages_until_it_is_stopped() {
    for signal in ["TERM", "INT"] {
        let env = with_maildir();
        put(&env, "1.host", &env.last_mail_to(ALICE).reply("f5").bytes());
        let running = watch(&env);
        until("bob gets a turn mail", || env.count("bob turn sent") == 1);
        put(&env, "2.host", &env.last_mail_to(BOB).reply("show 1").bytes());
        put(&env, "3.host", b"no mail");
        until("bob is answered", || env.count("bob answer sent") == 1);
        until("all is taken in", || names(&env, "in/new").is_empty());
        running.stop(signal).ok();
        assert_eq!(quarantine(&env), [b"no mail"]);
        assert_eq!(env.plies(1), 1);
    }
}

#[test]
fn a_watch_leaves_mail_where_it_is_while_the_database_is_away() {
    let env = with_maildir();
    let running = watch(&env);
    put(&env, "1.host", &env.last_mail_to(ALICE).reply("f5").bytes());
    until("bob gets a turn mail", || env.count("bob turn sent") == 1);
    let files = ["outflank.db", "outflank.db-wal", "outflank.db-shm", "outflank.db-lock"];
    let mail = env.last_mail_to(BOB).reply("d6").bytes();
    fs::create_dir(env.path("away")).unwrap();
    // The log comes last and goes back first.
    for file in files {
        fs::rename(env.path(file), env.path("away").join(file)).unwrap();
    }
    until("it says so", || running.has_said("outflank.db; give another file with --db"));
    put(&env, "2.host", &mail);
    // Longer than until the next round.
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(names(&env, "in/new"), ["2.host"]);
    assert!(!env.database().exists());
    for file in files.iter().rev() {
        fs::rename(env.path("away").join(file), env.path(file)).unwrap();
    }
    until("all is taken in", || names(&env, "in/new").is_empty());
    assert_eq!(env.plies(1), 2);
    running.stop("TERM");
}

#[test]
fn a_watch_delivers_answers_while_another_message_waits() {
    let env = with_maildir();
    put(&env, "1.host", &env.last_mail_to(ALICE).reply("f5").bytes());
    thread::sleep(Duration::from_millis(20));
    put(&env, "2.host", b"no mail");
    fs::write(env.path("outflank.quarantine"), "no folder").unwrap();
    let running = watch(&env);
    until("bob gets a turn mail", || env.count("bob turn sent") == 1);
    fs::remove_file(env.path("outflank.quarantine")).unwrap();
    until("it came again", || names(&env, "in/new").is_empty());
    let ended = running.stop("TERM");
    assert_eq!((ended.status, ended.stderr.lines().count()), (Some(0), 1), "{ended:?}");
}

#[test]
fn several_watches_of_one_maildir_handle_each_message_once() {
    let env = with_maildir();
    let watches = [watch(&env), watch(&env), watch(&env)];
    let mail = env.last_mail_to(ALICE);
    let mut names_put: Vec<PathBuf> = Vec::new();
    for number in 0..12 {
        let text = if number == 0 { "f5".to_owned() } else { format!("show 1#{}", number % 2) };
        let message = match number {
            10 => b"no mail".to_vec(),
            11 => InboundMessage::new(CAROL, "help").bytes(),
            _ => mail.reply(&text).bytes(),
        };
        put(&env, &format!("{number:02}.host"), &message);
        names_put.push(env.path("in/cur").join(format!("{number:02}.host:2,S")));
    }
    until("all is taken in", || names(&env, "in/new").is_empty());
    for watch in watches {
        watch.stop("TERM").ok();
    }
    env.later(60);
    env.ok("send");
    assert_eq!(names_put.iter().filter(|path| path.exists()).count(), 11);
    assert_eq!((env.plies(1), env.count("bob turn"), env.count("carol")), (1, 1, 1));
    assert_eq!(env.count("alice answer"), 9);
    assert_eq!(quarantine(&env), [b"no mail"]);
    env.all_mails();
}

#[test]
fn a_watch_continues_after_another_was_killed() {
    let env = with_maildir();
    let mut span = Duration::from_millis(20);
    let mut rng = fastrand::Rng::new();
    let began = Instant::now();
    let mut messages = 0;
    while messages < 12 && began.elapsed() < Duration::from_secs(2) {
        let (address, number) =
            if messages % 2 == 0 { (ALICE, messages + 1) } else { (BOB, messages + 1) };
        let played = format!("{}#{number}\nshow 1", env.legal(1));
        let message = env.mails_to(address)[0].reply(&played);
        put(&env, &format!("{messages}.host"), &message.bytes());
        while !names(&env, "in/new").is_empty() {
            let running = watch(&env);
            thread::sleep(span.mul_f64(rng.f64()));
            running.kill();
            span = span.mul_f64(1.1);
        }
        span = span.mul_f64(0.8);
        messages += 1;
        env.later_seconds(1800);
        let turns = env.outbox().iter().filter(|mail| mail.contains(" turn ")).count();
        let answers = env.outbox().iter().filter(|mail| mail.contains(" answer ")).count();
        let found = (env.plies(1), turns, answers, names(&env, "in/cur").len());
        assert_eq!(found, (messages as u64, messages, messages, messages));
    }
    env.later(60);
    env.ok("send");
    assert_eq!(env.outbox().iter().filter(|mail| mail.ends_with(" queued")).count(), 0);
}

#[test]
fn without_a_receive_table_the_refusal_shows_what_to_configure() {
    let env = TestEnvironment::new().with_game();
    let refusal = |file: &str| {
        format!(
            "outflank: incoming mail is not set up; \
             write `[receive]` and `enabled = true` into {file}"
        )
    };
    for config in ["", "[receive]\nenabled = false"] {
        env.write_config(config);
        assert_eq!(env.fails(3, RECEIVE), refusal("~/.config/outflank/config.toml"));
    }
    std::fs::write(env.path("own.toml"), "").unwrap();
    let own = env.path("own.toml").display().to_string();
    // The refusal is the same without a database.
    let line = env.fails(3, &format!("--config {own} --db none.db {RECEIVE}"));
    assert_eq!(line, refusal("~/own.toml"));

    // A pipe prints nothing, except on a terminal.
    let mut script = Command::new("script");
    env.seal(&mut script).arg("-qec").arg(format!("'{PROGRAM}' receive")).arg("/dev/null");
    let run = run(script);
    assert_eq!(run.status, Some(75), "{run:?}");
    assert_eq!(run.stdout.trim_end(), refusal("~/.config/outflank/config.toml"));
}
