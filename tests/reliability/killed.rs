//! A long run of commands, killed at random moments.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use outflank::store::Listing;
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_rules::Color;

use super::state;
use crate::harness::{ALICE, BOB, Running, TestEnvironment};

const WORKERS: usize = 2;
/// The run ends after this number of kills,
const KILLS: usize = 500;
/// or after this time on a slow machine.
const TIME: Duration = Duration::from_secs(15);
/// The seconds by which each command moves the clock. The lease of a killed process ends a few
/// commands later.
const TICK: i64 = 20;
const GAMES: usize = 24;

/// A mail that must be in the outbox: kind, ply and player's name.
type Mail = (&'static str, usize, String);

/// Each worker has its own games, so it knows the state of each.
struct Worker<'a> {
    env: &'a TestEnvironment,
    kills: &'a AtomicUsize,
    number: usize,
    rng: fastrand::Rng,
    /// The maximum time before a kill, somewhat longer than most commands take.
    span: Duration,
    games: BTreeMap<GameId, Vec<Mail>>,
    started: usize,
    tally: Tally,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    finished: usize,
    killed_before: usize,
    killed_after: usize,
    killed_delivering: usize,
}

impl Worker<'_> {
    fn work(mut self, until: Instant) -> Self {
        while self.kills.load(Ordering::Relaxed) < KILLS && Instant::now() < until {
            self.env.later_seconds(TICK);
            match self.rng.u8(..100) {
                0..5 => self.send(),
                5..10 => self.resign(),
                10..25 if self.started < 2 * GAMES => self.start(),
                _ => self.play(),
            }
        }
        self
    }

    /// Runs a command and kills it at a random moment. Returns whether it has reported success.
    fn run(&mut self, arguments: &[String]) -> bool {
        let mut command = self.env.command_of(arguments);
        command.arg("--json");
        let running = Running::start(command);
        // Early moments are more likely, because delivery takes longest.
        thread::sleep(self.span.mul_f64(self.rng.f64() * self.rng.f64()));
        let ran = running.kill();
        // The span adapts, so that half of the commands are killed on any machine.
        let (finished, said) = (ran.status.is_some(), ran.stdout.ends_with('\n'));
        self.span = self.span.mul_f64(if finished { 0.98 } else { 1.02 });
        if finished {
            assert_eq!(ran.status, Some(0), "{arguments:?}: {ran:?}");
            self.tally.finished += 1;
        } else {
            self.kills.fetch_add(1, Ordering::Relaxed);
            self.tally.killed_delivering += usize::from(said);
            self.decide();
        }
        finished || said
    }

    /// Commits a change. A transaction that is complete in the log but missing in its index is
    /// recovered if the next process opens the database alone, and overwritten by the next commit
    /// otherwise. A commit decides between the two.
    fn decide(&self) {
        let change = "UPDATE installation SET created_at = created_at + 1";
        self.env.sqlite().execute(change, []).unwrap();
    }

    /// Counts a command as done or not, according to `found`.
    fn note(&mut self, arguments: &[String], reported: bool, found: bool) {
        assert!(found || !reported, "{arguments:?} was done, and nothing is there");
        match (reported, found) {
            (false, true) => self.tally.killed_after += 1,
            (false, false) => self.tally.killed_before += 1,
            (true, _) => {}
        }
    }

    fn read(&self, id: GameId) -> StoredGame {
        state::store(self.env).read(|db| db.game(id)).unwrap().unwrap()
    }

    /// Returns an active game.
    fn active(&mut self) -> Option<StoredGame> {
        let mut ids: Vec<_> = self.games.keys().copied().collect();
        self.rng.shuffle(&mut ids);
        ids.into_iter().map(|id| self.read(id)).find(|stored| stored.game.outcome().is_none())
    }

    /// Starts a game between two new players, who are signed up with it or not at all.
    fn start(&mut self) {
        self.started += 1;
        let address = |color| format!("{color}{}.{}@example.org", self.number, self.started);
        let (black, white) = (address("black"), address("white"));
        let (rules, ply) = self.rng.choice(VARIANTS).unwrap();
        let arguments: Vec<_> = ["new", &black, &white]
            .into_iter()
            .chain(rules.split(' '))
            .map(str::to_owned)
            .collect();
        // The variant comes before the players.
        let arguments = [&arguments[..1], &arguments[3..4], &arguments[1..3], &arguments[4..]];
        let arguments = arguments.concat();
        let reported = self.run(&arguments);

        let found = state::store(self.env).read(|db| {
            let players = [db.player_at(&black)?, db.player_at(&white)?];
            let [Some(black), Some(white)] = players else {
                assert_eq!(players, [None, None], "half of {arguments:?}");
                return Ok(None);
            };
            let listings = [Listing::ToMove(black.id), Listing::ToWait(black.id)];
            let mut games = db.games(listings[0], None)?;
            games.extend(db.games(listings[1], None)?);
            assert_eq!(games.len(), 1, "{arguments:?}: {games:?}");
            assert_eq!((games[0].ply, &games[0].white), (*ply, &white.name));
            let mails = [black, white].map(|player| ("started", *ply, player.name));
            Ok::<_, outflank::store::Error>(Some((games[0].id, mails.to_vec())))
        });
        let found = found.unwrap();
        self.note(&arguments, reported, found.is_some());
        self.games.extend(found);
    }

    /// Makes one to three moves in a game.
    fn play(&mut self) {
        let Some(before) = self.active() else { return self.start() };
        let mut after = before.game.clone();
        let lattice = after.position().rules().lattice;
        let mut arguments = vec!["move".to_owned(), before.id.to_string()];
        for _ in 0..self.rng.usize(1..=3) {
            let Some(&played) = self.rng.choice(&after.legal()) else { break };
            let ply = after.plies().len() + 1;
            let number = if self.rng.bool() { format!("#{ply}") } else { String::new() };
            arguments.push(format!("{}{number}", lattice.move_label(played)));
            after.play(played).unwrap();
        }
        let receipt = self.rng.bool();
        if receipt {
            arguments.push("--receipt".to_owned());
        }
        let mut mails = mails_after(&before, &after);
        let mover = after.plies().iter().rev().find(|ply| !ply.auto).map(|ply| ply.by);
        if let (true, Some(turn), Some(mover)) = (receipt, after.turn(), mover)
            && turn != mover
        {
            mails.push(("receipt", after.plies().len(), before.name(mover).to_owned()));
        }
        self.change(&before, &after, &arguments, mails);
    }

    fn resign(&mut self) {
        let Some(before) = self.active() else { return self.start() };
        let color = if self.rng.bool() { Color::Black } else { Color::White };
        let mut after = before.game.clone();
        after.apply(Event::by(color, Action::Resign)).unwrap();
        let name = before.name(color);
        let arguments =
            ["resign", &before.id.to_string(), "--as", name].map(str::to_owned).to_vec();
        let mails = mails_after(&before, &after);
        self.change(&before, &after, &arguments, mails);
    }

    /// Runs a command that changes a game completely or not at all.
    fn change(
        &mut self,
        before: &StoredGame,
        after: &Game,
        arguments: &[String],
        mails: Vec<Mail>,
    ) {
        let reported = self.run(arguments);
        let now = self.read(before.id).game;
        let found = now.events() == after.events();
        assert!(found || now.events() == before.game.events(), "half of {arguments:?}: {now:?}");
        self.note(arguments, reported, found);
        if found {
            self.games.entry(before.id).or_default().extend(mails);
        }
    }

    fn send(&mut self) {
        self.run(&["send".to_owned()]);
    }
}

