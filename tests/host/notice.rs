//! The daily notice to the host.

use std::fs;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, Mail, SERVER, STRANGER, TestEnvironment, until,
};
use crate::intake::bounces::{FAILED, Server, report};
use crate::reliability::small_disk;
use crate::transports::server::{FakeServer, Reaction, accept};

const HOST: &str = "host@club.example";
const DAY: i64 = 24 * 60;

/// Adds settings to the configuration.
fn add_config(env: &TestEnvironment, settings: &str) {
    let config = fs::read_to_string(env.config_file()).unwrap();
    env.write_config(&format!("{config}\n{settings}\n"));
}

/// Returns an environment with game 1 and an address of the host.
fn with_host() -> TestEnvironment {
    let env = TestEnvironment::new().with_envelopes();
    add_config(&env, &format!("[host]\nmail = '{HOST}'\nfree_mb = 1"));
    let env = env.with_game();
    env.mails();
    env
}

/// Receives a mail that cannot be processed.
fn quarantine(env: &TestEnvironment) {
    env.pipe(b"no mail at all");
}

/// Runs `send`, and returns the notices that it sends.
#[track_caller]
fn notices(env: &TestEnvironment) -> Vec<Mail> {
    env.ok("send");
    env.mails().into_iter().filter(|mail| mail.to == HOST).collect()
}

fn news(env: &TestEnvironment) -> i64 {
    env.sqlite().query_row("SELECT count(*) FROM news", [], |row| row.get(0)).unwrap()
}

#[test]
fn one_mail_says_what_needs_the_host() {
    let env = with_host();
    let broken = "[bots.broken]\ncommand = ['false']\nprotocol = 'nboard'";
    add_config(&env, broken);
    assert_eq!(notices(&env).len(), 0, "there is nothing to say");
    for _ in 0..2 {
        env.receive(&env.mails_to(ALICE)[0].reply("show 1"));
    }
    let mails = env.mails_to(ALICE);
    for (mail, server) in mails.iter().zip([Server::Postfix, Server::Exim, Server::Exchange]) {
        assert_eq!(env.receive(&report(server, mail, FAILED)), "bounce");
        env.later(10 * 60);
    }
    quarantine(&env);
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    env.receive(&env.last_mail_to(CAROL).reply("yes"));
    env.ok("signup dora dora@example.org");
    env.run("new othello bob bot:broken");
    env.run("move 2 f5 --as bob");
    env.run("send");
    let mail = env.mails_to(HOST).pop().unwrap();
    let folded = mail.text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "- A mail to alice failed 3 times, the last time at 2026-11-22 06:00Z: it bounced: ",
        "- Mail to alice is paused, because too many mails failed.",
        "- Work for game 2 failed",
        "- Incoming mail could not be processed at 2026-11-22 16:00Z: it is not a mail.",
        "- carol has signed up at 2026-11-22 16:00Z.",
        "Nobody reads replies to this mail.",
    ] {
        assert!(folded.contains(part), "{part}: {}", mail.text);
    }
    assert_eq!(mail.header("Subject"), "For the host");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    let html = mail.html().unwrap();
    assert!(html.contains("carol has signed up") && !html.contains("Answer above"), "{html}");
    // The notice leaves out the host's own actions and all addresses.
    for absent in ["dora", ALICE, CAROL, "Answer above this line"] {
        assert!(!mail.text.contains(absent), "{absent}: {}", mail.text);
    }
}

#[test]
fn there_is_one_notice_a_day_and_none_without_news() {
    let env = with_host();
    quarantine(&env);
    assert_eq!(notices(&env).len(), 1);
    quarantine(&env);
    quarantine(&env);
    env.later(DAY - 1);
    assert_eq!(notices(&env).len(), 0);
    env.later(1);
    let later = notices(&env);
    assert_eq!(later.len(), 1);
    later[0].says("Incoming mail could not be processed 2 times");
    env.later(2 * DAY);
    assert_eq!((notices(&env).len(), news(&env)), (0, 0));
    // Two processes queue the notice only once.
    quarantine(&env);
    env.run_at_once(&["send".to_owned(), "send".to_owned(), "send".to_owned()]);
    env.ok("send");
    assert_eq!(env.mails().iter().filter(|mail| mail.to == HOST).count(), 1);
}

#[test]
fn without_an_address_nothing_changes() {
    let env = TestEnvironment::new().with_game();
    quarantine(&env);
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    env.receive(&env.last_mail_to(CAROL).reply("yes"));
    env.ok("send");
    assert_eq!((news(&env), env.count(HOST)), (0, 0));
}

