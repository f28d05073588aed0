//! Three months of a club: 200 games among 20 players who move, plan, pause, are away, run out of
//! time and change their minds, all from one seed, through the application layer.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use clap::Parser;
use outflank::app::{Actor, AnyCommand, App, Error, FrontEnd, Rng, Session, disarm};
use outflank::clock::Clock;
use outflank::command::PlayerRef;
use outflank::config::Config;
use outflank::log::{Action, Game, GameId, Offer};
use outflank::store::{Listing, Store, StoredGame};
use outflank_rules::{Color, Lattice, Reason};

const GAMES: i64 = 200;
const PLAYERS: usize = 20;
const DAYS: i64 = 92;
/// The players whose own moves are announced later.
const GRACE: std::ops::Range<usize> = 16..18;
/// From before the end of summer time to after the leap day.
const BEGIN: &str = "2027-12-05T08:00:00Z";

/// A clock that the test sets.
#[derive(Clone)]
struct TestClock(Arc<AtomicI64>);

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0.load(Ordering::Relaxed), 0).unwrap()
    }
}

#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

/// A mail that was delivered: its kind, the game and its moves if it is about one, the recipient.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mail {
    kind: String,
    game: Option<i64>,
    to: String,
}

struct Club {
    folder: tempfile::TempDir,
    clock: TestClock,
    app: Option<App>,
    rng: fastrand::Rng,
    message_ids: HashSet<String>,
    mails: Vec<Mail>,
    /// How often each command was carried out.
    done: BTreeMap<String, usize>,
}

