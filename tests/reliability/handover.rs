//! A club that moves to another machine: two roots, of which one works at any time.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use similar_asserts::assert_eq;

use super::replica::post;
use crate::harness::{ALICE, BOB, InboundMessage, Purpose, Running, Server, TestEnvironment};

const MOVED: &str =
    "outflank: this club has moved to new.example; nothing can be changed here any more";

/// Returns a club with a game and a mail to Bob that waits, since its mail server does not answer. Its
/// configuration names a file beside it.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new();
    let maildir = env.path("mail");
    env.configure(&format!(
        "[transport]\nkind = 'maildir'\npath = '{}'\n[host]\nreplica = 'litestream.yml'",
        maildir.display()
    ));
    fs::write(env.config_file().with_file_name("litestream.yml"), "dbs: []").unwrap();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.ok("send");
    fs::remove_dir_all(&maildir).unwrap();
    fs::write(&maildir, "").unwrap();
    env.run("move 1 d3");
    fs::remove_file(&maildir).unwrap();
    env
}

/// Returns the options for the club in this folder.
fn at(folder: &Path) -> String {
    let file = |name| folder.join(name).display().to_string();
    format!("--db {} --config {}", file("outflank.db"), file("config.toml"))
}

/// Returns the mails to Bob.
fn mails_to_bob(env: &TestEnvironment) -> usize {
    let found = fs::read_dir(env.path("mail/new"));
    let read = |path: PathBuf| fs::read_to_string(path).unwrap();
    let to_bob = |text: &String| text.contains(&format!("To: bob <{BOB}>")) || text.contains(BOB);
    found.map_or(0, |files| files.map(|file| read(file.unwrap().path())).filter(to_bob).count())
}

#[test]
fn a_club_goes_on_at_another_machine() {
    let env = club();
    let server = Server::start(&env);
    let to = env.token_address(Purpose::Play, "bob", 1, 1);
    let reply = InboundMessage::new(BOB, "c3").to(&to);
    let said = env.ok("handover copy --to new.example");
    assert!(said.contains("The club has moved to new.example"), "{said}");
    let mut names: Vec<_> = fs::read_dir(env.path("copy"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["config.toml", "litestream.yml", "outflank.db"]);

    // The old one shows everything, and changes and sends nothing.
    assert!(env.fails(3, "move 1 c3").starts_with(MOVED));
    assert!(env.fails(3, "send").contains("has moved to new.example"));
    assert_eq!(mails_to_bob(&env), 0);
    env.hand_in(&reply).silent(75);
    assert_eq!(env.json("show 1")["turn"], "white");
    let form = format!("history={}&command=move&text=c3", env.history(1));
    let path = format!("/play/{}", env.token(Purpose::Page, "bob", 1, 0));
    assert_eq!(post(&server, &path, &form), "HTTP/1.1 503 Service Unavailable");
    assert!(env.ok("verify").contains("Nothing is wrong"));
    assert!(env.run("doctor").stdout.contains("the club has moved to new.example"));
    assert!(env.fails(1, "takeover .").contains("has moved to new.example; take the copy over"));

    // Nor does the copy, until it is taken over.
    let new = env.path("elsewhere");
    fs::rename(env.path("copy"), &new).unwrap();
    let options = at(&new);
    assert!(env.fails(3, &format!("{options} move 1 c3")).starts_with(MOVED));
    assert!(env.fails(3, &format!("{options} handover again --to x")).starts_with(MOVED));
    assert!(env.run(&format!("{options} doctor")).stdout.contains("was not taken over yet"));
    assert!(env.fails(1, "takeover --back elsewhere").contains("is the copy for new.example"));
    env.ok("takeover elsewhere");
    assert!(env.fails(1, "takeover elsewhere").contains("was not handed over"));

    // The mail that waited is sent, and mails from before can be answered.
    env.later(60);
    env.ok(&format!("{options} send"));
    assert_eq!(mails_to_bob(&env), 1);
    let mut received = env.receive_command(&reply, &[]);
    received.env("OUTFLANK_DB", new.join("outflank.db"));
    crate::harness::run_with_input(received, &reply.bytes()).silent(0);
    assert_eq!(env.json(&format!("{options} show 1"))["turn"], "black");
    assert!(env.ok(&format!("{options} verify")).contains("Nothing is wrong"));
    assert!(env.fails(3, "move 1 c3").starts_with(MOVED), "the old one stays as it was");
}

#[test]
fn a_handover_waits_for_nothing_that_exists() {
    let env = club();
    fs::create_dir(env.path("there")).unwrap();
    assert!(env.fails(1, "handover there --to x").contains("exists already"));
    assert!(
        env.fails(3, "handover none/there --to x").contains("there is no folder none; create it")
    );
    assert!(env.fails(1, "handover copy --to ''").contains("give a name"));
    assert!(env.fails(3, "--db none.db handover copy --to x").contains("there is no database"));
    env.ok("move 1 c3");
}

#[test]
fn a_lost_copy_can_be_taken_back() {
    let env = club();
    env.ok("handover copy --to new.example");
    fs::remove_dir_all(env.path("copy")).unwrap();
    env.ok("takeover --back .");
    env.ok("move 1 c3");
}

#[test]
fn the_next_refused_command_finishes_a_killed_handover() {
    let env = club();
    let unfinished = env.database().with_extension("db-handover");
    env.ok("handover copy --to new.example");
    assert!(!unfinished.exists());
    // What a process leaves that is killed before the folder gets its name.
    let (draft, folder) = (env.path("draft"), env.path("copy"));
    fs::rename(&folder, &draft).unwrap();
    fs::write(&unfinished, format!("{}\0{}", draft.display(), folder.display())).unwrap();
    env.ok("show 1");
    assert!(!folder.exists());
    assert!(env.fails(3, "move 1 c3").starts_with(MOVED));
    assert!(folder.exists() && !draft.exists() && !unfinished.exists());
    env.ok("takeover copy");
    env.ok(&format!("{} move 1 c3", at(&folder)));
}

#[test]
fn a_killed_handover_leaves_one_club() {
    let env = club();
    let (mut before, mut after) = (0, 0);
    let mut span = Duration::from_millis(60);
    for round in 0..40 {
        let folder = format!("copy{round}");
        let running = Running::start(env.command(&format!("handover {folder} --to new.example")));
        thread::sleep(span.mul_f64(fastrand::f64()));
        running.kill();
        let works = env.run("note 1 x --as alice").status == Some(0);
        assert_ne!(works, env.path(&folder).exists(), "one of them works");
        if works {
            before += 1;
            span = span.mul_f64(1.05);
            continue;
        }
        after += 1;
        span = span.mul_f64(0.95);
        env.ok(&format!("takeover {folder}"));
        let options = at(&env.path(&folder));
        env.ok(&format!("{options} note 1 x --as alice"));
        assert!(env.ok(&format!("{options} verify")).contains("Nothing is wrong"));
        env.ok("takeover --back .");
    }
    assert!(before > 0 && after > 0, "{before} {after}");
}