#[test]
fn a_clock_that_was_ahead_does_not_silence_the_notice() {
    let env = with_host();
    env.later(400 * DAY);
    quarantine(&env);
    assert_eq!(notices(&env).len(), 1);
    env.later(-400 * DAY);
    quarantine(&env);
    assert_eq!(notices(&env).len(), 1);
    quarantine(&env);
    assert_eq!(notices(&env).len(), 0, "the time of the last one is right again");
}

#[test]
fn a_reply_to_the_notice_has_no_effect() {
    for plus in [true, false] {
        let env = with_host();
        if !plus {
            let config = fs::read_to_string(env.config_file()).unwrap();
            let config = config.replace("[receive]", "[receive]\nplus_addressing = false");
            env.write_config(&config);
        }
        quarantine(&env);
        let notice = notices(&env).remove(0);
        let outbox = env.outbox();
        for (from, text) in [(HOST, "dave"), (HOST, "help"), (ALICE, "resign 1"), (BOB, "yes")] {
            let reply = notice.reply(text).from(from).id(&format!("{from}.{text}"));
            let disposition = env.receive(&reply);
            assert_eq!(disposition, "ignored: a reply to a notice for the host", "{plus}");
        }
        assert_eq!((env.outbox(), env.plies(1)), (outbox, 0));
        // An automatic answer causes no loop.
        let vacation = notice.reply("away").from(HOST).with("Auto-Submitted", "auto-replied");
        assert!(env.receive(&vacation).starts_with("ignored: "));
        assert_eq!(news(&env), 0);
    }
}

#[test]
fn a_notice_that_bounces_is_a_failed_mail_and_no_news() {
    let env = with_host();
    quarantine(&env);
    let notice = notices(&env).remove(0);
    assert_eq!(env.receive(&report(Server::Postfix, &notice, FAILED)), "bounce");
    assert_eq!((news(&env), env.count(&format!("{HOST} host failed"))), (0, 1));
    assert!(env.run("doctor").stdout.contains("warning  failed mail: 1 mail"));
    env.later(DAY);
    assert_eq!(notices(&env).len(), 0);
}

#[test]
fn the_host_is_warned_of_a_disk_that_fills() {
    let env = with_host();
    let config = fs::read_to_string(env.config_file()).unwrap();
    assert_eq!(notices(&env).len(), 0);
    env.write_config(&config.replace("free_mb = 1", "free_mb = 1_000_000_000"));
    notices(&env)[0].says("MB of disk space are free for the database.");
    assert_eq!(notices(&env).len(), 0);
    env.later(DAY);
    assert_eq!(notices(&env).len(), 1, "it is still so");
}

#[test]
fn a_full_disk_is_reported_and_the_notice_follows() {
    small_disk::within("host::notice::a_full_disk_is_reported_and_the_notice_follows", |folder| {
        let env = with_host();
        let config = fs::read_to_string(env.config_file()).unwrap();
        env.write_config(&config.replace("free_mb = 1", "free_mb = 100"));
        for part in ["new", "cur", "tmp"] {
            fs::create_dir_all(env.path("in").join(part)).unwrap();
        }
        let message = InboundMessage::new(CAROL, "signup carol");
        fs::write(env.path("in/new/1"), message.bytes()).unwrap();
        small_disk::fill(folder, 0);
        let error = env.fails(3, "receive --maildir in");
        assert!(error.contains("full"), "{error}");
        assert!(env.path("in/new/1").exists());
        let error = env.fails(3, "send");
        assert!(error.contains("the disk is full"), "{error}");
        env.hand_in(&message).silent(75);
        fs::remove_file(folder.join("ballast")).unwrap();
        assert_eq!(env.ok("receive --maildir in"), "1 processed.\n");
        notices(&env)[0].says("MB of disk space are free for the database.");
    });
}

#[test]
fn the_notice_follows_when_the_mail_server_is_back() {
    let env = TestEnvironment::new();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let smtp = format!(
        "[transport]\nkind = 'smtp'\nhost = '127.0.0.1'\nport = {closed}\nsecurity = 'none'\n\
         [host]\nmail = '{HOST}'\nfree_mb = 1"
    );
    env.configure(&smtp);
    env.run(&format!("new othello {ALICE} {BOB}"));
    env.later(10);
    let error = env.fails(3, "send");
    assert!(error.contains("will be retried"), "{error}");
    env.configure(&format!("[host]\nmail = '{HOST}'\nfree_mb = 1"));
    env.later(10 * DAY / 24);
    let notices = notices(&env);
    assert_eq!(notices.len(), 1);
    let folded = notices[0].text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected =
        "Mail could not be handed over 2 times, first at 2026-11-21 10:00Z and the last time at ";
    assert!(folded.contains(expected), "{folded}");
}

