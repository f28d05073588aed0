//! What is counted over all games: results, records and ratings; and the rows that are of no game.

use std::collections::{BTreeMap, HashMap};

use super::fault::{Fault, difference};
use crate::app::Error;
use crate::app::effects::changed::GamePlayers;
use crate::app::effects::ratings::rated;
use crate::app::effects::results::Details;
use crate::app::views::json::json_time;
use crate::log::GameId;
use crate::rating::{List, Rating, Score, rate};
use crate::store::{Db, Difference, Place, PlayerCounts, PlayerId, RatedGame, RatingRow, Record};
use outflank_rules::Color;

/// How much two numbers of a rating may differ that two machines have calculated.
const PRECISION: f64 = 1e-6;

/// The bytes of a secret.
const SECRET: usize = 32;

/// What follows from all games.
#[derive(Default)]
pub(super) struct Totals {
    players: HashMap<PlayerId, PlayerCounts>,
    /// By the columns `player`, `kind` and `about`.
    records: HashMap<(PlayerId, &'static str, String), Record>,
    /// The rated games by the key of their list.
    rated: HashMap<String, (List, Vec<RatedGame>)>,
}

fn count(record: &mut Record, score: Score) {
    match score {
        Score::Won => record.won += 1,
        Score::Drawn => record.drawn += 1,
        Score::Lost => record.lost += 1,
    }
}

/// A row of the ratings: its list, player and game.
type RatingKey = (String, i64, GameId);

impl Totals {
    /// Counts a game.
    pub(super) fn add(&mut self, stored: &crate::store::StoredGame) {
        let of = GamePlayers::of(stored);
        let outcome = stored.game.outcome();
        for color in Color::BOTH {
            let Some(player) = of.player(color).map(|player| player.id) else { continue };
            let counts = self.players.entry(player).or_default();
            let Some(outcome) = outcome else {
                counts.active += 1;
                continue;
            };
            if !stored.game.counts() {
                continue;
            }
            let details = Details::of(&of, &stored.terms, color, outcome);
            count(&mut counts.results, details.score);
            if let Some(turns) = details.turns {
                counts.turns.all += turns.all;
                counts.turns.late += turns.late;
            }
            for about in details.about {
                let (kind, about) = about.columns();
                count(self.records.entry((player, kind, about)).or_default(), details.score);
            }
        }
        if let Some((list, game)) = rated(&of, stored.rated, stored.since()) {
            self.rated.entry(list.to_string()).or_insert((list, Vec::new())).1.push(game);
        }
    }

    /// Compares it with what is stored.
    pub(super) fn check(self, db: &Db, faults: &mut Vec<Fault>) -> Result<(), Error> {
        let names: HashMap<_, _> = db.player_keys()?.into_iter().collect();
        let name = |player: PlayerId| {
            names.get(&player).cloned().unwrap_or_else(|| format!("number {}", player.0))
        };
        self.check_players(db, &names, faults)?;
        self.check_records(db, &name, faults)?;
        self.check_ratings(db, &name, faults)
    }

