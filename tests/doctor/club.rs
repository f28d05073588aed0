//! The checks of the mail server, and of a club's waiting and failed work.

use std::fs;

use super::{configure, examine, finds, healthy, parsed};
use crate::harness::{ALICE, TestEnvironment};
use crate::transports::server::{FakeServer, Reaction, accept};

#[test]
fn a_maildir_must_be_writable() {
    let env = healthy();
    assert!(finds(&env, "mail server", "ok").contains("can be written"));
    fs::remove_dir_all(env.path("outflank.maildir")).unwrap();
    assert!(finds(&env, "mail server", "ok").contains("will be created"));
    fs::write(env.path("outflank.maildir"), "").unwrap();
    assert!(finds(&env, "mail server", "wrong").contains("cannot write to"));
    fs::remove_file(env.path("outflank.maildir")).unwrap();
    // Without [transport], no mail leaves the machine.
    env.write_config("[mail]\nfrom = 'outflank@club.test'\n[receive]\n");
    assert!(finds(&env, "mail server", "warning").contains("add [transport]"));
    env.write_config("[mail]\nfrom = 'outflank@club.test'\n");
    finds(&env, "mail server", "ok");
}

#[test]
fn the_program_of_the_transport_must_be_there() {
    let env = healthy();
    for (command, outcome, text) in [
        ("true", "ok", "can be run"),
        ("/bin/true", "ok", "/bin/true can be run"),
        ("no-such-sendmail", "wrong", "there is no such program"),
        ("/nowhere/sendmail", "wrong", "there is no such program"),
        ("/etc/passwd", "wrong", "not a program that this user may run"),
    ] {
        let transport = format!("kind = 'sendmail'\ncommand = ['{command}']");
        configure(&env, "club.test", &transport, "[receive]");
        let found = finds(&env, "mail server", outcome);
        assert!(found.contains(text), "{command}: {found}");
    }
}

/// Configures the transport with this server.
fn use_server(env: &TestEnvironment, port: u16, more: &str) {
    let server = format!("kind = 'smtp'\nhost = '127.0.0.1'\nport = {port}\nsecurity = 'none'");
    configure(env, "club.test", &format!("{server}\ntimeout = 5\n{more}"), "[receive]");
}

const LOGIN: &str = "user = 'outflank'\npassword = 'secret'";

#[test]
fn the_mail_server_is_asked_without_sending() {
    let env = healthy();
    let accepting = FakeServer::accepting();
    use_server(&env, accepting.port(), "");
    assert!(finds(&env, "mail server", "ok").contains("answers without encryption"));
    let received = accepting.received().concat();
    assert!(received.contains("EHLO") && received.contains("NOOP"), "{received}");
    assert!(!received.contains("MAIL") && !received.contains("DATA"), "{received}");

    let asking = FakeServer::start(|_, event| match event {
        event if event.starts_with("EHLO") => Reaction::Reply("250-fake\r\n250 AUTH PLAIN"),
        event if event.starts_with("AUTH") => Reaction::Reply("235 welcome"),
        event => accept(event),
    });
    use_server(&env, asking.port(), LOGIN);
    assert!(finds(&env, "mail server", "ok").contains("accepts the login"));

    let refusing = FakeServer::start(|_, event| match event {
        event if event.starts_with("EHLO") => Reaction::Reply("250-fake\r\n250 AUTH PLAIN"),
        event if event.starts_with("AUTH") => Reaction::Reply("535 wrong password"),
        event => accept(event),
    });
    use_server(&env, refusing.port(), LOGIN);
    let text = finds(&env, "mail server", "wrong");
    assert!(text.contains("cannot log in") && text.contains("535"), "{text}");
    assert!(!text.contains("secret"), "{text}");

    // The server does not offer STARTTLS.
    let transport =
        format!("kind = 'smtp'\nhost = '127.0.0.1'\nport = {}\ntimeout = 5", accepting.port());
    configure(&env, "club.test", &transport, "[receive]");
    assert!(finds(&env, "mail server", "wrong").contains("STARTTLS"));

    let tls = format!("{transport}\nsecurity = 'tls'");
    configure(&env, "club.test", &tls, "[receive]");
    assert!(finds(&env, "mail server", "wrong").contains("it does not speak TLS here"));
    let web = FakeServer::failing("hello", 9, Reaction::Reply("HTTP/1.1 400 Bad Request"));
    use_server(&env, web.port(), "");
    assert!(finds(&env, "mail server", "wrong").contains("it does not speak SMTP here"));

    // No server listens on port 1.
    use_server(&env, 1, "");
    assert!(finds(&env, "mail server", "wrong").contains("cannot connect to 127.0.0.1 port 1"));
    use_server(&env, 1, "password_file = 'nowhere'\nuser = 'x'");
    assert!(finds(&env, "mail server", "wrong").contains("nowhere cannot be read"));
}