#[test]
fn a_notice_tells_only_what_came_after_the_one_before() {
    let env = TestEnvironment::new().with_game();
    env.ok("send");
    let host = format!("[host]\nmail = '{HOST}'\nfree_mb = 1");
    let smtp = "[transport]\nkind = 'smtp'\nhost = '127.0.0.1'\nport = 1\nsecurity = 'none'";
    env.configure(&format!("{smtp}\n{host}"));
    quarantine(&env);
    // The notice is queued, but waits.
    env.run("send");
    env.later(10);
    for _ in 0..3 {
        quarantine(&env);
    }
    env.configure(&host);
    env.later(60);
    notices(&env)[0].says("Incoming mail could not be processed at ");
    env.later(DAY);
    notices(&env)[0].says("Incoming mail could not be processed 3 times");
    assert_eq!(news(&env), 0);
}

#[test]
fn what_was_in_a_notice_that_was_given_up_is_in_the_next_one() {
    let env = TestEnvironment::new().with_game();
    env.ok("send");
    let host = format!("[host]\nmail = '{HOST}'\nfree_mb = 1");
    let smtp = "[transport]\nkind = 'smtp'\nhost = '127.0.0.1'\nport = 1\nsecurity = 'none'";
    env.configure(&format!("{smtp}\n{host}"));
    quarantine(&env);
    for _ in 0..7 {
        env.run("send");
        env.later(DAY);
    }
    let failed = env.listed_mails("");
    let failed = failed.iter().find(|mail| mail["about"] == "host").unwrap();
    assert_eq!(failed["state"], "failed");
    env.configure(&host);
    env.later(DAY);
    let notices = notices(&env);
    let text = &notices.last().unwrap().text;
    assert!(text.contains("Incoming mail could not be processed"), "{text}");
    assert_eq!(news(&env), 0);
}

#[test]
fn a_watch_reports_that_its_work_fails() {
    let env = with_host();
    let maildir = env.path("in");
    for folder in ["new", "cur", "tmp"] {
        fs::create_dir_all(maildir.join(folder)).unwrap();
    }
    let message = InboundMessage::new(STRANGER, "hello");
    fs::write(maildir.join("new/1"), message.bytes()).unwrap();
    let watch = env.start("receive --maildir in --watch");
    until("it watches", || !maildir.join("new/1").exists());
    let count = || env.sqlite().query_row("SELECT max(count) FROM news", [], |row| row.get(0)).ok();
    fs::rename(maildir.join("new"), env.path("aside")).unwrap();
    until("it has reported that", || count() == Some(1));
    fs::write(maildir.join("new"), "").unwrap();
    until("it has reported another reason", || count() == Some(2));
    fs::remove_file(maildir.join("new")).unwrap();
    fs::rename(env.path("aside"), maildir.join("new")).unwrap();
    fs::write(maildir.join("new/2"), message.bytes()).unwrap();
    until("it works again", || !maildir.join("new/2").exists());

    let refuse =
        "CREATE TRIGGER refuse BEFORE UPDATE ON news BEGIN SELECT RAISE(ABORT, 'full'); END";
    env.sqlite().execute_batch(refuse).unwrap();
    fs::write(env.path("outflank.quarantine"), "").unwrap();
    fs::write(maildir.join("new/3"), "no mail at all").unwrap();
    until("the watch fails", || watch.has_said("cannot write to the quarantine"));
    fs::remove_file(env.path("outflank.quarantine")).unwrap();
    until("it works again", || !maildir.join("new/3").exists());
    assert_eq!(count(), Some(2));
    env.sqlite().execute_batch("DROP TRIGGER refuse").unwrap();
    until("it can report that", || count() == Some(3));
    watch.stop("TERM");
    let notice = &notices(&env)[0];
    let folded = notice.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        folded.contains("‹receive› failed 3 times, the last time at 2026-11-21 10:00Z: cannot"),
        "{folded}"
    );
}