    fn check_players(
        &self,
        db: &Db,
        names: &HashMap<PlayerId, String>,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Error> {
        let mut names: Vec<_> = names.iter().collect();
        names.sort_by_key(|(player, _)| player.0);
        for (&player, name) in names {
            let stored = db.counts_of(player)?;
            let right = self.players.get(&player).cloned().unwrap_or_default();
            let differences = [
                ("player.active", stored.active, right.active),
                ("player.won", stored.results.won.into(), right.results.won.into()),
                ("player.drawn", stored.results.drawn.into(), right.results.drawn.into()),
                ("player.lost", stored.results.lost.into(), right.results.lost.into()),
                ("player.timed_turns", stored.turns.all.into(), right.turns.all.into()),
                ("player.late_turns", stored.turns.late.into(), right.turns.late.into()),
            ];
            for (column, stored, right) in differences {
                let wrong = difference(column, Some(stored), Some(right));
                let what = format!("player {name}");
                faults.extend(wrong.map(|wrong| Fault::of_value(None, &what, wrong)));
            }
        }
        Ok(())
    }

    fn check_records(
        &self,
        db: &Db,
        name: &impl Fn(PlayerId) -> String,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Error> {
        let mut expected: BTreeMap<_, _> = self
            .records
            .iter()
            .map(|((player, kind, about), &record)| {
                ((player.0, (*kind).to_owned(), about.clone()), record)
            })
            .collect();
        let mut compare = |player, kind: &str, about: &str, stored: Record, right: Record| {
            let what = format!("record of {} ({kind} {about})", name(player));
            for (column, stored, right) in [
                ("record.won", stored.won, right.won),
                ("record.drawn", stored.drawn, right.drawn),
                ("record.lost", stored.lost, right.lost),
            ] {
                let wrong = difference(column, Some(stored), Some(right));
                faults.extend(wrong.map(|wrong| Fault::of_value(None, &what, wrong)));
            }
        };
        for (player, kind, about, stored) in db.all_records()? {
            let key = (player.0, kind, about);
            let right = expected.remove(&key).unwrap_or_default();
            compare(player, &key.1, &key.2, stored, right);
        }
        for ((player, kind, about), right) in expected {
            compare(PlayerId(player), &kind, &about, Record::default(), right);
        }
        Ok(())
    }

    /// Rates all games again, in the order of their ends.
    fn check_ratings(
        self,
        db: &Db,
        name: &impl Fn(PlayerId) -> String,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Error> {
        let mut expected: BTreeMap<RatingKey, RatingRow> = BTreeMap::new();
        // From here on ratings are still to be calculated again.
        let mut pending: HashMap<String, Place> = HashMap::new();
        for (key, (list, mut games)) in self.rated {
            if let Some(place) = db.recalculation(list)? {
                pending.insert(key, place);
            }
            games.sort_by_key(|game| game.place);
            let mut last: HashMap<PlayerId, Rating> = HashMap::new();
            for game in games {
                let before = game.players.map(|player| last.get(&player).copied());
                let after = rate(before, game.score, game.place.ended_at);
                last.extend(game.players.into_iter().zip(after));
                for row in RatingRow::of(list, &game, after) {
                    expected.insert((row.list.clone(), row.player.0, game.place.game), row);
                }
            }
        }
        let what = |(list, player, game): &RatingKey| {
            format!("rating of {} in {list} after game {game}", name(PlayerId(*player)))
        };
        for row in db.all_ratings()? {
            let key = (row.list.clone(), row.player.0, row.place.game);
            let Some(right) = expected.remove(&key) else {
                let problem = "the game is not rated there".to_owned();
                let fault = Fault::other(&what(&key), problem).in_column("rating");
                faults.push(fault.in_game(Some(key.2)));
                continue;
            };
            let is_pending = pending.get(&key.0).is_some_and(|place| *place <= right.place);
            for wrong in differences(&row, &right, is_pending) {
                faults.push(Fault::of_value(Some(key.2), &what(&key), wrong));
            }
        }
        for key in expected.into_keys() {
            let fault = Fault::other(&what(&key), "it is missing".to_owned()).in_column("rating");
            faults.push(fault.in_game(Some(key.2)));
        }
        Ok(())
    }
}

fn differences(row: &RatingRow, right: &RatingRow, is_pending: bool) -> Vec<Difference> {
    let ended_at = |row: &RatingRow| Some(json_time(row.place.ended_at));
    let found = [
        difference("rating.ended_at", ended_at(row), ended_at(right)),
        difference("rating.opponent", Some(row.opponent.0), Some(right.opponent.0)),
        difference("rating.score", Some(&row.score), Some(&right.score)),
    ];
    let (stored, right) = (&row.rating, &right.rating);
    let numbers = [
        ("rating.rating", stored.rating, right.rating),
        ("rating.deviation", stored.deviation, right.deviation),
        ("rating.volatility", stored.volatility, right.volatility),
        ("rating.games", stored.games.into(), right.games.into()),
    ];
    let is_wrong = |stored: f64, right: f64| {
        (stored - right).abs().partial_cmp(&PRECISION) != Some(std::cmp::Ordering::Less)
    };
    let numbers =
        numbers.into_iter().filter(|&(_, stored, right)| !is_pending && is_wrong(stored, right));
    let numbers =
        numbers.filter_map(|(column, stored, right)| difference(column, Some(stored), Some(right)));
    found.into_iter().flatten().chain(numbers).collect()
}

/// Checks the rows that belong to no game or only refer to one.
pub(super) fn check_rest(db: &Db, faults: &mut Vec<Fault>) -> Result<(), Error> {
    for (player, name) in db.player_keys()? {
        let what = format!("player {name}");
        if let Err(error) = db.player(player) {
            let problem = format!("the settings cannot be read: {error}");
            faults.push(Fault::other(&what, problem).in_column("player"));
        }
        let PlayerCounts { failures: (stored, rows), secret, .. } = db.counts_of(player)?;
        let wrong = difference("player.failures", Some(stored), Some(rows));
        faults.extend(wrong.map(|wrong| Fault::of_value(None, &what, wrong)));
        if secret != SECRET {
            let problem =
                format!("the secret behind the reply tokens has {secret} bytes, not {SECRET}");
            faults.push(Fault::other(&what, problem).in_column("player.secret"));
        }
    }
    for (id, is_accepted) in db.wrong_challenges()? {
        let problem = match is_accepted {
            true => "it is accepted, but its game does not exist",
            false => "it is not accepted, but its game exists",
        };
        let fault = Fault::other(&format!("challenge {id}"), problem.to_owned());
        faults.push(fault.in_column("challenge.state"));
    }
    for challenge in db.challenge_numbers()? {
        if let Err(error) = db.challenge(challenge) {
            let what = format!("challenge {challenge}");
            faults.push(Fault::other(&what, error.to_string()).in_column("challenge"));
        }
    }
    for mail in db.mail_numbers()? {
        if let Err(error) = db.outbox_entry(mail) {
            let what = format!("mail {mail}");
            faults.push(Fault::other(&what, error.to_string()).in_column("outbox"));
        }
    }
    for row in db.dangling()? {
        faults.push(Fault::other(&row.what, row.problem.to_owned()).in_game(row.game));
    }
    Ok(())
}
