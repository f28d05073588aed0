//! The outbox: leases, superseded mails and retries.

use std::fs;

use chrono::{DateTime, TimeDelta, Utc};
use outflank::store::{
    Claim, ClaimRequest, Error, MailId, NewGame, NewOutboxEntry, OutboxEntry, Settled, Store, Tx,
};
use outflank_model::log::{Game, GameId};
use outflank_model::mail::{MailContent, MailState, MessageKind};
use outflank_model::{Agreement, Moment};
use outflank_rules::{Color, Overrides, Position, Variant};
use serde_json::Value;

use super::state;
use crate::harness::{ALICE, BOB, TestEnvironment, until};

/// The outbox of a store with one game.
struct Outbox {
    _env: TestEnvironment,
    store: Store,
    game: GameId,
    start: DateTime<Utc>,
    written: u32,
}

use Color::{Black, White};

/// The maximum length of a lease.
const MAX_LEASE: TimeDelta = TimeDelta::seconds(180);

fn request(lease: &str, now: DateTime<Utc>, until: DateTime<Utc>) -> ClaimRequest<'_> {
    ClaimRequest { lease, now, until, longest: MAX_LEASE }
}

impl Outbox {
    fn new() -> Self {
        let env = TestEnvironment::new();
        let (mut store, start) = (state::store(&env), env.now());
        let variant = Variant::named("othello").unwrap();
        let game = Game::new(Position::start(variant.rules(&Overrides::default()).unwrap()));
        let added = store.write_or_create(|tx| {
            let black = &tx.add_player("alice", "alice@example.org", &[1; 32], start)?.into();
            let white = &tx.add_player("bob", "bob@example.org", &[2; 32], start)?.into();
            let agreement = &Agreement::on(variant);
            let new = NewGame { agreement, game: &game, black, white, local: false, mark: "mark" };
            tx.add_game(&new, |id| format!("game-{id}@example.org"), start)
        });
        Self { _env: env, game: added.unwrap(), store, start, written: 0 }
    }

    /// Returns the time `seconds` after the start.
    fn at(&self, seconds: i64) -> DateTime<Utc> {
        self.start + TimeDelta::seconds(seconds)
    }

    fn write<T>(&mut self, work: impl FnOnce(&Tx) -> Result<T, Error>) -> T {
        self.store.write(work).unwrap()
    }

    fn add(&mut self, kind: MessageKind, to: Color, at: i64) -> MailId {
        self.written += 1;
        let (game, now, ply) = (self.game, self.at(at), self.written as usize);
        let message_id = format!("{}@example.org", self.written);
        self.write(|tx| {
            let stored = tx.game(game)?.unwrap();
            let content = MailContent::of_game(kind, Moment { game, ply, events: ply });
            let entry = NewOutboxEntry::to(stored.player(to).unwrap(), content);
            tx.add_outbox_entry(
                &entry,
                "mark",
                |_| Ok::<_, Error>(message_id),
                MailState::Queued,
                now,
            )
        })
    }

    fn claim(&mut self, id: MailId, lease: &str, at: i64, until: i64) -> Option<Claim> {
        let (now, until) = (self.at(at), self.at(until));
        self.write(|tx| tx.claim_mail(&request(lease, now, until), id))
    }

    fn requeue(&mut self, id: MailId, at: i64) -> bool {
        let now = self.at(at);
        self.write(|tx| tx.requeue_mail(&request("", now, now), id))
    }

    /// Claims all due mails for a minute.
    fn claim_all(&mut self, first: &[MailId], at: i64) -> Vec<MailId> {
        let request = request("me", self.at(at), self.at(at + 60));
        let claims = self.write(|tx| tx.claim_mails(&request, first, 100));
        claims.into_iter().map(|claim| claim.entry.id).collect()
    }

    fn settle(&mut self, claim: &Claim, settled: &Settled, at: i64) {
        let now = self.at(at);
        self.write(|tx| tx.settle_mail(claim, settled, now));
    }