#[test]
fn a_week_without_incoming_mail_is_a_warning() {
    let env = healthy();
    assert!(finds(&env, "receive", "ok").contains("no mail has come in yet"));
    env.later(8 * 24 * 60);
    assert!(finds(&env, "receive", "warning").contains("no mail has ever come in"));
    env.receive(&env.last_mail_to(ALICE).reply("show 1"));
    finds(&env, "receive", "ok");
    env.later(6 * 24 * 60);
    assert!(finds(&env, "receive", "ok").contains("6 days ago"));
    env.later(2 * 24 * 60);
    let text = finds(&env, "receive", "warning");
    assert!(text.contains("for 8 days") && text.contains("doctor --loop"), "{text}");
    configure(&env, "club.test", "kind = 'maildir'\npath = 'PATH'", "");
    assert!(finds(&env, "receive", "ok").contains("off"));
}

#[test]
fn the_oldest_mail_in_the_outbox_is_shown() {
    let env = healthy();
    assert!(finds(&env, "outbox", "ok").contains("no mail waits"));
    use_unreachable_server(&env);
    env.run("move 1 f5");
    finds(&env, "outbox", "ok");
    env.later(2 * 60);
    let text = finds(&env, "outbox", "warning");
    assert!(text.contains("waited for 2 hours") && text.contains("cannot connect"), "{text}");
    env.run("send");
    env.later(24 * 60);
    let text = finds(&env, "outbox", "wrong");
    assert!(text.contains("waited for 1 day 2 h") && text.contains("mail retry 3"), "{text}");
}

fn use_unreachable_server(env: &TestEnvironment) {
    use_server(env, 1, "");
}

#[test]
fn a_mail_that_waits_on_purpose_is_not_overdue() {
    let env = healthy();
    env.ok("--as bob set mail digest 18:00");
    env.ok("move 1 f5");
    env.later(60);
    assert!(finds(&env, "outbox", "ok").contains("no mail waits"));
}

#[test]
fn mails_that_have_failed_are_counted_for_two_weeks() {
    let env = healthy();
    finds(&env, "failed mail", "ok");
    let sql = "UPDATE outbox SET state = 'failed', last_error = '554 go away'";
    env.sqlite().execute(sql, []).unwrap();
    let text = finds(&env, "failed mail", "warning");
    assert!(
        text.contains("2 mails of the last two weeks have failed") && text.contains("554 go away"),
        "{text}"
    );
    assert!(text.contains("`outflank mail retry 2`"), "{text}");
    env.later(15 * 24 * 60);
    finds(&env, "failed mail", "ok");
}

#[test]
fn players_whose_mail_is_paused_are_named() {
    let env = healthy();
    finds(&env, "paused mail", "ok");
    env.sqlite().execute("UPDATE player SET paused_at = 5", []).unwrap();
    assert!(finds(&env, "paused mail", "warning").contains("for alice and bob"));
    env.sqlite().execute("UPDATE player SET left_at = 6 WHERE name = 'bob'", []).unwrap();
    assert!(finds(&env, "paused mail", "warning").contains("for alice;"));
}

