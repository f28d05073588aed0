//! The test mails: to the server itself, and to people.

use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use super::{configure, examine, finds, healthy};
use crate::harness::{ALICE, InboundMessage, PROGRAM, TestEnvironment, run_with_input, until};
use crate::transports::server::{FakeServer, Reaction, accept};

const DAVE: &str = "dave@example.org";
/// The address of the environments here.
const OWN: &str = "outflank@club.test";

/// Runs `doctor --loop`, and returns the exit status, the station and the last line.
fn go_around(env: &TestEnvironment, wait: u32) -> (Option<i32>, String, String) {
    let run = env.run(&format!("--json doctor --loop --wait {wait}"));
    assert_eq!(run.stderr, "", "{run:?}");
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    let last = json["checks"].as_array().unwrap().last().unwrap();
    let text = format!("{}; {}", last["found"], last["do"]);
    (run.status, json["station"].as_str().unwrap().to_owned(), text)
}

/// Configures a transport that returns each mail to the server at once, and keeps it in a file.
fn bring_back(env: &TestEnvironment) {
    let command = format!(r#"cat >mail.eml && {PROGRAM} receive -- "$3" "$1" "" <mail.eml"#);
    let transport = format!("kind = 'sendmail'\ncommand = ['sh', '-c', '''{command}''']");
    configure(env, "club.test", &transport, "[receive]");
}

/// Hands in these bytes as a mail to this address, and returns its disposition.
fn hand_in(env: &TestEnvironment, to: &str, bytes: &str) -> String {
    let message = InboundMessage::new(OWN, "").to(to);
    let run = run_with_input(env.receive_command(&message, &["--json"]), bytes.as_bytes());
    let json: Value = serde_json::from_str(&run.ok()).unwrap();
    json["disposition"].as_str().unwrap().to_owned()
}

/// Returns the server's mail to itself from the Maildir.
fn test_mail(env: &TestEnvironment) -> crate::harness::Mail {
    let mails = env.all_mails().into_iter();
    let mut tests = mails.filter(|(id, _)| id.starts_with("probe.")).map(|(_, mail)| mail);
    tests.next().unwrap()
}

#[test]
fn a_test_mail_that_comes_back_is_received_once() {
    for receive in ["[receive]", "[receive]\nplus_addressing = false"] {
        let env = healthy();
        bring_back(&env);
        let config = fs::read_to_string(env.config_file()).unwrap();
        env.write_config(&config.replace("[receive]", receive));
        let (status, station, text) = go_around(&env, 30);
        assert_eq!((status, station.as_str()), (Some(0), "received"), "{text}");
        assert!(text.contains("the mail came back after "), "{text}");
        assert_eq!(env.dispositions()["probe"], 1);
        assert!(finds(&env, "loop", "ok").contains("came back within"));
        // The outbox shows no token.
        assert!(env.ok("mail").contains("<outflank@club.test>"));
        // The token is for one use.
        let mail = fs::read_to_string(env.path("mail.eml")).unwrap();
        let to = mail.lines().find_map(|line| line.strip_prefix("To: ")).unwrap();
        assert_eq!(to.contains('+'), receive == "[receive]", "{to}");
        assert!(hand_in(&env, to, &mail).starts_with("ignored: "));
        assert_eq!(env.dispositions()["probe"], 1);
    }
}

#[test]
fn a_test_mail_that_does_not_come_back_is_accepted_only() {
    let env = healthy();
    let (status, station, text) = go_around(&env, 1);
    assert_eq!((status, station.as_str()), (Some(3), "accepted"), "{text}");
    assert!(text.contains("did not come back within 1 s"), "{text}");
    assert!(text.contains("outflank receive"), "{text}");
    assert!(finds(&env, "loop", "warning").contains("has not come back"));
    // The mail comes late.
    let mail = test_mail(&env);
    assert_eq!(hand_in(&env, &mail.to, &mail.raw), "probe");
    finds(&env, "loop", "ok");
    assert!(env.run("doctor --loop --wait 1").stdout.contains("\nwrong    loop: not received: "));
}

#[test]
fn of_our_own_mails_only_the_one_with_the_token_is_accepted() {
    let env = healthy();
    go_around(&env, 1);
    let mail = test_mail(&env);
    let token = mail.to.split(['+', '@']).nth(1).unwrap().to_owned();
    assert!(token.len() >= 24, "{}", mail.to);
    let forged = token.chars().rev().collect::<String>();
    for raw in [mail.raw.replace(&token, &forged), mail.raw.replace(&format!("+{token}"), "")] {
        assert!(hand_in(&env, OWN, &raw).starts_with("ignored: "));
    }
    // An automatic answer does not count as the mail coming back.
    let answer = mail.reply("I am away").with("From", OWN);
    for answer in [answer.clone(), answer.and("Auto-Submitted", "auto-replied")] {
        assert!(env.receive(&answer).starts_with("ignored: "));
    }
    // After a restored backup, another mail may have its number.
    env.sqlite().execute("UPDATE probe SET asked_at = asked_at + 1", []).unwrap();
    assert!(hand_in(&env, &mail.to, &mail.raw).starts_with("ignored: "));
    env.sqlite().execute("UPDATE probe SET asked_at = asked_at - 1", []).unwrap();
    assert_eq!(hand_in(&env, &mail.to, &mail.raw), "probe");
}

#[test]
fn a_test_mail_that_is_refused_stops_there() {
    let env = healthy();
    for (at, reply) in [
        ("MAIL", "550 5.1.0 sender rejected"),
        ("RCPT", "550 5.1.1 no such user"),
        ("body", "451 4.3.0 later"),
    ] {
        let server = FakeServer::failing(at, 9, Reaction::Reply(reply));
        let settings = "kind = 'smtp'\nhost = '127.0.0.1'\nsecurity = 'none'\ntimeout = 5";
        let transport = format!("{settings}\nport = {}", server.port());
        configure(&env, "club.test", &transport, "[receive]");
        let (status, station, text) = go_around(&env, 30);
        assert_eq!((status, station.as_str()), (Some(3), "refused"), "{text}");
        assert!(text.contains(reply), "{text}");
    }
}

#[test]
fn a_test_mail_that_bounces_is_refused() {
    let env = healthy();
    let bounce = format!(
        "From: MAILER-DAEMON@club.test\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\n\
         It failed.\n--b\nContent-Type: message/delivery-status\n\n\
         Reporting-MTA: dns; mx.club.test\n\nFinal-Recipient: rfc822; {OWN}\nAction: failed\n\
         Status: 5.2.2\nDiagnostic-Code: smtp; 552 mailbox full\n\n--b--\n"
    );
    let command = r#"printf %s "$1" >return-path"#;
    let transport = format!("kind = 'sendmail'\ncommand = ['sh', '-c', '''{command}''']");
    configure(&env, "club.test", &transport, "[receive]");
    let doctor = env.start("--json doctor --loop --wait 60");
    until("the mail is sent", || env.count("outflank@club.test probe sent") == 1);
    let return_path = fs::read_to_string(env.path("return-path")).unwrap();
    assert_eq!(hand_in(&env, &return_path, &bounce), "bounce");
    let run = doctor.finish();
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stdout.contains("\"station\":\"refused\""), "{run:?}");
    assert!(run.stdout.contains("552 mailbox full"), "{run:?}");
}