    fn defer(&mut self, claim: &Claim, at: i64, due: i64) {
        let settled = Settled::Deferred { due_at: self.at(due), error: "busy".to_owned() };
        self.settle(claim, &settled, at);
    }

    fn fail(&mut self, claim: &Claim, at: i64) {
        self.settle(claim, &Settled::Failed { error: "no such user".to_owned() }, at);
    }

    fn mail(&mut self, id: MailId) -> OutboxEntry {
        self.store.read(|db| db.outbox_entry(id)).unwrap().unwrap()
    }

    fn state(&mut self, id: MailId) -> MailState {
        self.mail(id).state
    }
}

#[test]
fn a_claimed_mail_cannot_be_claimed_again_until_the_lease_ends() {
    let mut outbox = Outbox::new();
    let id = outbox.add(MessageKind::Turn, White, 0);
    let first = outbox.claim(id, "first", 0, 60).unwrap();
    assert!(outbox.claim(id, "second", 0, 60).is_none());
    assert!(outbox.claim(id, "first", 1, 60).is_none(), "not even by the same hand");
    assert_eq!(outbox.claim_all(&[id], 59), []);
    let second = outbox.claim(id, "second", 60, 120).unwrap();
    assert_eq!(second.entry.tries, 2);

    // The first claim has expired, so its outcome is not recorded.
    for settled in [Settled::Sent, Settled::Failed { error: "late".to_owned() }] {
        let before = outbox.mail(id);
        outbox.settle(&first, &settled, 61);
        assert_eq!(outbox.mail(id), before);
    }
    outbox.settle(&second, &Settled::Sent, 62);
    assert_eq!(outbox.state(id), MailState::Sent);
    outbox.fail(&first, 63);
    assert_eq!(outbox.state(id), MailState::Sent);
    assert!(outbox.claim(id, "third", 1000, 1060).is_none());
}

#[test]
fn a_claim_holds_while_its_lease_lasts_and_not_longer() {
    let mut outbox = Outbox::new();
    let id = outbox.add(MessageKind::Turn, White, 0);
    let begin =
        |outbox: &Outbox| outbox.store.read(|db| Ok::<_, Error>(db.lease(|| "word".to_owned())));
    let lease = begin(&outbox).unwrap();
    let claim = outbox.claim(id, lease.name(), 0, 60).unwrap();
    let late = 1_000_000;
    assert!(outbox.claim(id, "other", late, late + 60).is_none());
    assert!(!outbox.requeue(id, late));
    let request = request("", outbox.at(late), outbox.at(late));
    assert!(!outbox.store.read(|db| db.is_mail_due(&request)).unwrap());
    assert_eq!(outbox.claim_all(&[id], late), []);
    // It is settled however late.
    outbox.defer(&claim, late, late);
    let claim = outbox.claim(id, lease.name(), late, late + 60).unwrap();
    drop(lease);
    assert_eq!(outbox.claim_all(&[], late + 1), [id], "at once");
    outbox.fail(&claim, late + 2);
    assert_eq!(outbox.state(id), MailState::Queued);
}