#[test]
fn failed_jobs_and_deadlines_are_shown() {
    let env = healthy();
    finds(&env, "jobs", "ok");
    let sqlite = env.sqlite();
    sqlite.execute("UPDATE game SET alarm_error = 'no such event', alarm_at = 9", []).unwrap();
    let text = finds(&env, "jobs", "warning");
    assert!(text.contains("1 job has failed") && text.contains("game 1: no such event"), "{text}");
    let job = "INSERT INTO job (kind, game, event, queued_at, due_at, failures, last_error)
               VALUES ('hint', 1, 0, 5, 5, 1, 'out of memory')";
    sqlite.execute(job, []).unwrap();
    assert!(finds(&env, "jobs", "warning").contains("2 jobs have failed"));
}

#[test]
fn a_club_with_deadlines_needs_send() {
    let env = TestEnvironment::new();
    configure(&env, "club.test", "kind = 'maildir'\npath = 'PATH'", "[receive]");
    env.ok("new othello alice@example.org bob@example.org");
    assert!(finds(&env, "send", "ok").contains("nothing waits for it"));
    env.ok("new othello alice bob --clock 5d");
    assert!(finds(&env, "send", "warning").contains("never run"));
    env.later(25 * 60);
    assert!(finds(&env, "send", "wrong").contains("never run, and something waits for it"));
    env.ok("send");
    finds(&env, "send", "ok");
    env.outage_seconds(3 * 3600);
    let text = finds(&env, "send", "warning");
    assert!(text.contains("3 hours ago") && text.contains("send --watch"), "{text}");
    env.outage_seconds(24 * 3600);
    assert!(finds(&env, "send", "wrong").contains("1 day 3 h ago"));
    env.ok("annul 2");
    env.sqlite().execute("DELETE FROM outbox", []).unwrap();
    finds(&env, "send", "ok");
    assert!(!examine(&env).is_empty());
}

#[test]
fn a_club_without_deadlines_needs_send_when_a_reminder_or_a_challenge_is_due() {
    for (begin, days) in [("new othello alice bob", 60), ("--as alice challenge bob", 15)] {
        let env = TestEnvironment::new();
        configure(&env, "club.test", "kind = 'maildir'\npath = 'PATH'", "[receive]");
        env.ok("signup alice alice@example.org");
        env.ok("signup bob bob@example.org");
        env.ok(begin);
        env.ok("send");
        env.outage_seconds(26 * 3600);
        assert!(finds(&env, "send", "ok").contains("nothing waits for it"), "{begin}");
        env.outage_seconds(days * 24 * 3600);
        assert!(finds(&env, "send", "wrong").contains("something waits for it"), "{begin}");
        env.ok("send");
        finds(&env, "send", "ok");
    }
}

#[test]
fn mail_that_went_to_another_place_than_the_clubs_transport_is_shown() {
    let env = healthy();
    assert!(finds(&env, "club", "ok").contains("with which the club sends mail"));
    // A configuration other than the club's is wrong, but its mail goes to the club's Maildir.
    fs::write(env.path("other.toml"), "[mail]\nfrom = 'other@club.test'\n").unwrap();
    let lines = parsed(env.run("--json --config other.toml doctor"));
    let wrong = lines.iter().find(|line| line.check == "club").unwrap();
    assert!(wrong.outcome == "wrong" && wrong.text.contains("it differs in from"), "{wrong:?}");
    assert!(lines.iter().all(|line| line.check != "maildir"), "{lines:?}");

    configure(&env, "club.test", "kind = 'sendmail'\ncommand = ['true']", "[receive]");
    for _ in 0..2 {
        let found = finds(&env, "maildir", "warning");
        assert!(found.contains("2 mails lie in ~/outflank.maildir, but"), "{found}");
        env.ok("send");
    }
    fs::rename(env.path("outflank.maildir"), env.path("old")).unwrap();
    assert!(examine(&env).iter().all(|line| line.check != "maildir"));
}