impl Club {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let begin = BEGIN.parse::<DateTime<Utc>>().unwrap();
        let clock = TestClock(Arc::new(AtomicI64::new(begin.timestamp())));
        let database = folder.path().join("club.db");
        let rng = Rng::seeded(seed);
        let app =
            App::open(&database, false, Config::default(), Box::new(clock.clone()), rng, disarm);
        Self {
            folder,
            clock,
            app: Some(app.unwrap()),
            rng: fastrand::Rng::with_seed(seed),
            message_ids: HashSet::new(),
            mails: Vec::new(),
            done: BTreeMap::new(),
        }
    }

    fn database(&self) -> PathBuf {
        self.folder.path().join("club.db")
    }

    fn store(&self) -> Store {
        Store::open(&self.database(), false).unwrap()
    }

    /// Gives a command, which may be refused but must not fail.
    fn run(&mut self, actor: Option<&str>, words: &str) -> Result<(), Error> {
        let arguments = std::iter::once("outflank").chain(words.split_whitespace());
        let line =
            Line::try_parse_from(arguments).unwrap_or_else(|error| panic!("{words}: {error}"));
        let actor = match actor {
            Some(name) => Actor::Player(PlayerRef::Name(name.to_owned())),
            None => Actor::Host,
        };
        let mut app = self.app.take();
        let mut open = || Ok(app.take().expect("the application is opened once"));
        let mut session = Session::new(actor, FrontEnd::none(), &mut open);
        let result = line.command.use_case().run(&mut session);
        self.app = session.into_app().or(app);
        match result {
            Ok(_) => {
                let word = words.split(' ').next().unwrap_or_default();
                *self.done.entry(word.to_owned()).or_default() += 1;
                Ok(())
            }
            Err(error) if error.is_fault() => panic!("{words}: {error}"),
            Err(error) => Err(error),
        }
    }

    fn ok(&mut self, words: &str) {
        self.run(None, words).unwrap_or_else(|error| panic!("{words}: {error}"));
    }

    fn game(&self, store: &Store, id: i64) -> StoredGame {
        store.read(|db| db.game(GameId(id))).unwrap().unwrap()
    }

    /// Lets `send` do what is due, and reads the mails that it delivers.
    fn send(&mut self) -> Vec<Mail> {
        self.ok("send");
        let mut delivered = Vec::new();
        let Ok(files) = fs::read_dir(self.folder.path().join("club.maildir/new")) else {
            return delivered;
        };
        for file in files {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let header = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_else(|| panic!("no {name} in {text}")).to_owned()
            };
            let id = header("Message-ID: <");
            assert!(self.message_ids.insert(id.clone()), "{id} was delivered twice");
            let parts: Vec<_> = id.split('.').collect();
            let (kind, game) = match parts[0].parse() {
                Ok(game) => (parts[2], Some(game)),
                Err(_) => (parts[0], None),
            };
            let to = header("Delivered-To: ");
            let to = to.split('@').next().unwrap_or_default().to_owned();
            delivered.push(Mail { kind: kind.to_owned(), game, to });
            fs::remove_file(path).unwrap();
        }
        self.mails.extend(delivered.iter().cloned());
        delivered
    }

    fn later(&self, minutes: i64) {
        self.clock.0.fetch_add(60 * minutes, Ordering::Relaxed);
    }

    /// One thing that somebody may do in a game.
    fn act(&mut self, store: &Store, id: i64) {
        let stored = self.game(store, id);
        let names = stored.sides().map(|side| side.name().to_owned());
        let name = |color| if color == Color::Black { &names[0] } else { &names[1] };
        let lattice = stored.game.start().rules().lattice;
        let Some(turn) = stored.game.turn() else {
            if self.rng.u8(..100) == 0 {
                let _ = self.run(Some(&names[0]), &format!("rematch {id}"));
                let _ = self.run(Some(&names[1]), &format!("decline {id}"));
            }
            return;
        };
        let (mover, waiting) = (name(turn), name(!turn));
        if let Some((by, offer)) = stored.game.offer() {
            let answer = match (offer, self.rng.u8(..4)) {
                (Offer::Draw, 0) | (Offer::TakeBack | Offer::Pause | Offer::Rematch, 1..) => {
                    "accept"
                }
                _ => "decline",
            };
            let _ = self.run(Some(name(!by)), &format!("{answer} {id}"));
            return;
        }
        let chosen = self.rng.choice(stored.game.legal()).unwrap();
        let mv = lattice.move_label(chosen);
        // Refusals are part of the life of a club.
        let _ = match self.rng.u8(..100) {
            0..70 => self.run(Some(mover), &format!("move {id} {mv}")),
            70..76 => match plan(&stored.game, lattice) {
                Some(plan) => self.run(Some(waiting), &format!("plan {id} {plan}")),
                None => Ok(()),
            },
            76..80 => self.run(Some(waiting), &format!("takeback {id}")),
            80..82 => self.run(Some(waiting), &format!("draw {id}")),
            82..84 => self.run(Some(mover), &format!("pause {id}")),
            84..88 => self.run(Some(waiting), &format!("unpause {id}")),
            88..92 => self.run(Some(waiting), &format!("claim {id}")),
            92..94 => self.run(Some(mover), &format!("note {id} think about {mv}")),
            94 => self.run(Some(mover), &format!("abort {id}")),
            95 => self.run(Some(mover), &format!("resign {id}")),
            96 => self.run(None, &format!("extend {id} 1d")),
            97 => self.run(Some(waiting), &format!("say {id} take your time --now")),
            98 if self.rng.u8(..10) == 0 => self.run(None, &format!("annul {id}")),
            _ => Ok(()),
        };
    }

    fn start(&mut self) {
        for player in 0..PLAYERS {
            self.ok(&format!("signup player{player} player{player}@example.org"));
            let as_player = Some(format!("player{player}"));
            let zone = ["Europe/Amsterdam", "America/New_York", "Asia/Tokyo", "UTC"][player % 4];
            self.run(as_player.as_deref(), &format!("set timezone {zone}")).unwrap();
            let settings = match player {
                0..10 => continue,
                10..13 => "set quiet 22:00-07:00",
                13..16 => "set mail digest 18:00",
                _ if GRACE.contains(&player) => "set grace 30m",
                _ => "set mail none",
            };
            self.run(as_player.as_deref(), settings).unwrap();
        }
        for game in 0..GAMES {
            let black = self.rng.usize(..PLAYERS);
            let white = (black + self.rng.usize(1..PLAYERS)) % PLAYERS;
            let clock = ["none", "3d", "5d+1d", "4d+12h,max=6d", "total=30d"][game as usize % 5];
            let flag = if game % 3 == 0 { "hard" } else { "claim" };
            let weekends = if game % 2 == 0 { " --free-weekends" } else { "" };
            let away = if game % 7 == 0 { " --no-away" } else { "" };
            // These need a clock.
            let rules =
                if clock == "none" { String::new() } else { format!(" --flag {flag}{weekends}") };
            let size = if game % 4 == 0 { "6x6" } else { "5x6" };
            self.ok(&format!(
                "new othello player{black} player{white} --size {size} --clock {clock}{rules}{away}"
            ));
        }
    }

    /// Checks that the player to move was notified of each new position, exactly once.
    fn check_turns(&self, before: &BTreeMap<i64, usize>, store: &Store, delivered: &[Mail]) {
        let is_mailed = |id| delivered.iter().any(|mail| mail.game == Some(id));
        for (id, event) in self.position_events() {
            if before.get(&id) == Some(&event) && !is_mailed(id) {
                continue;
            }
            let stored = self.game(store, id);
            let Some(turn) = stored.game.turn() else { continue };
            let player = stored.name(turn);
            // Nothing delays the mails to this player: neither own settings nor the opponent's grace.
            let is_strict = number(player) < 10 && !GRACE.contains(&number(stored.name(!turn)));
            let mails = delivered.iter().filter(|mail| mail.game == Some(id) && mail.to == *player);
            let turns = mails.clone().filter(|mail| mail.kind == "turn").count();
            assert!(turns <= 1, "{turns} mails about one turn of game {id}");
            let known = before.get(&id).copied().unwrap_or_default();
            if !is_strict || event <= known {
                continue;
            }
            // After a free takeback the author is on turn again, and knows.
            let is_own = matches!(stored.game.events()[event - 1].action, Action::TakeBack);
            assert!(
                is_own || mails.count() > 0,
                "{player} knows nothing of game {id} ({:?}, then {:?})",
                &stored.game.events()[..known],
                &stored.game.events()[known..],
            );
        }
    }

    /// The number of each game with that of the last event that changed its position.
    fn position_events(&self) -> BTreeMap<i64, usize> {
        let connection = rusqlite::Connection::open(self.database()).unwrap();
        let mut select = connection.prepare("SELECT id, position_event FROM game").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn count(&self, store: &Store) -> i64 {
        let ids = [Listing::Active, Listing::Finished(None)]
            .map(|listing| store.read(|db| db.list(listing, None)).unwrap());
        ids.concat().len() as i64
    }

    /// Checks what is stored against the events, and the mails against both.
    fn check(&self) {
        let store = self.store();
        let games = self.count(&store);
        let mut records: BTreeMap<String, [u32; 4]> = BTreeMap::new();
        let mut reasons = BTreeSet::new();
        for id in 1..=games {
            let stored = self.game(&store, id);
            let game = &stored.game;
            check_log(&stored);
            assert_eq!(self.row(id), derived(&stored), "game {id}");
            for color in Color::BOTH {
                let record = records.entry(stored.name(color).to_owned()).or_default();
                match game.outcome() {
                    None => record[0] += 1,
                    Some(outcome) if !outcome.reason.counts() => {}
                    Some(outcome) if outcome.winner == Some(color) => record[1] += 1,
                    Some(outcome) if outcome.winner.is_some() => record[2] += 1,
                    Some(_) => record[3] += 1,
                }
            }
            let count = |kind: &str| {
                self.mails.iter().filter(|it| it.game == Some(id) && it.kind == kind).count()
            };
            assert_eq!(count("started"), 2, "game {id}");
            assert_eq!(count("over"), if game.turn().is_none() { 2 } else { 0 }, "game {id}");
            let flags = game.events().iter().filter(|it| matches!(it.action, Action::Flag(_)));
            // A move that comes before the mails supersedes them.
            assert!(count("flagged") <= 2 * flags.count(), "game {id}");
            reasons.extend(game.outcome().map(|outcome| outcome.reason.word()));
        }
        let connection = rusqlite::Connection::open(self.database()).unwrap();
        for (name, record) in records {
            let sql = "SELECT active, won, lost, drawn FROM player WHERE name = ?1";
            let stored = connection.query_row(sql, [&name], |row| {
                Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
            });
            let stored: [u32; 4] = stored.unwrap();
            assert_eq!(stored, record, "{name}");
        }
        let waiting: i64 = connection
            .query_row("SELECT count(*) FROM outbox WHERE state = 'failed'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(waiting, 0, "mails failed");
        // What the seed is for: everything happens.
        for word in [
            "plan", "takeback", "draw", "pause", "unpause", "claim", "accept", "decline", "away",
            "say", "note", "abort",
        ] {
            assert!(self.done.get(word).is_some_and(|&count| count > 3), "{word}: {:?}", self.done);
        }
        for reason in
            [Reason::Discs, Reason::Time, Reason::Claimed, Reason::Agreed, Reason::Declined]
        {
            assert!(reasons.contains(reason.word()), "{reason:?} is not among {reasons:?}");
        }
        for kind in ["turn", "notice", "reminder", "digest", "flagged"] {
            assert!(self.mails.iter().any(|mail| mail.kind == kind), "no {kind} mail");
        }
    }

    /// The stored values that follow from the events.
    fn row(&self, id: i64) -> String {
        let connection = rusqlite::Connection::open(self.database()).unwrap();
        let sql =
            "SELECT ply, events, position_event, turn, black_discs, white_discs, winner, reason,
                          since, deadline, to_move
                   FROM game WHERE id = ?1";
        let row = connection.query_row(sql, [id], |row| {
            let text = |at: usize| row.get::<_, Option<String>>(at);
            let number = |at: usize| row.get::<_, Option<i64>>(at);
            Ok(format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                number(0)?,
                number(1)?,
                number(2)?,
                text(3)?,
                number(4)?,
                number(5)?,
                text(6)?,
                text(7)?,
                number(8)?,
                number(9)?,
                number(10)?
            ))
        });
        row.unwrap()
    }
}