/// Returns a transport that waits until somebody opens the pipe `go`, with the mail that it has read in a file.
fn waiting_transport(env: &TestEnvironment) {
    rustix::fs::mknodat(
        rustix::fs::CWD,
        env.path("go"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    transport(env, "cat >begun; mv begun read; : <go");
}

#[test]
fn a_mail_that_is_being_sent_is_not_sent_by_others_until_its_process_ends() {
    let env = TestEnvironment::new().with_game();
    env.mails();
    waiting_transport(&env);
    let sending = env.start("move 1 f5 --config config.toml");
    until("it has begun", || env.path("read").exists());
    env.later(60);
    assert_eq!(env.json("send")["sent"], 0);
    assert!(env.fails(1, "mail retry 3").contains("being sent right now"));
    sending.kill();
    // The script is not a part of the command.
    fs::write(env.path("go"), "").unwrap();
    assert_eq!(env.json("send")["sent"], 1, "at once");
    env.mail_to(BOB);
}

#[test]
fn a_lease_from_a_clock_that_was_ahead_is_ignored() {
    let mut outbox = Outbox::new();
    let id = outbox.add(MessageKind::Turn, White, 0);
    let ahead = 86_400;
    let claim = outbox.claim(id, "ahead", ahead, ahead + MAX_LEASE.num_seconds()).unwrap();
    let request = request("me", outbox.at(1), outbox.at(61));
    assert!(outbox.store.read(|db| db.is_mail_due(&request)).unwrap());
    assert!(outbox.requeue(id, 1));
    assert_eq!(outbox.claim_all(&[], 1), [id]);
    assert!(!outbox.requeue(id, 1), "it has a valid claim");
    // The process with the clock ahead has lost its claim.
    outbox.fail(&claim, ahead + 1);
    assert_eq!(outbox.state(id), MailState::Queued);
    // A lease of the maximum length is accepted.
    let other = outbox.add(MessageKind::Started, White, 0);
    outbox.claim(other, "other", 100, 100 + MAX_LEASE.num_seconds()).unwrap();
    assert_eq!(outbox.claim_all(&[other], 100), [id]);
}

#[test]
fn a_released_mail_is_due_and_counts_as_not_tried() {
    let mut outbox = Outbox::new();
    let id = outbox.add(MessageKind::Turn, White, 0);
    let claim = outbox.claim(id, "me", 0, 60).unwrap();
    outbox.write(|tx| tx.release_mail(&claim));
    assert_eq!(outbox.mail(id).tries, 0);
    // The claim is over, so a second release changes nothing.
    outbox.claim(id, "other", 0, 60).unwrap();
    outbox.write(|tx| tx.release_mail(&claim));
    assert_eq!(outbox.mail(id).tries, 1);
    assert_eq!(outbox.claim_all(&[id], 0), []);
}

#[test]
fn simultaneous_claims_never_get_the_same_mail() {
    let mut outbox = Outbox::new();
    let mut all: Vec<_> = (0..30).map(|_| outbox.add(MessageKind::Started, Black, 0)).collect();
    let (path, now, until) = (outbox.store.path().to_owned(), outbox.at(0), outbox.at(60));
    let mut claimed: Vec<MailId> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|n| {
                let path = &path;
                scope.spawn(move || {
                    let (mut store, lease) = (Store::open(path, false).unwrap(), n.to_string());
                    let request = request(&lease, now, until);
                    let mut claim = || store.write(|tx| tx.claim_mails(&request, &[], 2)).unwrap();
                    std::iter::from_fn(|| Some(claim()).filter(|claims| !claims.is_empty()))
                        .flatten()
                        .map(|claim| claim.entry.id)
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    claimed.sort();
    all.sort();
    assert_eq!(claimed, all);
}

#[test]
fn a_later_mail_of_a_game_supersedes_an_unsent_turn_mail() {
    let env = TestEnvironment::new();
    transport(&env, "cat >/dev/null; exit 75");
    start(&env);
    let states = || -> Vec<String> {
        let mails = env.json("mail 1");
        let state = |mail: &Value| {
            ["to", "about", "state"].map(|key| mail[key].as_str().unwrap()).join(" ")
        };
        mails["mails"].as_array().unwrap().iter().map(state).collect()
    };
    for mv in ["b1", "a1", "c4 --as alice --receipt"] {
        env.ok(&format!("move 1 {mv} --config config.toml"));
    }
    let expected = [
        "alice started queued",
        "bob started queued",
        "bob turn superseded",
        "alice turn superseded",
        "bob turn queued",
        "alice receipt queued",
    ];
    assert_eq!(states(), expected);
    env.ok("resign 1 --as bob --config config.toml");
    assert_eq!(
        states()[4..],
        ["bob turn superseded", expected[5], "alice over queued", "bob over queued"]
    );
}

#[test]
fn a_claimed_mail_can_be_superseded() {
    let mut outbox = Outbox::new();
    let mut given_way = || {
        let id = outbox.add(MessageKind::Turn, White, 0);
        let claim = outbox.claim(id, "me", 0, 60).unwrap();
        let game = outbox.game;
        outbox.write(|tx| {
            let player = tx.game(game)?.unwrap().white.id().unwrap();
            tx.supersede_turn_mails(game, player)
        });
        assert_eq!(outbox.state(id), MailState::Superseded);
        (id, claim)
    };
    let (sent, failed, deferred) = (given_way(), given_way(), given_way());
    outbox.settle(&sent.1, &Settled::Sent, 2);
    assert_eq!(outbox.state(sent.0), MailState::Sent);
    outbox.fail(&failed.1, 2);
    outbox.defer(&deferred.1, 2, 3);
    for (id, _) in [failed, deferred] {
        assert_eq!(outbox.state(id), MailState::Superseded);
        assert!(outbox.claim(id, "me", 100, 160).is_none());
    }
}

#[test]
fn a_deferred_mail_is_retried_and_a_failed_one_is_not() {
    let mut outbox = Outbox::new();
    let id = outbox.add(MessageKind::Started, White, 0);
    let claim = outbox.claim(id, "me", 0, 60).unwrap();
    outbox.defer(&claim, 1, 30);
    assert!(outbox.claim(id, "me", 29, 60).is_none());
    let claim = outbox.claim(id, "me", 30, 90).unwrap();
    outbox.fail(&claim, 31);
    let mail = outbox.mail(id);
    assert_eq!((mail.state, mail.tries), (MailState::Failed, 2));
    assert_eq!(mail.last_error.as_deref(), Some("no such user"));
    assert!(outbox.claim(id, "me", 1_000_000, 1_000_060).is_none());

    assert!(outbox.requeue(id, 32));
    let claim = outbox.claim(id, "me", 32, 90).unwrap();
    assert!(!outbox.requeue(id, 32), "it is claimed");
    outbox.settle(&claim, &Settled::Sent, 33);
    let mail = outbox.mail(id);
    assert_eq!((mail.state, mail.last_error), (MailState::Sent, None));
    assert!(!outbox.requeue(id, 34), "a sent mail is not sent again");
}

#[test]
fn the_commands_own_mail_is_sent_first_and_then_the_longest_due() {
    let mut outbox = Outbox::new();
    let [early, late] = [0, 5].map(|at| outbox.add(MessageKind::Started, Black, at));
    let [one, two] = [9, 9].map(|at| outbox.add(MessageKind::Started, White, at));
    let future = outbox.add(MessageKind::Over, White, 99);
    assert_eq!(outbox.claim_all(&[two, future, one], 10), [two, one, early, late]);
}

/// Sets a shell script as the transport.
fn transport(env: &TestEnvironment, script: &str) {
    transport_of(env, &format!("kind = 'sendmail'\ncommand = ['sh', '-c', '''{script}''']"));
}

pub(super) fn transport_of(env: &TestEnvironment, settings: &str) {
    fs::write(env.path("config.toml"), format!("[transport]\n{settings}\n")).unwrap();
    env.forget_club();
}

pub(super) fn start(env: &TestEnvironment) {
    // An unusable transport causes a warning.
    let started = env.run(&format!("new mini {ALICE} {BOB} --config config.toml"));
    assert_eq!(started.status, Some(0), "{started:?}");
}

pub(super) fn mail(env: &TestEnvironment, id: usize) -> Value {
    env.json("mail 1")["mails"][id - 1].clone()
}

#[test]
fn retries_are_further_and_further_apart_until_the_mail_fails() {
    let env = TestEnvironment::new();
    transport(&env, "cat >/dev/null; echo busy; exit 75");
    start(&env);
    let began = env.now();
    let (mut tries, mut offs) = (1, Vec::new());
    loop {
        let seen = mail(&env, 1);
        assert_eq!(seen["tries"], tries, "{seen}");
        assert!(seen["error"].as_str().unwrap().contains("busy"), "{seen}");
        if seen["state"] == "failed" {
            break;
        }
        assert_eq!((&seen["state"], tries < 60), (&"queued".into(), true), "{seen}");
        let due: DateTime<Utc> = seen["due"].as_str().unwrap().parse().unwrap();
        let pause = (due - env.now()).num_seconds();
        let expected = (60_i64 << (tries - 1).min(20)).min(6 * 3600);
        assert!((pause - expected).abs() <= expected / 4, "try {tries}: {pause}, not {expected}");
        offs.push((pause - expected) * 1000 / expected);

        env.later_seconds(pause - 1);
        env.run("send --config config.toml");
        assert_eq!(mail(&env, 1)["tries"], tries, "it is not due yet");
        env.later_seconds(1);
        env.fails(3, "send --config config.toml");
        tries += 1;
    }
    assert!((5..6).contains(&(env.now() - began).num_days()), "{} tries", tries);
    assert!(mail(&env, 1)["error"].as_str().unwrap().starts_with("given up after 5 days: "));
    assert!(offs.iter().any(|&off| off > 0) && offs.iter().any(|&off| off < 0), "{offs:?}");

    // The host can retry it.
    env.ok("mail retry 1 --config config.toml");
    assert_eq!(mail(&env, 1)["state"], "failed");
    env.ok("mail adopt");
    env.ok("mail retry 1");
    assert_eq!(mail(&env, 1)["state"], "sent");
    env.fails(1, "mail retry 1");
    assert_eq!(env.all_mails().len(), 1);
}

#[test]
fn a_failing_recipient_delays_nobody_else() {
    let env = TestEnvironment::new();
    transport(&env, r#"cat >/dev/null; case "$*" in *alice*) echo unknown; exit 67; esac"#);
    start(&env);
    let states = |env: &TestEnvironment| [1, 2].map(|id| mail(env, id)["state"].clone());
    assert_eq!(states(&env), ["queued", "sent"]);
    // The retries are one day and three days after the first try.
    for (days, tries) in [(0, 1), (1, 2), (1, 2), (1, 3), (30, 3)] {
        env.later_seconds(days * 24 * 3600);
        env.run("send --config config.toml");
        assert_eq!(mail(&env, 1)["tries"], tries);
    }
    assert_eq!(mail(&env, 1)["state"], "failed");
}

#[test]
fn a_failing_transport_is_tried_with_one_mail_only() {
    let env = TestEnvironment::new();
    transport_of(&env, "kind = 'sendmail'\ncommand = ['/missing']");
    start(&env);
    assert_eq!([1, 2].map(|id| mail(&env, id)["tries"].as_u64().unwrap()), [1, 0]);
}

#[test]
fn a_retry_goes_to_the_players_new_address() {
    let env = TestEnvironment::new();
    transport(&env, "cat >/dev/null; exit 75");
    start(&env);
    env.ok("address alice alice@elsewhere.example");
    env.later(60);
    env.ok("send");
    let mails = env.all_mails();
    let moved =
        mails.values().filter(|mail| mail.header("Delivered-To") == "alice@elsewhere.example");
    assert_eq!(moved.count(), 1, "{mails:?}");
    assert_eq!(mail(&env, 1)["address"], "alice@elsewhere.example");
}

#[test]
fn a_claim_of_a_process_whose_clock_is_seconds_ahead_is_respected() {
    let env = TestEnvironment::new();
    transport_of(&env, "kind = 'smtp'\nhost = 'localhost'\nuser = 'x'\npassword_file = '/pigeon'");
    start(&env);
    let until = (env.now() + MAX_LEASE + TimeDelta::seconds(5)).timestamp();
    let claim = "UPDATE outbox SET lease = 'other', lease_until = ?1, due_at = 0";
    env.sqlite().execute(claim, [until]).unwrap();
    transport_of(&env, "kind = 'maildir'\npath = 'outflank.maildir'");
    assert_eq!(env.json("send --config config.toml")["sent"], 0);
}