#[test]
fn a_test_mail_that_cannot_be_sent_is_queued() {
    let env = healthy();
    let settings = "kind = 'smtp'\nhost = '127.0.0.1'\nsecurity = 'none'\nport = 1";
    for more in ["", "\nuser = 'x'\npassword_file = 'nowhere'"] {
        configure(&env, "club.test", &format!("{settings}{more}"), "[receive]");
        let (status, station, text) = go_around(&env, 30);
        assert_eq!((status, station.as_str()), (Some(3), "queued"), "{text}");
        let why = if more.is_empty() { "cannot connect" } else { "nowhere cannot be read" };
        assert!(text.contains(why), "{text}");
    }
    // It is not tried again.
    assert_eq!(env.count("outflank@club.test probe superseded"), 2);
    finds(&env, "outbox", "ok");
}

#[test]
fn a_test_does_not_wait_longer_for_the_mail_server_than_it_should() {
    let env = healthy();
    let (end, is_over) = mpsc::channel::<()>();
    let server = FakeServer::start(move |_, event| {
        if event == "hello" {
            let _ = is_over.recv_timeout(Duration::from_secs(30));
        }
        accept(event)
    });
    let settings = "kind = 'smtp'\nhost = '127.0.0.1'\nsecurity = 'none'\ntimeout = 60";
    let transport = format!("{settings}\nport = {}", server.port());
    configure(&env, "club.test", &transport, "[receive]");
    let (status, station, text) = go_around(&env, 1);
    drop(end);
    assert_eq!((status, station.as_str()), (Some(3), "queued"), "{text}");
    assert!(text.contains("no reply in time"), "{text}");
}

