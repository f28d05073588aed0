//! Three months of a club, from one seed: 140 games among 20 players, who use every kind of command,
//! through the application layer.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

use chrono::{DateTime, TimeDelta, Utc};
use outflank::store::{Listing, Store};
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId, Offer, Reason};
use outflank_rules::{Color, Lattice};

use crate::clocks::model::{self, Settings};
use crate::harness::Club;
use crate::ratings;

const GAMES: i64 = 140;
const PLAYERS: usize = 20;
const DAYS: i64 = 92;
/// The players with a grace period, which delays the mail about their own moves.
const GRACE: std::ops::Range<usize> = 16..PLAYERS;
/// The players who allow no watchers.
const PRIVATE: std::ops::Range<usize> = 0..5;
/// From before the end of summer time to after the leap day.
const BEGIN: &str = "2027-12-05T08:00:00Z";

/// A mail that was delivered: its kind, the game and its moves if it is about one, the recipient.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mail {
    kind: String,
    game: Option<i64>,
    to: String,
}

struct Simulation {
    club: Club,
    rng: fastrand::Rng,
    message_ids: HashSet<String>,
    mails: Vec<Mail>,
    /// The settings of each player, with their times.
    settings: Vec<Vec<(DateTime<Utc>, Settings)>>,
    /// The deadline of each game that was last checked, and the events it had then.
    checked: BTreeMap<i64, (usize, Option<DateTime<Utc>>)>,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let club = Club::new(seed, BEGIN);
        let first = (club.now(), Settings::default());
        Self {
            club,
            rng: fastrand::Rng::with_seed(seed),
            message_ids: HashSet::new(),
            mails: Vec::new(),
            settings: vec![vec![first]; PLAYERS],
            checked: BTreeMap::new(),
        }
    }

    /// Changes a setting of a player.
    fn set(&mut self, player: usize, words: &str) {
        let name = format!("player{player}");
        self.club.run(Some(&name), &format!("set {words}")).unwrap();
        let mut settings = self.settings[player].last().unwrap().1.clone();
        settings.set(words);
        self.settings[player].push((self.club.now(), settings));
    }

    /// Lets a player with settings change one that counts for clocks.
    fn change_mind(&mut self) {
        let player = self.rng.usize(10..PLAYERS);
        let words = match self.rng.u8(..4) {
            0 if GRACE.contains(&player) => ["grace off", "grace 30m", "grace 6h", "grace 24h"],
            1 => ["weekend none", "weekend sat,sun", "weekend fri,sat", "weekend mon"],
            2 => ["quiet off", "quiet 22:00-07:00", "quiet 12:00-14:00", "quiet 20:00-08:00"],
            _ => {
                ["timezone Europe/London", "timezone Asia/Kathmandu", "timezone UTC", "weekend sun"]
            }
        };
        let words = self.rng.choice(words).unwrap();
        self.set(player, words);
    }

    /// Lets a player be away, or back.
    fn go_away(&mut self) {
        let player = format!("player{}", self.rng.usize(..PLAYERS));
        let from = self.club.now().date_naive() + TimeDelta::days(self.rng.i64(1..5));
        let until = from + TimeDelta::days(self.rng.i64(0..9));
        let words = match self.rng.u8(..4) {
            0 => "away off".to_owned(),
            _ => format!("away {from} {until}"),
        };
        let _ = self.club.run(Some(&player), &words);
    }

    /// Checks the deadline of a game against the model.
    fn check_deadline(&mut self, stored: &StoredGame, shown: Option<DateTime<Utc>>) {
        let settings = |color, at| {
            let history = &self.settings[number(stored.name(color))];
            let set = history.iter().rev().find(|(set_at, _)| *set_at <= at);
            set.unwrap().1.clone()
        };
        match stored.game.outcome() {
            Some(_) => model::check_flags(stored, &settings),
            None => assert_eq!(
                shown,
                model::deadline(stored, &settings),
                "game {} {:?} {:?} {:?}",
                stored.id,
                stored.agreement.terms,
                stored.game.events(),
                stored.times,
            ),
        }
    }

    /// Checks the deadlines of the games that have changed: of every third one, since the model is slow.
    fn check_deadlines(&mut self, store: &Store) {
        let connection = rusqlite::Connection::open(self.club.database()).unwrap();
        let mut select =
            connection.prepare("SELECT id, events FROM game WHERE id % 3 = 0").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        for (id, events) in rows.map(Result::unwrap) {
            let shown = store.read(|db| db.deadline(GameId(id))).unwrap();
            if self.checked.insert(id, (events, shown)) != Some((events, shown)) {
                let stored = self.club.game(store, id);
                self.check_deadline(&stored, shown);
            }
        }
    }

    /// Runs `send`, and returns the mails that it delivers.
    fn send(&mut self) -> Vec<Mail> {
        self.club.ok("send");
        let mut delivered = Vec::new();
        let Ok(files) = fs::read_dir(self.club.folder.path().join("club.maildir/new")) else {
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

    /// Lets time pass without an outage. Returns the mails that `send` delivers then.
    fn later(&mut self, quarters: i64) -> Vec<Mail> {
        self.club.later(TimeDelta::minutes(15 * quarters));
        self.club.keep_watch();
        self.send()
    }

    /// Lets a player leave, and another be removed. After their farewells they get no mail.
    fn leave(&mut self) {
        self.club.run(Some("player3"), "set address other@example.org").unwrap();
        self.club.ok("signup another --no-mail");
        self.send();
        self.club.run(Some("player3"), "leave --yes").unwrap();
        self.club.ok("remove player4 --ban");
        let before = self.mails.len();
        self.send();
        self.later(96);
        for name in ["player3", "player4"] {
            let kinds = self.mails[before..].iter().filter(|mail| mail.to == name);
            assert_eq!(kinds.map(|mail| &*mail.kind).collect::<Vec<_>>(), ["farewell"], "{name}");
        }
    }

    /// Runs a random command of a player in a game.
    fn act(&mut self, store: &Store, id: i64) {
        let stored = self.club.game(store, id);
        let names = stored.sides().map(|side| side.name().to_owned());
        let name = |color| if color == Color::Black { &names[0] } else { &names[1] };
        let lattice = stored.game.start().rules().lattice;
        let Some(turn) = stored.game.turn() else {
            match self.rng.u8(..100) {
                0 => {
                    let _ = self.club.run(Some(&names[0]), &format!("rematch {id}"));
                    let _ = self.club.run(Some(&names[1]), &format!("decline {id}"));
                }
                1 if id % 4 == 0 => drop(self.club.run(None, &format!("annul {id}"))),
                2 => {
                    let _ = self.club.run(Some(&names[0]), &format!("player {}", names[1]));
                    let _ = self.club.run(Some(&names[1]), "standings othello --size 6x6 --all");
                    let _ = self.club.run(Some(&names[1]), "challenges");
                }
                _ => {}
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
            let _ = self.club.run(Some(name(!by)), &format!("{answer} {id}"));
            return;
        }
        let chosen = self.rng.choice(stored.game.legal()).unwrap();
        let mv = lattice.move_label(chosen);
        // A refusal is allowed.
        let _ = match self.rng.u8(..100) {
            0..70 => self.club.run(Some(mover), &format!("move {id} {mv}")),
            70..76 => match plan(&stored.game, lattice) {
                Some(plan) => self.club.run(Some(waiting), &format!("plan {id} {plan}")),
                None => Ok(()),
            },
            76..80 => self.club.run(Some(waiting), &format!("takeback {id}")),
            80..82 => self.club.run(Some(waiting), &format!("draw {id}")),
            82..84 => self.club.run(Some(mover), &format!("pause {id}")),
            84..88 => self.club.run(Some(waiting), &format!("unpause {id}")),
            88..92 => self.club.run(Some(waiting), &format!("claim {id}")),
            92..94 => self.club.run(Some(mover), &format!("note {id} think about {mv}")),
            94 => self.club.run(Some(mover), &format!("abort {id}")),
            95 => self.club.run(Some(mover), &format!("resign {id}")),
            96 => self.club.run(None, &format!("extend {id} 1d")),
            97 => self.club.run(Some(waiting), &format!("say {id} take your time --now")),
            98 if self.rng.u8(..10) == 0 => self.club.run(None, &format!("annul {id}")),
            _ => Ok(()),
        };
    }

    fn start(&mut self) {
        for player in 0..PLAYERS {
            self.club.ok(&format!("signup player{player} player{player}@example.org"));
            let zone = ["Europe/Amsterdam", "America/New_York", "Asia/Tokyo", "UTC"][player % 4];
            self.set(player, &format!("timezone {zone}"));
            self.club.run(Some(&format!("player{player}")), "set challenges 1000").unwrap();
            if !PRIVATE.contains(&player) {
                self.club.run(Some(&format!("player{player}")), "set watchers all").unwrap();
            }
            let setting = match player {
                0..10 => continue,
                10..13 => "quiet 22:00-07:00",
                13..16 => "mail digest 18:00",
                16..18 => "grace 30m",
                _ => "mail none",
            };
            self.set(player, setting);
        }
        for game in 0..GAMES {
            let black = self.rng.usize(..PLAYERS);
            let white = (black + self.rng.usize(1..PLAYERS)) % PLAYERS;
            let clock = ["none", "3d", "5d+1d", "4d+12h,max=6d", "total=30d"][game as usize % 5];
            let flag = if game % 3 == 0 { "hard" } else { "claim" };
            let weekends = if game % 2 == 0 { " --free-weekends" } else { "" };
            let away = if game % 7 == 0 { " --no-away" } else { "" };
            // These options need a clock.
            let rules =
                if clock == "none" { String::new() } else { format!(" --flag {flag}{weekends}") };
            let size = if game % 4 == 0 { "6x6" } else { "5x6" };
            let options = format!("--size {size} --clock {clock}{rules}{away}");
            if game % 10 == 9 {
                let to =
                    if game % 20 == 9 { format!("player{white}") } else { "anyone".to_owned() };
                let challenge = format!("challenge {to} othello {options} --color black");
                self.club.run(Some(&format!("player{black}")), &challenge).unwrap();
                let accept = format!("accept {}", game + 1);
                self.club.run(Some(&format!("player{white}")), &accept).unwrap();
            } else {
                let rated = if game % 3 == 1 { "" } else { " --rated" };
                self.club.ok(&format!("new othello player{black} player{white} {options}{rated}"));
            }
            // A player of the game may refuse it.
            if game % 6 == 0 {
                let watcher = format!("player{}", (white + 1) % PLAYERS);
                let _ = self.club.run(Some(&watcher), &format!("watch {}", game + 1));
                if game % 4 == 0 {
                    let _ = self.club.run(Some(&watcher), &format!("unwatch {}", game + 1));
                }
            }
        }
        // One is declined, and nobody answers the other.
        self.club.run(Some("player0"), "challenge player1").unwrap();
        self.club.run(Some("player1"), &format!("decline {}", GAMES + 1)).unwrap();
        self.club.run(Some("player1"), "challenge player0").unwrap();
    }

    /// Checks that the player to move was notified of each new position, exactly once.
    fn check_turns(&self, before: &BTreeMap<i64, usize>, store: &Store, delivered: &[Mail]) {
        let is_mailed = |id| delivered.iter().any(|mail| mail.game == Some(id));
        for (id, event) in self.position_events() {
            if before.get(&id) == Some(&event) && !is_mailed(id) {
                continue;
            }
            let stored = self.club.game(store, id);
            let Some(turn) = stored.game.turn() else { continue };
            let player = stored.name(turn);
            // Nothing delays the mails to this player: neither own settings, nor an absence, nor the
            // opponent's grace.
            let is_strict = number(player) < 10
                && !GRACE.contains(&number(stored.name(!turn)))
                && !self.is_away(store, &stored, turn);
            let mails = delivered.iter().filter(|mail| mail.game == Some(id) && mail.to == *player);
            let turns = mails.clone().filter(|mail| mail.kind == "turn").count();
            assert!(turns <= 1, "{turns} mails about one turn of game {id}");
            let known = before.get(&id).copied().unwrap_or_default();
            if !is_strict || event <= known {
                continue;
            }
            // After a free takeback, its author is the player to move and needs no mail.
            let is_own = matches!(stored.game.events()[event - 1].action, Action::TakeBack);
            assert!(
                is_own || mails.count() > 0,
                "{player} knows nothing of game {id} ({:?}, then {:?})",
                &stored.game.events()[..known],
                &stored.game.events()[known..],
            );
        }
    }

    fn is_away(&self, store: &Store, stored: &StoredGame, color: Color) -> bool {
        let (now, player) = (self.club.now(), stored.player(color).unwrap().id);
        let absences = store.read(|db| db.absences(player, now)).unwrap();
        stored.agreement.terms.absences && absences.iter().any(|absence| absence.from <= now)
    }

    /// The number of each game with that of the last event that changed its position.
    fn position_events(&self) -> BTreeMap<i64, usize> {
        let connection = rusqlite::Connection::open(self.club.database()).unwrap();
        let mut select = connection.prepare("SELECT id, position_event FROM game").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn count(&self, store: &Store) -> i64 {
        let ids = [Listing::Active, Listing::Finished(None)]
            .map(|listing| store.read(|db| db.list(listing, None)).unwrap());
        ids.concat().len() as i64
    }

    /// Compares the stored values with the events, and the mails with both.
    fn check(&self) {
        let store = self.club.store();
        let mut records: BTreeMap<String, [u32; 4]> = BTreeMap::new();
        let (mut reasons, mut late_starts) = (BTreeSet::new(), 0);
        let games = self.position_events();
        assert_eq!(games.len() as i64, self.count(&store));
        for id in games.into_keys() {
            let stored = self.club.game(&store, id);
            let game = &stored.game;
            check_log(&stored);
            late_starts += stored.turn_starts.len();
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
            // A mail about an end is superseded if the game is annulled before it is sent.
            let over = match game.outcome() {
                None => 0..=0,
                Some(_) if ending(game) < annulment(game) => 2..=4,
                Some(_) => 2..=2,
            };
            // Players who have left get no mails about the games that this ends.
            let has_left = |color| stored.player(color).unwrap().left_at.is_some();
            let fewest = if Color::BOTH.into_iter().any(has_left) { 0 } else { *over.start() };
            assert!((fewest..=*over.end()).contains(&count("over")), "game {id}");
            assert!(count("watched-over") <= 1, "game {id}");
            let watched = |it: &&Mail| it.game == Some(id) && it.kind.starts_with("watched");
            for mail in self.mails.iter().filter(watched) {
                let may_watch = |color| {
                    let name = stored.name(color);
                    name != mail.to && !PRIVATE.contains(&number(name))
                };
                assert!(Color::BOTH.into_iter().all(may_watch), "game {id}: {mail:?}");
            }
            let flags = game.events().iter().filter(|it| matches!(it.action, Action::Flag(_)));
            // A move supersedes flag mails that are still queued.
            assert!(count("flagged") <= 2 * flags.count(), "game {id}");
            reasons.extend(game.outcome().map(|outcome| outcome.reason.word()));
        }
        let connection = rusqlite::Connection::open(self.club.database()).unwrap();
        for (name, record) in records {
            let sql = "SELECT active, won, lost, drawn FROM player WHERE name = ?1";
            let stored = connection.query_row(sql, [&name], |row| {
                Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
            });
            let stored: [u32; 4] = stored.unwrap();
            assert_eq!(stored, record, "{name}");
        }
        ratings::model::check(&self.club.database());
        let rated = "SELECT count(DISTINCT game) FROM rating";
        let rated: i64 = connection.query_row(rated, [], |row| row.get(0)).unwrap();
        assert!(rated > 20, "{rated} rated games");
        let waiting: i64 = connection
            .query_row("SELECT count(*) FROM outbox WHERE state = 'failed'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(waiting, 0, "mails failed");
        // With this seed, every kind of command, end and mail occurs.
        for word in [
            "plan",
            "takeback",
            "draw",
            "pause",
            "unpause",
            "claim",
            "accept",
            "decline",
            "away",
            "say",
            "note",
            "abort",
            "watch",
            "unwatch",
            "challenge",
            "challenges",
            "annul",
            "player",
            "standings",
        ] {
            assert!(
                self.club.done.get(word).is_some_and(|&count| count > 3),
                "{word}: {:?}",
                self.club.done
            );
        }
        for reason in
            [Reason::Discs, Reason::Time, Reason::Claimed, Reason::Agreed, Reason::Declined]
        {
            assert!(reasons.contains(reason.word()), "{reason:?} is not among {reasons:?}");
        }
        assert!(late_starts > 100, "{late_starts} turns with a start of their own");
        for kind in [
            "turn",
            "notice",
            "reminder",
            "digest",
            "flagged",
            "watched",
            "watched-over",
            "challenge",
        ] {
            assert!(self.mails.iter().any(|mail| mail.kind == kind), "no {kind} mail");
        }
    }

    /// Returns the stored values that are derived from the events.
    fn row(&self, id: i64) -> String {
        let connection = rusqlite::Connection::open(self.club.database()).unwrap();
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

/// Derives the values that [`Club::row`] returns from the events.
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

/// Returns the number in a player's name.
fn number(name: &str) -> usize {
    name["player".len()..].parse().unwrap()
}

/// Returns the id of a player in the database: they signed up in order.
fn rusqlite_id(stored: &StoredGame, color: Color) -> i64 {
    number(stored.name(color)) as i64 + 1
}

/// Returns the number of the event that ended a game.
fn ending(game: &Game) -> usize {
    let events = 0..=game.events().len();
    let over = |events: &usize| game.after(*events).unwrap().outcome().is_some();
    events.into_iter().find(over).unwrap()
}

/// Returns the number of the event that annulled a game; 0 if none did.
fn annulment(game: &Game) -> usize {
    let is_annulled = |event: &Event| matches!(event.action, Action::Annul { .. });
    game.events().iter().rposition(is_annulled).map_or(0, |at| at + 1)
}

/// Checks that the times of events increase, and that the clocks count the time between them exactly.
fn check_log(stored: &StoredGame) {
    let StoredGame { id, game, times, started, .. } = stored;
    assert_eq!(times.len(), game.events().len());
    let all: Vec<_> = std::iter::once(*started).chain(times.iter().copied()).collect();
    assert!(all.is_sorted(), "game {id}: {all:?}");
    let clocks = stored.clocks();
    if let (Some(turn), Some(deadline)) = (clocks.running(), clocks.deadline()) {
        let now = *all.last().unwrap();
        if deadline > now {
            let start = now.max(clocks.turn_start());
            let (left, counted) = (clocks.left(turn, now), clocks.counted(turn, start, deadline));
            // A deadline in quiet hours moves to their end.
            let quiet = TimeDelta::hours(12);
            assert!(counted >= left && counted - left <= quiet, "game {id}: {left} {counted}");
        }
    }
}

/// Returns a plan for the player who waits: a reply to each of the opponent's first legal moves.
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
    let mut simulation = Simulation::new(7);
    simulation.start();
    // A move in the second of the start would count as one of the opening moves.
    simulation.later(1);
    let store = simulation.club.store();
    let end = simulation.club.now() + TimeDelta::days(DAYS);
    while simulation.club.now() < end {
        if simulation.rng.bool() {
            simulation.change_mind();
        }
        let before = simulation.position_events();
        for id in before.keys() {
            // In some games the players are fast, in some slow, and in some they never move.
            let pace = match id % 10 {
                0 => 0,
                1..4 => 12,
                _ => 4,
            };
            if simulation.rng.u8(..40) < pace {
                simulation.act(&store, *id);
            }
        }
        simulation.check_deadlines(&store);
        if simulation.rng.u8(..25) == 0 {
            simulation.go_away();
            simulation.check_deadlines(&store);
        }
        let delivered = simulation.send();
        simulation.check_turns(&before, &store, &delivered);
        // Now and then the server is down for two days.
        if simulation.rng.u8(..60) == 0 {
            simulation.club.later(TimeDelta::days(2));
            simulation.send();
        }
        let quarters = simulation.rng.i64(4..40);
        simulation.later(quarters);
        simulation.check_deadlines(&store);
    }
    // Quiet hours, digests and grace periods delay mails by at most a day.
    for _ in 0..3 {
        simulation.later(96);
    }
    simulation.leave();
    simulation.check();
}
