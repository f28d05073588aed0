//! Mail from a command to the next player's mailbox, through a real Postfix and Dovecot.
//!
//! These tests need root and the packages that `.ci/run` installs. Without them they are skipped,
//! unless `OUTFLANK_E2E=required`.

mod by_mail;
mod doctor;
mod environment;
mod game_mails;
mod inbox;
mod mail_host;
mod mail_program;
mod months;
mod package;
mod pipe;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use chrono::{SubsecRound, Utc};
use game_mails::{Thread, check_text};
use inbox::Inbox;
use mail_host::{MailHost, nowhere, smtp_at};
use serde_json::json;

use crate::harness::{Mail, TestEnvironment};

/// Sends all remaining mail of this game. On a busy machine, a command may leave mail to `send`, or
/// under its lease for about a minute.
fn flush(env: &TestEnvironment, game: &str) {
    let started = Instant::now();
    while env.mail_states(game).iter().any(|state| state.ends_with(" queued")) {
        assert!(started.elapsed() < Duration::from_secs(150), "{:?}", env.listed_mails(game));
        env.ok("send");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Plays game 1 to its end with the commands in the mails. Returns the number of mails to alice and
/// to bob.
fn play_by_mail(host: &MailHost, env: &TestEnvironment, new: &str, subject: &str) -> [usize; 2] {
    let mut inboxes = ["alice", "bob"].map(|player| (player, host.inbox(player)));
    let mut counts = [0; 2];
    let mut ids = BTreeSet::new();
    let mut thread = None;

    let mut since = Utc::now().trunc_subsecs(0);
    env.ok(new);
    let mut event = "started";
    loop {
        flush(env, "1");
        let game = env.game(1);
        let turn = game["turn"].as_str().map(|color| game[color]["player"].as_str().unwrap());
        if turn.is_none() {
            event = "over";
        }
        let mut answer = None;
        for ((player, inbox), count) in inboxes.iter_mut().zip(&mut counts) {
            let is_mailed = event != "turn" || turn == Some(player);
            for mail in inbox.expect(usize::from(is_mailed)) {
                let thread = thread.get_or_insert_with(|| Thread::of(&mail, subject));
                thread.check(&mail, player, since);
                assert!(ids.insert(mail.id()), "two mails have the same Message-ID");
                let opening = match event {
                    "started" if turn == Some(player) => {
                        format!("Your turn, {player}: game 1 against ")
                    }
                    "started" => "Game 1 against ".to_owned(),
                    "over" => match game["result"]["winner"].as_str() {
                        None => "Draw, ".to_owned(),
                        Some(color) if game[color]["player"] == *player => "You won".to_owned(),
                        Some(_) => "You lost".to_owned(),
                    },
                    _ => format!("Your turn, {player} ("),
                };
                answer = answer.or(check_text(&mail, player, &opening, env));
                *count += 1;
            }
        }
        let Some(answer) = answer else { break };
        event = "turn";
        since = Utc::now().trunc_subsecs(0);
        let done = env.run(&answer);
        assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{answer}");
    }
    assert_eq!(event, "over", "the mails lead to the end of the game");

    host.settle();
    inboxes.iter_mut().for_each(|(_, inbox)| drop(inbox.expect(0)));
    let states = env.mail_states("1");
    assert!(states.iter().all(|state| state.ends_with(" sent")), "{states:?}");
    assert_eq!(states.len(), counts.iter().sum::<usize>());
    counts
}

#[test]
fn a_whole_game_is_played_by_mail() {
    let Some(host) = MailHost::start() else { return };
    let env = TestEnvironment::with_transport(&host.smtp());
    let new = "new othello alice@local.test bob@local.test";
    let counts = play_by_mail(&host, &env, new, "Othello #1");

    // A mail for each move except the last, and two each at the start and the end.
    let history = env.json("history 1");
    let made = history["moves"].as_array().unwrap().iter().filter(|made| made["auto"] == false);
    let made = made.count();
    assert!(made > 50, "{made} moves");
    assert_eq!(counts.iter().sum::<usize>(), 2 + (made - 1) + 2);
    let game = env.game(1);
    assert_eq!((&game["status"], &game["legal"]), (&"finished".into(), &json!([])));
}

#[test]
fn mail_is_sent_encrypted_and_authenticated() {
    let Some(host) = MailHost::start() else { return };
    let env = TestEnvironment::with_transport(&host.secure_smtp("starttls", "secret"));
    // Bob's d2 leaves alice without a move, so it is his turn again.
    let new = "new mini alice@local.test bob@local.test --moves b1a1c4d4d3b4a4c1d1";
    env.ok(new);
    flush(&env, "1");
    let mut bob = host.inbox("bob");
    assert!(received(&bob.expect(1)[0]).contains("with ESMTPSA"));
    env.ok("--as bob move 1 d2 --receipt");
    flush(&env, "1");
    // The turn mail is sent once, with or without a receipt.
    let [mail] = &bob.expect(1)[..] else { unreachable!() };
    let answer = check_text(mail, "bob", "Your turn, bob (alice passed).\nMove number 12 of", &env);

    env.configure_transport(&host.secure_smtp("tls", "secret"));
    env.ok(&answer.expect("bob is on turn"));
    flush(&env, "1");
    let mut alice = host.inbox("alice");
    assert!(received(&alice.expect(2)[1]).contains("with ESMTPSA"));

    // Nothing is sent with a wrong password, or to a server without a trusted certificate, and
    // the password is not shown.
    for (transport, trouble) in [
        (host.secure_smtp("starttls", "wr0ng"), "cannot log in to localhost"),
        (without_authority(&host.secure_smtp("starttls", "wr0ng")), "certificate"),
        (without_authority(&host.secure_smtp("tls", "wr0ng")), "certificate"),
    ] {
        env.configure_transport(&nowhere());
        env.ok("new mini alice bob");
        env.configure_transport(&transport);
        env.later(60);
        let done = env.run("send");
        assert_eq!(done.status, Some(3), "{}", done.stderr);
        assert!(done.stderr.contains(trouble), "{}", done.stderr);
        let output = format!("{}{:?}", done.stderr, env.listed_mails(""));
        assert!(!output.contains("wr0ng"), "{output}");
    }
    env.configure_transport(&host.secure_smtp("tls", "secret"));
    env.later(60);
    assert_eq!(env.json("send")["sent"], 6);
    alice.expect(3);
    let over = bob.expect(4).remove(0);
    assert!(over.body().starts_with("You won, 13-2.\nGame 1 against alice (black) is over.\n"));
}

/// Returns the mail's Received fields.
fn received(mail: &Mail) -> String {
    let headers = mail.message.headers_raw();
    let traces = headers.filter(|(name, _)| *name == "Received").map(|(_, value)| value);
    traces.collect::<Vec<_>>().join("\n")
}

fn without_authority(transport: &str) -> String {
    let settings = transport.lines().filter(|line| !line.starts_with("ca_file"));
    settings.collect::<Vec<_>>().join("\n")
}

/// Starts a game of bob against a recipient that the server refuses. The mails about the start have waited
/// for the server.
fn against(host: &MailHost, opponent: &str) -> TestEnvironment {
    let env = TestEnvironment::with_transport(&nowhere());
    env.ok(&format!("new othello bob@local.test {opponent}@local.test"));
    // Bob's mail was tried and deferred, so the opponent's mail is first now.
    let tries: Vec<_> = env.listed_mails("1").iter().map(|mail| mail["tries"].clone()).collect();
    assert_eq!(tries, [1, 0]);
    env.configure_transport(&host.smtp());
    env.later(60);
    env
}

#[test]
fn mail_to_a_refused_recipient_is_kept_and_sent_again() {
    let Some(host) = MailHost::start() else { return };
    let env = against(&host, "reject5");
    let done = env.run("send");
    assert_eq!(done.status, Some(3));
    assert!(done.stderr.contains("1 sent; mail 2 to reject5 <reject5@local.test> failed: "));
    assert_eq!(env.mail_states("1"), ["bob started 0 sent", "reject5 started 0 queued"]);
    let mut bob = host.inbox("bob");
    bob.expect(1);

    // The mail is retried after a day, not before.
    for (minutes, status, tries) in [(23 * 60, 0, 1), (2 * 60, 3, 2)] {
        env.later(minutes);
        assert_eq!(env.run("send").status, Some(status));
        let mail = &env.listed_mails("1")[1];
        assert_eq!(mail["tries"], tries);
        assert!(mail["error"].as_str().unwrap().contains(": 550 5.1.1 "), "{mail}");
    }

    // After a change of address it is retried at once.
    env.ok("address reject5 carol@local.test");
    flush(&env, "1");
    let mut carol = host.inbox("carol");
    let mail = carol.expect(1).remove(0);
    assert!(mail.body().contains("ame 1 against "));
    assert_eq!(mail.header("To"), "reject5 <carol@local.test>");
    for mv in ["--as bob move 1 d3", "--as reject5 move 1 c3"] {
        env.ok(mv);
    }
    flush(&env, "1");
    bob.expect(1);
    carol.expect(1);
}

#[test]
fn mail_to_a_deferring_recipient_is_retried_and_delays_no_other_mail() {
    let Some(host) = MailHost::start() else { return };
    let env = against(&host, "defer4");
    // The first retry is when it is due, the second is by hand before that.
    for (tries, command, status) in [(1, "send", 3), (2, "mail retry 2", 0)] {
        let done = env.run(command);
        assert_eq!(done.status, Some(status), "{command}");
        let said = if status == 0 { &done.stdout } else { &done.stderr };
        assert!(said.contains("450 4.2.1"), "{said}");
        assert_eq!(env.mail_states("1"), ["bob started 0 sent", "defer4 started 0 queued"]);
        let mail = &env.listed_mails("1")[1];
        assert_eq!(mail["tries"], tries);
        assert!(mail["error"].as_str().unwrap().contains(": 450 4.2.1 "), "{mail}");
    }
    let mut bob = host.inbox("bob");
    let started = bob.expect(1).remove(0);

    env.ok("--as bob move 1 d3");
    env.ok("--as defer4 move 1 c3");
    assert_eq!(env.json("send")["deferred"], 0, "no mail is due yet");
    bob.expect(1);

    env.ok("address defer4 carol@local.test");
    env.later(24 * 60);
    // It is no longer the player's turn.
    assert_eq!(env.json("send")["sent"], 1);
    let mail = host.inbox("carol").expect(1).remove(0);
    assert!(mail.body().contains("ame 1 against "));
    assert_eq!(mail.header("In-Reply-To"), started.header("In-Reply-To"));
}

#[test]
fn a_server_that_is_down_delays_no_command_and_loses_no_mail() {
    let Some(host) = MailHost::start() else { return };
    let env = TestEnvironment::with_transport(&host.smtp());
    env.ok("new othello alice@local.test bob@local.test");
    flush(&env, "1");
    let first = host.inbox("alice").expect(1).remove(0);
    host.inbox("bob").expect(1);
    host.stop();

    let succeeds = |env: &TestEnvironment, command: &str| {
        let done = env.run(command);
        assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{command}");
    };
    for command in ["--as alice move 1 d3", "--as bob move 1 c3", "--as alice move 1 c4"] {
        succeeds(&env, command);
    }
    // This server accepts the connection and never answers. A command that waited for it would
    // never end.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let smtp = smtp_at(silent.local_addr().unwrap().port());
    env.configure_transport(&format!("{smtp}timeout = 600\n"));
    succeeds(&env, "--as bob move 1 c5");
    succeeds(&env, "new mini alice bob");
    drop(silent);

    env.configure_transport(&nowhere());
    env.later(10);
    let done = env.run("send");
    assert_eq!(done.status, Some(3), "{}", done.stderr);
    assert_eq!(
        env.mail_states("1"),
        [
            "alice started 0 sent",
            "bob started 0 sent",
            "bob turn 1 superseded",
            "alice turn 2 superseded",
            // It is no longer bob's turn.
            "bob turn 3 superseded",
            "alice turn 4 queued",
        ]
    );

    let host = MailHost::start().expect("it ran before");
    env.configure_transport(&host.smtp());
    env.later(24 * 60);
    assert_eq!(env.json("send")["sent"], 3);
    host.settle();
    let mails = host.inbox("alice").expect(2);
    let turn = mails.iter().find(|mail| mail.header("Subject").contains("#1")).unwrap();
    assert!(turn.body().starts_with("Your turn, alice ("));
    assert_eq!(turn.header("In-Reply-To"), first.header("In-Reply-To"));
    host.inbox("bob").expect(1);
}

/// Returns a new environment with two due mails for each of `games` games, and the number of mails.
fn pile_up(games: usize) -> (TestEnvironment, usize) {
    let env = TestEnvironment::with_transport(&nowhere());
    for _ in 0..games {
        env.ok("new othello alice@local.test bob@local.test");
    }
    env.later(60);
    (env, 2 * games)
}

fn everything(host: &MailHost) -> Vec<Mail> {
    host.settle();
    ["alice", "bob"].into_iter().flat_map(|user| host.inbox(user).fetch()).collect()
}

#[test]
fn simultaneous_senders_deliver_each_mail_once() {
    let Some(host) = MailHost::start() else { return };
    let (env, count) = pile_up(20);
    env.configure_transport(&host.smtp());
    let senders = [(); 4].map(|()| env.start("send --json"));
    let sent = senders.map(|sender| sender.finish().json()["sent"].as_u64().unwrap());
    assert_eq!(sent.iter().sum::<u64>(), count as u64, "{sent:?}");
    let mails = everything(&host);
    let ids: BTreeSet<_> = mails.iter().map(Mail::id).collect();
    assert_eq!((mails.len(), ids.len()), (count, count), "sent by each: {sent:?}");
}

#[test]
fn a_move_and_simultaneous_senders_deliver_its_mail_once() {
    let Some(host) = MailHost::start() else { return };
    let env = TestEnvironment::with_transport(&host.smtp());
    env.ok("new mini alice@local.test bob@local.test");
    flush(&env, "1");
    while let Some(next) = env.game(1)["legal"][0].as_str() {
        let commands = ["send", &format!("move 1 {next}"), "send"];
        for running in commands.map(|command| env.start(command)) {
            running.finish().ok();
        }
    }
    let states = env.mail_states("1");
    assert!(states.iter().all(|state| state.ends_with(" sent")), "{states:?}");
    let mails = everything(&host);
    let ids: BTreeSet<_> = mails.iter().map(Mail::id).collect();
    assert_eq!((mails.len(), ids.len()), (states.len(), states.len()));
}

#[test]
fn a_killed_sender_loses_nothing() {
    let Some(host) = MailHost::start() else { return };
    let (env, count) = pile_up(40);
    env.configure_transport(&host.smtp());
    let left = |env: &TestEnvironment| {
        let outbox = env.listed_mails("");
        outbox.iter().filter(|mail| mail["state"] == "queued").count()
    };
    let mut kills = 0;
    let mut before = count;
    while kills < 5 && before > 0 {
        let sender = env.start("send");
        while left(&env) + 3 > before && left(&env) > 0 {
            thread::sleep(Duration::from_millis(fastrand::u64(0..20)));
        }
        let done = sender.kill();
        before = left(&env);
        assert!(done.status.is_none() || before == 0, "it stops before the end: {}", done.stderr);
        kills += usize::from(done.status.is_none());
        // Its claimed mails can be sent again after the end of their leases.
        env.later(30);
    }
    assert!(kills > 0, "it was never killed during a delivery");
    env.ok("send");
    assert_eq!(left(&env), 0);

    // A claimed mail may have been accepted before the kill and then sent again, as an identical copy.
    let mails = everything(&host);
    let mut copies = BTreeMap::<_, Vec<_>>::new();
    for mail in &mails {
        copies.entry(mail.id()).or_default().push(mail);
    }
    assert_eq!(copies.len(), count, "every mail was delivered");
    assert!(mails.len() <= count + kills, "{} of {count} after {kills} kills", mails.len());
    for copies in copies.values() {
        let same = |mail: &&Mail| (mail.header("Date"), mail.text.clone());
        assert!(copies.iter().all(|copy| same(copy) == same(&copies[0])));
    }
}

#[test]
fn a_whole_game_is_played_through_sendmail() {
    let Some(host) = MailHost::start() else { return };
    let env = TestEnvironment::with_transport(&host.sendmail());
    let new = "new mini alice@local.test bob@local.test";
    play_by_mail(&host, &env, new, "Mini Othello #1");
}

#[test]
fn bounces_and_vacation_replies_go_to_the_sender() {
    let Some(host) = MailHost::start() else { return };
    let env = TestEnvironment::with_transport(&host.smtp());
    env.ok("new othello hardbounce@local.test vacation@local.test");
    flush(&env, "1");
    // The vacation responder answers a person's mail and not a program's.
    let headers = "From: carol@local.test\nTo: vacation@local.test\nSubject: Hello\n";
    host.write("carol@local.test", "vacation@local.test", &format!("{headers}\nHello\n"));
    let mut vacation = host.inbox("vacation");
    vacation.expect(2);
    let away = host.inbox("carol").expect(1);
    assert!(away[0].header("Subject").contains("Out of office"));

    let mut sender: Inbox = host.inbox("outflank");
    let bounce = sender.expect(1).remove(0);
    assert!(bounce.header("Content-Type").starts_with("multipart/report"));
    assert!(bounce.raw.contains("hardbounce@local.test"));
    host.settle();
    sender.expect(0);
}