#[test]
fn a_test_needs_a_current_database_and_incoming_mail() {
    let env = TestEnvironment::new();
    for words in ["doctor --loop", "doctor --mail dave@example.org"] {
        assert!(env.fails(1, words).contains("there is no database"));
        assert!(!env.database().exists());
    }
    let env = healthy();
    env.fails(2, "doctor --loop --mail dave@example.org");
    env.fails(2, "doctor --wait 5");
    let sqlite = env.sqlite();
    let version = || sqlite.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let current: i64 = version();
    sqlite.pragma_update(None, "user_version", 15).unwrap();
    assert!(env.fails(1, "doctor --loop").contains("older schema"));
    assert_eq!(version(), 15);
    sqlite.pragma_update(None, "user_version", current).unwrap();
    configure(&env, "club.test", "kind = 'maildir'\npath = 'PATH'", "");
    assert!(env.fails(1, "doctor --loop").contains("incoming mail is off"));
}

/// Asks dave, and returns his answer.
fn answer(env: &TestEnvironment) -> InboundMessage {
    let text = env.ok(&format!("doctor --mail {DAVE}"));
    assert!(text.contains("A question goes to dave@example.org"), "{text}");
    let mail = env.last_mail_to(DAVE);
    mail.says("Please answer this mail.");
    mail.reply("signup dave")
}

/// Returns a club with this `[receive]` table that has received dave's answer with these fields.
#[track_caller]
fn answered(receive: &str, fields: &[(&str, &str)]) -> TestEnvironment {
    let env = healthy();
    configure(&env, "club.test", "kind = 'maildir'\npath = 'PATH'", receive);
    let mut reply = answer(&env);
    for (name, value) in fields {
        reply = reply.and(name, value);
    }
    assert!(finds(&env, "answer", "ok").contains("dave@example.org was asked"));
    env.later(3 * 24 * 60);
    assert_eq!(env.receive(&reply), "probe");
    env
}

const RECEIVED: (&str, &str) =
    ("Received", "from a.example (a.example [192.0.2.1]) by mx.club.test (Postfix); Sat");
const RESULTS: &str = "dmarc=pass header.from=example.org; dkim=pass header.d=example.org";

#[test]
fn an_answer_names_the_authserv_id_of_the_receiving_host() {
    for server in ["mx.club.test", "club.test"] {
        let results = format!("{server}; {RESULTS}");
        let fields = [RECEIVED, ("Authentication-Results", &results)];
        let text = finds(&answered("[receive]", &fields), "answer", "warning");
        assert!(text.contains(&format!("write authserv_id = \"{server}\" in [receive]")), "{text}");
        assert!(text.contains("dmarc=pass dkim=pass"), "{text}");
        assert!(text.contains("must remove Authentication-Results fields"), "{text}");
        let known = format!("[receive]\nauthserv_id = '{server}'");
        let text = finds(&answered(&known, &fields), "answer", "ok");
        assert!(text.contains("must remove Authentication-Results fields"), "{text}");
    }
}

#[test]
fn a_field_of_the_sender_is_not_named() {
    for (server, received) in [
        ("evil.test", Some(RECEIVED)),
        ("test", Some(RECEIVED)),
        ("mx.club.test", None),
        ("a.example", Some(RECEIVED)),
    ] {
        let results = format!("{server}; {RESULTS}");
        let field = ("Authentication-Results", results.as_str());
        let fields: Vec<_> = received.into_iter().chain([field]).collect();
        let text = finds(&answered("[receive]", &fields), "answer", "warning");
        assert!(text.contains("may be the sender's own"), "{text}");
        assert!(!text.contains("write authserv_id ="), "{text}");
        assert!(text.contains("must remove Authentication-Results fields"), "{text}");
    }
    let text = finds(&answered("[receive]", &[RECEIVED]), "answer", "warning");
    assert!(text.contains("had no Authentication-Results"), "{text}");
}