/// Returns the same values, worked out from the events.
fn derived(stored: &StoredGame) -> String {
    let game = &stored.game;
    let outcome = game.outcome();
    let word = |color: Color| color.to_string();
    let count = |value: usize| Some(value as i64);
    let turn_began = match (outcome, game.position_event()) {
        (Some(_), _) => ending(game),
        (None, event) => event,
    };
    let since = match turn_began.checked_sub(1) {
        Some(event) => stored.times[event],
        None => stored.started,
    };
    let clocks = stored.clocks();
    let deadline = clocks.flagged_at().or(clocks.deadline()).filter(|_| outcome.is_none());
    let none = 253_402_300_799;
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        count(game.plies().len()),
        count(game.events().len()),
        count(game.position_event()),
        game.turn().map(word),
        Some(i64::from(game.position().count(Color::Black))),
        Some(i64::from(game.position().count(Color::White))),
        outcome.and_then(|outcome| outcome.winner).map(word),
        outcome.map(|outcome| outcome.reason.word().to_owned()),
        Some(since.timestamp()),
        Some(deadline.map_or(none, |deadline| deadline.timestamp())),
        game.turn().map(|turn| rusqlite_id(stored, turn)),
    )
}

/// The number in a player's name.
fn number(name: &str) -> usize {
    name["player".len()..].parse().unwrap()
}

