//! Tournaments that are played to the end, with all that can happen in them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use chrono::TimeDelta;
use rusqlite::Connection;
use serde_json::Value;

use super::model;
use crate::harness::{Club, PROGRAM};

/// So many days are enough for any of them.
const MAX_DAYS: u32 = 600;

/// How a tournament is played.
struct Kind {
    players: usize,
    /// The options of `tournament new`.
    options: String,
    /// Of a hundred games, how many end on a day by resignation.
    resigned: u8,
    /// Of a hundred, in how many there is a move.
    moved: u8,
    /// The seasons of a league.
    seasons: u64,
}

/// A tournament that is played.
struct Played {
    club: Club,
    rng: fastrand::Rng,
    players: Vec<String>,
    kind: Kind,
    /// The last season of a league that is over.
    before: Option<Value>,
    /// The last season whose divisions were checked.
    checked: u64,
}

impl Played {
    fn begin(seed: u64, mut rng: fastrand::Rng, kind: Kind) -> Self {
        let mut club = Club::new(seed, "2027-01-04T08:00:00Z");
        // Without turn mails, a club is played in less time.
        let players: Vec<_> = (0..kind.players).map(|number| format!("p{number:02}x")).collect();
        for name in &players {
            club.ok(&format!("signup {name} {name}@example.org"));
            club.run(Some(name), "set mail none").unwrap();
        }
        let rules = *rng.choice(&["--size 4x4", "--size 4x4 --misere", "--size 4x5"]).unwrap();
        let clock = *rng.choice(&["", "--clock 3d", "--clock total=8d --no-away"]).unwrap();
        let clock = if kind.players > 16 { "--clock 3d --unrated" } else { clock };
        let options = &kind.options;
        club.ok(&format!(
            "tournament new cup othello {rules} {clock} {options} --starts 2027-01-06"
        ));
        for name in &players {
            club.run(Some(name), "join cup").unwrap();
        }
        Self { club, rng, players, kind, before: None, checked: 1 }
    }

    fn sqlite(&self) -> Connection {
        Connection::open(self.club.database()).unwrap()
    }

    /// Returns the open games, each with the name of the player to move.
    fn open(&self) -> Vec<(i64, String)> {
        let sqlite = self.sqlite();
        let sql = "SELECT game.id, name FROM game JOIN player ON player.id = to_move WHERE turn IS NOT NULL";
        let mut select = sqlite.prepare(sql).unwrap();
        let open = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        open.map(Result::unwrap).collect()
    }

    fn state(&self) -> String {
        self.sqlite().query_row("SELECT state FROM tournament", [], |row| row.get(0)).unwrap()
    }

    /// Does what some players do in a day.
    fn day(&mut self) {
        let Kind { resigned, moved, .. } = self.kind;
        for (game, name) in self.open() {
            let other = self.rng.choice(&self.players).unwrap().clone();
            let words = match self.rng.u8(..100) {
                lot if lot < moved => {
                    let stored = self.club.game(&self.club.store(), game);
                    let Some(mv) = self.rng.choice(stored.game.legal()) else { continue };
                    format!("move {game} {}", stored.game.lattice().move_label(mv))
                }
                lot if lot < moved + resigned => format!("resign {game}"),
                _ => match self.rng.u8(..40) {
                    0..3 => format!("draw {game}"),
                    3..6 => format!("takeback {game}"),
                    6 => format!("pause {game}"),
                    7 => {
                        let _ = self.club.run(Some(&other), "withdraw cup");
                        continue;
                    }
                    8 => {
                        let _ = self.club.run(Some(&other), "join cup");
                        continue;
                    }
                    9 if self.rng.u8(..6) == 0 => {
                        let _ = self.club.run(Some(&other), "leave --yes");
                        continue;
                    }
                    10 if self.rng.u8(..20) == 0 => {
                        let _ = self.club.run(None, &format!("remove {other} --ban"));
                        continue;
                    }
                    11 => {
                        let _ = self.club.run(None, &format!("annul {game}"));
                        continue;
                    }
                    12 => {
                        let _ = self.club.run(None, &format!("forfeit {game} {name}"));
                        continue;
                    }
                    13 => {
                        let from = self.club.now().date_naive();
                        format!("away {from} {}", from + TimeDelta::days(self.rng.i64(1..9)))
                    }
                    14 => "away off".to_owned(),
                    _ => continue,
                },
            };
            let actor = if self.rng.u8(..20) == 0 { other } else { name };
            let _ = self.club.run(Some(&actor), &words);
            if words.starts_with("draw") && self.rng.bool() {
                let stored = self.club.game(&self.club.store(), game);
                for side in stored.sides() {
                    let _ = self.club.run(Some(side.name()), &format!("accept {game}"));
                }
            }
        }
    }

    /// Plays to the end.
    fn play(&mut self) {
        for _ in 0..MAX_DAYS {
            // The clock of the machine may be set forward and back.
            let hours =
                if self.rng.u8(..30) == 0 { self.rng.i64(-24..48) } else { self.rng.i64(4..24) };
            self.club.later(TimeDelta::hours(hours));
            if self.rng.u8(..10) > 0 {
                self.club.ok("send");
            }
            if self.kind.seasons > 0 && self.league() || self.state() == "finished" {
                return;
            }
            self.day();
        }
        panic!("the tournament does not end");
    }