#[test]
fn a_player_who_leaves_is_not_in_the_notice() {
    let env = with_host();
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    env.receive(&env.last_mail_to(CAROL).reply("yes"));
    assert_eq!(news(&env), 1);
    env.ok("remove carol");
    assert_eq!((news(&env), notices(&env).len()), (0, 0));
}

/// Sends mail through this server.
fn use_server(env: &TestEnvironment, server: &FakeServer) {
    let smtp = "[transport]\nkind = 'smtp'\nhost = '127.0.0.1'\nsecurity = 'none'";
    let host = format!("[host]\nmail = '{HOST}'\nfree_mb = 1");
    env.configure(&format!("{smtp}\nport = {}\n{host}", server.port()));
}

#[test]
fn a_server_that_is_slower_than_a_command_waits_is_no_news() {
    let env = TestEnvironment::new().with_game();
    env.ok("send");
    let server = FakeServer::failing("hello", 1, Reaction::Hang);
    use_server(&env, &server);
    env.run("move 1 f5");
    assert_eq!((news(&env), env.count("bob turn queued")), (0, 1));
    // Another server refuses.
    let server = FakeServer::failing("hello", 9, Reaction::ReplyAndClose("554 go away"));
    use_server(&env, &server);
    env.run("send");
    assert_eq!(news(&env), 1);
}

#[test]
fn a_mail_that_the_server_refuses_for_good_is_news() {
    let env = with_host();
    let server = FakeServer::start(|_, event| match event {
        "DATA" => Reaction::Reply("554 no"),
        event => accept(event),
    });
    use_server(&env, &server);
    env.run("move 1 f5");
    assert_eq!((news(&env), env.count("bob turn failed")), (1, 1), "{:?}", env.outbox());
    env.configure(&format!("[host]\nmail = '{HOST}'\nfree_mb = 1"));
    notices(&env)[0].says("- A mail to bob failed at 2026-11-21 10:00Z: ");
}

#[test]
fn a_player_who_leaves_during_a_delivery_is_not_in_the_notice() {
    let env = TestEnvironment::new().with_game();
    env.ok("send");
    let (begin, has_begun) = mpsc::channel();
    let (refuse, may_refuse) = mpsc::channel::<()>();
    let server = FakeServer::start(move |_, event| {
        if event == "DATA" {
            let _ = begin.send(());
            let _ = may_refuse.recv_timeout(Duration::from_secs(60));
            return Reaction::Reply("554 no");
        }
        accept(event)
    });
    let unreachable = FakeServer::failing("hello", 9, Reaction::Close);
    use_server(&env, &unreachable);
    env.run("move 1 f5");
    env.sqlite().execute("DELETE FROM news", []).unwrap();
    env.later(60);
    use_server(&env, &server);
    let sending = env.start("send");
    has_begun.recv_timeout(Duration::from_secs(60)).unwrap();
    env.sqlite().execute("UPDATE player SET left_at = 5", []).unwrap();
    refuse.send(()).unwrap();
    sending.finish();
    assert_eq!(news(&env), 0);
}

#[test]
fn mails_name_the_address_of_the_host() {
    for is_set in [true, false] {
        let env = if is_set { with_host() } else { TestEnvironment::new().with_game() };
        env.receive(&env.mails_to(ALICE)[0].reply("f5").from(STRANGER));
        let warning = env.last_mail_to(ALICE);
        let named =
            if is_set { "ask the host (host@club.example) for" } else { "ask the host for" };
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(folded(&warning.text).contains(named), "{}", warning.text);
        assert!(folded(&warning.html().unwrap()).contains(named));
        env.receive(&env.mails_to(ALICE)[0].reply("page"));
        let named = if is_set { "the host (host@club.example) can" } else { "the host can" };
        let answer = env.last_mail_to(ALICE);
        assert!(folded(&answer.text).contains(named), "{}", answer.text);
    }
}

#[test]
fn wrong_settings_are_refused() {
    let env = TestEnvironment::new();
    for (settings, error) in [
        ("mail = 'nobody'", "\"nobody\" is not an address; use one such as host@club.example"),
        (&format!("mail = '{SERVER}'"), "is the address of this server; give the host's own"),
        ("mail = 'outflank+x@club.example'", "is the address of this server"),
        ("free_mb = 0", "use a whole number from 1 to 1000000000"),
        ("phone = '1'", "unknown field `phone`"),
    ] {
        env.configure(&format!("[host]\n{settings}"));
        let refused = env.fails(3, "games");
        assert!(refused.contains(error), "{settings}: {refused}");
    }
}