/// The variants and options of games, and the number of moves in their options.
const VARIANTS: &[(&str, usize)] = &[
    ("othello", 0),
    ("mini", 0),
    ("mini --moves b1a1c4", 3),
    ("twente --size 4x4", 0),
    ("reversi --size 6x5 --misere", 0),
    ("othello --size 4x6 --anywhere --pass explicit", 0),
    ("oddthello", 0),
];

/// Returns the mails that a turn or the end of a game causes.
fn mails_after(stored: &StoredGame, game: &Game) -> Vec<Mail> {
    let ply = game.plies().len();
    match game.turn() {
        Some(color) => vec![("turn", ply, stored.name(color).to_owned())],
        None => Color::BOTH.map(|color| ("over", ply, stored.name(color).to_owned())).to_vec(),
    }
}

#[test]
fn killed_commands_are_done_completely_or_not_at_all() {
    let given = std::env::var("OUTFLANK_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| fastrand::u64(..));
    println!("OUTFLANK_TEST_SEED={seed}");

    let env = TestEnvironment::new();
    let junk = env.path("outflank.maildir/tmp/outflank.left");
    env.ok(&format!("new mini {ALICE} {BOB}"));
    fs::write(&junk, "From: nobody").unwrap();
    let (kills, until) = (AtomicUsize::new(0), Instant::now() + TIME);
    let workers: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..WORKERS)
            .map(|number| {
                let worker = Worker {
                    env: &env,
                    kills: &kills,
                    number,
                    rng: fastrand::Rng::with_seed(seed.wrapping_add(number as u64)),
                    span: Duration::from_millis(8),
                    games: BTreeMap::new(),
                    started: 0,
                    tally: Tally::default(),
                };
                scope.spawn(move || worker.work(until))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for worker in &workers {
        println!("{:?} in {} games, span {:?}", worker.tally, worker.games.len(), worker.span);
    }

    let mut games: BTreeMap<GameId, Vec<Mail>> =
        workers.into_iter().flat_map(|worker| worker.games).collect();
    let first = ["alice", "bob"].map(|name| ("started", 0, name.to_owned()));
    games.insert(GameId(1), first.to_vec());
    assert_eq!(state::check(&env.database()), games.len());
    for (&id, expected) in &mut games {
        check_outbox(&env, id, expected);
    }
    check_delivery(&env);
    state::check_commands(&env);
    assert_eq!(state::check(&env.database()), games.len());
}

/// Checks that the mails of a game are the expected ones.
fn check_outbox(env: &TestEnvironment, id: GameId, expected: &mut [Mail]) {
    let mails = state::store(env).read(|db| db.outbox_of(id)).unwrap();
    let mut found: Vec<_> =
        mails.iter().map(|mail| (mail.content.kind.word(), ply_of(mail), name_of(mail))).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "game {id}");
    let game = state::store(env).read(|db| db.game(id)).unwrap().unwrap().game;
    for (at, mail) in mails.iter().enumerate() {
        if mail.state.word() == "superseded" {
            assert_eq!(mail.content.kind.word(), "turn", "{mail:?}");
            let later = mails[at + 1..].iter().any(|later| name_of(later) == name_of(mail));
            // A turn mail that was not sent before its reader moved is pointless.
            let has_moved = game.plies().len() > ply_of(mail);
            assert!(later || has_moved, "{mail:?} has no successor");
        }
    }
}

fn ply_of(mail: &outflank::store::OutboxEntry) -> usize {
    mail.content.game.unwrap().ply
}

fn name_of(mail: &outflank::store::OutboxEntry) -> String {
    mail.player.as_ref().unwrap().name.clone()
}

/// Checks that all mails that are not superseded are delivered once after the leases have ended.
fn check_delivery(env: &TestEnvironment) {
    env.later(60);
    env.ok("send");
    let delivered: BTreeSet<_> = env.all_mails().into_keys().collect();
    let sqlite = env.sqlite();
    let mut outbox = sqlite.prepare("SELECT message_id, state FROM outbox").unwrap();
    let outbox: BTreeMap<String, String> = outbox
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for (id, state) in &outbox {
        match state.as_str() {
            "sent" => assert!(delivered.contains(id), "{id} was not delivered"),
            // The sending process may have been killed after the delivery and before its record.
            "superseded" => {}
            other => panic!("{id} is {other}"),
        }
    }
    for id in &delivered {
        assert!(outbox.contains_key(id), "{id} came from nowhere");
    }
    // A file left in tmp/ does no harm.
    env.ok("send");
    assert_eq!(env.all_mails().len(), delivered.len());
}