    /// Checks a league when a season has ended or begun. Returns whether enough seasons were played.
    fn league(&mut self) -> bool {
        let over = self.before.as_ref().map_or(0, |it| it["season"].as_u64().unwrap());
        let sql = "SELECT season, state = 'open' FROM tournament";
        let (now, is_over): (u64, bool) =
            self.sqlite().query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        if is_over && now > over {
            let shown = self.shown();
            model::check(&self.sqlite(), &shown);
            self.before = Some(shown);
            if now >= self.kind.seasons {
                self.club.ok("tournament cancel cup");
                return true;
            }
            // Some come back, and new ones come.
            for number in 0..4 {
                let name = format!("new{now}x{number}");
                self.club.ok(&format!("signup {name} {name}@example.org"));
                self.club.run(Some(&name), "join cup").unwrap();
                self.players.push(name);
            }
        } else if !is_over && now > self.checked {
            self.checked = now;
            let shown = self.shown();
            model::check_moves(self.before.as_ref().unwrap(), &shown, &self.sqlite());
        }
        false
    }

    /// Checks the mails, the table and the database.
    fn check(&mut self) {
        let sqlite = self.sqlite();
        let mut select = sqlite.prepare("SELECT game FROM pairing WHERE game IS NOT NULL").unwrap();
        let games: BTreeSet<i64> =
            select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let all: usize =
            sqlite.query_row("SELECT count(*) FROM game", [], |row| row.get(0)).unwrap();
        assert_eq!(games.len(), all, "each game is one of the schedule");
        assert!(self.open().is_empty());

        let mut select = sqlite
            .prepare(
                "SELECT player, substr(text, 1, instr(text, '.')), count(*) FROM outbox
                WHERE kind = 'tournament' GROUP BY 1, 2",
            )
            .unwrap();
        let mails =
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let mails: Vec<(i64, String, u32)> = mails.map(Result::unwrap).collect();
        assert!(mails.iter().all(|(.., count)| *count == 1), "{mails:?}");
        model::check(&sqlite, &self.shown());
        let verify = ["--db", self.club.database().to_str().unwrap(), "verify"].map(str::to_owned);
        let ran = Command::new(PROGRAM).args(verify).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    fn shown(&mut self) -> Value {
        self.club.json("tournament cup")
    }

    /// Returns the pairs of players, each with the colours of their games.
    fn pairs(&self) -> BTreeMap<[i64; 2], Vec<bool>> {
        let sqlite = self.sqlite();
        let mut select = sqlite.prepare("SELECT black, white FROM pairing").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let mut pairs = BTreeMap::<_, Vec<bool>>::new();
        for (black, white) in rows.map(Result::<(i64, i64), _>::unwrap) {
            pairs.entry([black.min(white), black.max(white)]).or_default().push(black < white);
        }
        pairs
    }
}

#[test]
fn round_robins_are_played_to_the_end() {
    let mut withdrawn = 0;
    for seed in 0..30 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let is_double = rng.u8(..4) == 0;
        let options = if is_double { "--double" } else { "" }.to_owned();
        let players = rng.usize(3..9);
        let kind = Kind { players, options, resigned: 5, moved: 55, seasons: 0 };
        let mut played = Played::begin(seed, rng, kind);
        played.play();
        played.check();
        let pairs = played.pairs();
        assert_eq!(pairs.len(), players * (players - 1) / 2);
        for colors in pairs.values() {
            let all: BTreeSet<_> = colors.iter().collect();
            assert_eq!((all.len(), colors.len()), if is_double { (2, 2) } else { (1, 1) });
        }
        let sql = "SELECT count(*) FROM entrant WHERE withdrawn IS NOT NULL";
        withdrawn += played.sqlite().query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    }
    assert!(withdrawn > 5, "{withdrawn}");
}

#[test]
fn a_swiss_of_64_players_and_nine_rounds_is_played_to_its_end() {
    let options = "--format swiss --rounds 9".to_owned();
    let kind = Kind { players: 64, options, resigned: 45, moved: 15, seasons: 0 };
    let mut played = Played::begin(1, fastrand::Rng::with_seed(1), kind);
    played.play();
    played.check();
    assert!(played.pairs().values().all(|games| games.len() == 1), "nobody meets twice");
    let shown = played.shown();
    let games = shown["games"].as_array().unwrap();
    for round in 1..=9 {
        let seats: Vec<_> = games
            .iter()
            .filter(|game| game["round"] == round)
            .flat_map(|game| [&game["black"], &game["white"]])
            .collect();
        let rows = shown["players"].as_array().unwrap().iter();
        let byes = rows.filter(|row| row["bye"] == round).map(|row| &row["player"]);
        let all: Vec<_> = seats.into_iter().chain(byes).map(|it| it.as_str().unwrap()).collect();
        let players: BTreeSet<_> = all.iter().collect();
        assert_eq!(players.len(), all.len(), "round {round}");
        assert!(all.len() > 30, "round {round}");
    }
    assert!(
        played
            .sqlite()
            .query_row("SELECT count(*) FROM entrant WHERE withdrawn IS NOT NULL", [], |row| row
                .get::<_, u32>(0))
            .unwrap()
            > 3
    );
}

#[test]
fn a_league_of_100_members_is_played_for_six_seasons() {
    let options = "--format league --move 2".to_owned();
    let kind = Kind { players: 100, options, resigned: 60, moved: 10, seasons: 6 };
    let mut played = Played::begin(2, fastrand::Rng::with_seed(2), kind);
    played.play();
    played.check();
    assert_eq!(played.checked, 6);
    assert_eq!(played.shown()["champions"].as_array().unwrap().len(), 6);
}