/// The number of a player in the database: they signed up in order.
fn rusqlite_id(stored: &StoredGame, color: Color) -> i64 {
    number(stored.name(color)) as i64 + 1
}

/// The number of the event that ended a game.
fn ending(game: &Game) -> usize {
    let events = 0..=game.events().len();
    let over = |events: &usize| game.after(*events).unwrap().outcome().is_some();
    events.into_iter().find(over).unwrap()
}

/// Checks that time runs forwards and that no time is lost or found: what a player used is what the
/// clock of that player counted.
fn check_log(stored: &StoredGame) {
    let StoredGame { id, game, times, started, .. } = stored;
    assert_eq!(times.len(), game.events().len());
    let all: Vec<_> = std::iter::once(*started).chain(times.iter().copied()).collect();
    assert!(all.is_sorted(), "game {id}: {all:?}");
    let clocks = stored.clocks();
    if let (Some(turn), Some(deadline)) = (clocks.running(), clocks.deadline()) {
        let now = *all.last().unwrap();
        if deadline > now {
            let (left, counted) = (clocks.left(turn, now), clocks.counted(turn, now, deadline));
            // A deadline in quiet hours moves to their end.
            let quiet = TimeDelta::hours(12);
            assert!(counted >= left && counted - left <= quiet, "game {id}: {left} {counted}");
        }
    }
}

/// Returns a plan of the player who waits: a reply to each of the first moves of the opponent.
fn plan(game: &Game, lattice: Lattice) -> Option<String> {
    let owner = !game.turn()?;
    let branches = game.legal().into_iter().take(3).filter_map(|mv| {
        let mut after = game.clone();
        after.play(mv).ok()?;
        let reply = after.legal().into_iter().next().filter(|_| after.turn() == Some(owner))?;
        Some(format!("{} {}", lattice.move_label(mv), lattice.move_label(reply)))
    });
    let branches: Vec<_> = branches.collect();
    (!branches.is_empty()).then(|| branches.join(" / "))
}

#[test]
fn three_months_of_a_club_add_up() {
    let mut club = Club::new(7);
    club.start();
    club.send();
    let store = club.store();
    let end = club.clock.now() + TimeDelta::days(DAYS);
    while club.clock.now() < end {
        let before = club.position_events();
        for id in before.keys() {
            // Some hurry, some take their time, some never come back.
            let pace = match id % 10 {
                0 => 0,
                1..4 => 12,
                _ => 4,
            };
            if club.rng.u8(..40) < pace {
                club.act(&store, *id);
            }
        }
        if club.rng.u8(..25) == 0 {
            let player = format!("player{}", club.rng.usize(..PLAYERS));
            let from = club.clock.now().date_naive() + TimeDelta::days(club.rng.i64(1..5));
            let until = from + TimeDelta::days(club.rng.i64(0..9));
            let _ = club.run(Some(&player), &format!("away {from} {until}"));
        }
        let delivered = club.send();
        club.check_turns(&before, &store, &delivered);
        // Now and then the server is down for two days.
        let minutes = if club.rng.u8(..60) == 0 { 2 * 1440 } else { club.rng.i64(60..600) };
        club.later(minutes);
    }
    // What waits for quiet hours, a digest or the end of a grace comes within a day.
    for _ in 0..3 {
        club.later(1440);
        club.send();
    }
    club.check();
}
