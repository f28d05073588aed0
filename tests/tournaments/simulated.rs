//! Round robins that are played to the end, with all that can happen in them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use chrono::TimeDelta;
use rusqlite::Connection;
use serde_json::Value;

use super::model;
use crate::harness::{Club, PROGRAM};

const TOURNAMENTS: u64 = 30;
/// So many days are enough for any of them.
const MAX_DAYS: u32 = 400;

/// A tournament that is played.
struct Played {
    club: Club,
    rng: fastrand::Rng,
    players: Vec<String>,
    is_double: bool,
}

impl Played {
    fn begin(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut club = Club::new(seed, "2027-01-04T08:00:00Z");
        // Without turn mails, a club is played in less time.
        let players: Vec<_> = (0..rng.usize(3..9)).map(|number| format!("p{number:02}x")).collect();
        for name in &players {
            club.ok(&format!("signup {name} {name}@example.org"));
            club.run(Some(name), "set mail none").unwrap();
        }
        let is_double = rng.u8(..4) == 0;
        let double = if is_double { " --double" } else { "" };
        let rules = *rng.choice(&["--size 4x4", "--size 4x4 --misere", "--size 4x5"]).unwrap();
        let clock = *rng.choice(&["", "--clock 3d", "--clock total=8d --no-away"]).unwrap();
        club.ok(&format!("tournament new cup othello {rules} {clock}{double} --starts 2027-01-06"));
        for name in &players {
            club.run(Some(name), "join cup").unwrap();
        }
        Self { club, rng, players, is_double }
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
        for (game, name) in self.open() {
            let other = self.rng.choice(&self.players).unwrap().clone();
            let words = match self.rng.u8(..100) {
                0..55 => {
                    let stored = self.club.game(&self.club.store(), game);
                    let Some(mv) = self.rng.choice(stored.game.legal()) else { continue };
                    format!("move {game} {}", stored.game.lattice().move_label(mv))
                }
                55..60 => format!("resign {game}"),
                60..63 => format!("draw {game}"),
                63..66 => format!("takeback {game}"),
                66 => format!("pause {game}"),
                67 => {
                    let _ = self.club.run(Some(&other), "withdraw cup");
                    continue;
                }
                68 if self.rng.u8(..6) == 0 => {
                    let _ = self.club.run(Some(&other), "leave --yes");
                    continue;
                }
                69 => {
                    let _ = self.club.run(None, &format!("annul {game}"));
                    continue;
                }
                70 => {
                    let _ = self.club.run(None, &format!("forfeit {game} {name}"));
                    continue;
                }
                71 => {
                    let from = self.club.now().date_naive();
                    format!("away {from} {}", from + TimeDelta::days(self.rng.i64(1..9)))
                }
                72 => "away off".to_owned(),
                _ => continue,
            };
            let actor = if self.rng.u8(..20) == 0 { other } else { name };
            let _ = self.club.run(Some(&actor), &words);
            if words.starts_with("draw") && self.rng.bool() {
                for player in self.players.clone() {
                    let _ = self.club.run(Some(&player), &format!("accept {game}"));
                }
            }
        }
    }

    /// Plays to the end. Returns after how many days that was.
    fn play(&mut self) -> u32 {
        for day in 0..MAX_DAYS {
            // The clock of the machine may be set forward and back.
            let hours =
                if self.rng.u8(..30) == 0 { self.rng.i64(-24..48) } else { self.rng.i64(4..24) };
            self.club.later(TimeDelta::hours(hours));
            if self.rng.u8(..10) > 0 {
                self.club.ok("send");
            }
            if self.state() == "finished" {
                return day;
            }
            self.day();
        }
        panic!("the tournament does not end");
    }

    /// Checks the schedule, the mails and the table.
    fn check(&mut self) {
        let sqlite = self.sqlite();
        let mut select = sqlite.prepare("SELECT black, white, game FROM pairing").unwrap();
        let pairs =
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let pairs: Vec<(i64, i64, Option<i64>)> = pairs.map(Result::unwrap).collect();
        let mut met = BTreeMap::<_, usize>::new();
        for &(black, white, _) in &pairs {
            *met.entry((black.min(white), black.max(white))).or_default() += 1;
        }
        let (players, times) = (self.players.len(), if self.is_double { 2 } else { 1 });
        assert_eq!(met.len(), players * (players - 1) / 2);
        assert!(met.values().all(|count| *count == times), "{met:?}");
        let colored: BTreeSet<_> = pairs.iter().map(|(black, white, _)| (black, white)).collect();
        assert_eq!(colored.len(), pairs.len(), "no pair has the same colours twice");
        let games: BTreeSet<_> = pairs.iter().filter_map(|(.., game)| *game).collect();
        let all: usize =
            sqlite.query_row("SELECT count(*) FROM game", [], |row| row.get(0)).unwrap();
        assert_eq!(games.len(), all, "each game is one of the schedule");
        assert!(self.open().is_empty());

        let mut select = sqlite
            .prepare(
                "SELECT player, substr(text, 1, 24), count(*) FROM outbox WHERE kind = 'tournament'
                GROUP BY 1, 2",
            )
            .unwrap();
        let mails =
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let mails: Vec<(i64, String, u32)> = mails.map(Result::unwrap).collect();
        assert!(mails.iter().all(|(.., count)| *count == 1), "{mails:?}");
        model::check(&sqlite, "cup", &self.shown());
        let verify = ["--db", self.club.database().to_str().unwrap(), "verify"].map(str::to_owned);
        let ran = Command::new(PROGRAM).args(verify).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    fn shown(&mut self) -> Value {
        self.club.json("tournament cup")
    }
}

#[test]
fn round_robins_are_played_to_the_end() {
    let mut withdrawn = 0;
    for seed in 0..TOURNAMENTS {
        let mut played = Played::begin(seed);
        played.play();
        played.check();
        let sql = "SELECT count(*) FROM entrant WHERE withdrawn IS NOT NULL";
        withdrawn += played.sqlite().query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    }
    assert!(withdrawn > 5, "{withdrawn}");
}