#[test]
fn an_answer_counts_once_and_runs_no_command() {
    let env = healthy();
    let reply = answer(&env);
    let away = reply.clone().and("Auto-Submitted", "auto-replied");
    assert!(env.receive(&away).starts_with("ignored: "));
    finds(&env, "answer", "ok");
    assert_eq!(env.receive(&reply), "probe");
    // The answer may come twice, and another may follow.
    for again in [reply.clone(), reply.id("second@example.org")] {
        assert_eq!(env.receive(&again), "ignored: another reply to a test mail");
    }
    assert_eq!(env.count(&format!("{DAVE} ")), 0, "nothing is mailed");
}

#[test]
fn an_answer_to_a_question_of_a_clock_that_was_ahead_counts() {
    let env = healthy();
    env.later(30 * 24 * 60);
    let reply = answer(&env);
    env.outage_seconds(-29 * 24 * 3600);
    env.ok("send");
    assert_eq!(env.receive(&reply), "probe");
}

#[test]
fn a_question_that_does_not_arrive_can_be_asked_again() {
    let env = healthy();
    let refuse = "kind = 'sendmail'\ncommand = ['sh', '-c', 'echo no such user; exit 67']";
    configure(&env, "club.test", refuse, "[receive]");
    for _ in 0..2 {
        env.run(&format!("doctor --mail {DAVE}"));
        let text = finds(&env, "answer", "warning");
        assert!(text.contains("the question to dave@example.org of 2026-11-21 10:00"), "{text}");
        assert!(text.contains("did not arrive: ") && text.contains("no such user"), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
    configure(&env, "club.test", "kind = 'maildir'\npath = 'PATH'", "[receive]");
    let reply = answer(&env);
    finds(&env, "answer", "ok");
    env.receive(&reply);
    assert!(finds(&env, "answer", "warning").contains("had no Authentication-Results"));
}

/// Returns whether a table of the database has this text anywhere.
fn is_stored(env: &TestEnvironment, text: &str) -> bool {
    let sqlite = env.sqlite();
    ["probe", "outbox"].iter().any(|table| {
        let mut select = sqlite.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = select.column_count();
        let rows = select.query_map([], |row| {
            let columns = (0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap()));
            Ok(columns.collect::<String>())
        });
        rows.unwrap().any(|row| row.unwrap().contains(&format!("{:?}", text.as_bytes())))
    })
}

#[test]
fn the_address_is_erased_after_the_answer_or_a_month() {
    let env = healthy();
    let reply = answer(&env);
    assert!(is_stored(&env, DAVE));
    env.receive(&reply);
    assert!(!is_stored(&env, DAVE));
    env.later(24 * 60);
    answer(&env);
    env.later(29 * 24 * 60);
    env.ok("send");
    assert!(finds(&env, "answer", "warning").contains("had no"));
    assert!(is_stored(&env, DAVE));
    env.later(2 * 24 * 60);
    env.ok("send");
    assert!(!is_stored(&env, DAVE));
    assert!(examine(&env).iter().all(|line| line.check != "answer"));
}

#[test]
fn questions_are_limited() {
    let env = healthy();
    env.ok("doctor --mail dave+x@example.org");
    for again in ["dave+x@example.org", "Dave@example.org"] {
        let line = env.fails(1, &format!("doctor --mail {again}"));
        assert!(line.contains("was asked within a day; wait for the answer"), "{line}");
    }
    let line = env.fails(1, &format!("doctor --mail {OWN}"));
    assert!(line.ends_with("use `outflank doctor --loop`"), "{line}");
    for n in 1..10 {
        env.ok(&format!("doctor --mail p{n}@example.org"));
    }
    assert!(env.fails(1, "doctor --mail p10@example.org").contains("10 people were asked"));
    env.later(24 * 60 + 1);
    env.ok("doctor --mail dave@example.org");
    let json: Value =
        serde_json::from_str(&env.ok("--json doctor --mail p10@example.org")).unwrap();
    assert_eq!(json, serde_json::json!({ "asked": "p10@example.org" }));
}

#[test]
fn a_player_who_leaves_is_no_longer_asked() {
    let env = healthy();
    env.ok(&format!("doctor --mail {ALICE}"));
    env.ok("remove alice");
    env.ok("send");
    assert!(!is_stored(&env, ALICE));
    assert!(examine(&env).iter().all(|line| line.check != "answer"));
}
