//! The totals of all games: results, records and ratings; and the rows that belong to no game.

use std::collections::{BTreeMap, HashMap};

use super::fault::Fault;
use super::rows::{self, Rows, key};
use crate::app::Error;
use crate::app::effects::ratings::rated;
use crate::app::effects::results::Details;
use crate::store::{Cell, Checked, Db, Key, RatedGame, Turns};
use outflank_model::rating::{List, Rating, Score, rate};
use outflank_model::{PlayerId, StoredGame};
use outflank_rules::Color;

/// The rows that follow from all games.
#[derive(Default)]
pub(super) struct Totals {
    /// The counts that the rows of players and records should have.
    counts: BTreeMap<(Checked, Key), Vec<i64>>,
    rated: Vec<(List, RatedGame)>,
}

impl Totals {
    fn count(&mut self, table: Checked, key: Key, more: &[i64]) {
        let counts = self.counts.entry((table, key)).or_insert_with(|| vec![0; more.len()]);
        counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    }

    /// Counts a game.
    pub(super) fn add(&mut self, stored: &StoredGame) {
        for color in Color::BOTH {
            let Some(player) = stored.player(color) else { continue };
            let mut counts = [0; 7];
            match stored.game.outcome() {
                None => counts[0] = 1,
                Some(outcome) if stored.game.counts() => {
                    let details = Details::of(stored, color, outcome);
                    let results = [Score::Won, Score::Drawn, Score::Lost]
                        .map(|score| i64::from(score == details.score));
                    for about in details.about {
                        let (kind, about) = about.columns();
                        let key = key([&player.name, &kind, &about]);
                        self.count(Checked::Record, key, &results);
                    }
                    let Turns { all, late } = details.turns.unwrap_or_default();
                    counts[1..4].copy_from_slice(&results);
                    counts[4..6].copy_from_slice(&[all.into(), late.into()]);
                }
                Some(_) => {}
            }
            self.count(Checked::Player, key([&player.name, &"", &""]), &counts);
        }
        self.rated.extend(rated(stored, stored.since()));
    }

    /// Adds the totals of other games.
    pub(super) fn merge(&mut self, other: Self) {
        other.counts.into_iter().for_each(|((table, key), more)| self.count(table, key, &more));
        self.rated.extend(other.rated);
    }

    /// Compares the totals with the stored rows.
    pub(super) fn check(mut self, db: &Db, faults: &mut Vec<Fault>) -> Result<(), Error> {
        for (name, failures) in db.failure_counts()? {
            let failures = [0, 0, 0, 0, 0, 0, failures];
            self.count(Checked::Player, key([&name, &"", &""]), &failures);
        }
        let mut rows = ratings(db, self.rated)?;
        let counts = |counts: Vec<i64>| counts.into_iter().map(|it| Some(it.into())).collect();
        rows.extend(self.counts.into_iter().map(|(at, row)| (at, counts(row))));
        for table in Checked::OF_ALL {
            db.checked_rows(table, None, |row| rows::compare(&mut rows, table, row, faults))?;
        }
        faults.extend(rows::missing(&rows));
        Ok(())
    }
}

/// Rates all games again, in the order of their ends.
fn ratings(db: &Db, mut rated: Vec<(List, RatedGame)>) -> Result<Rows, Error> {
    let names: HashMap<_, _> = db.player_keys()?.into_iter().collect();
    let mut last: HashMap<(String, PlayerId), Rating> = HashMap::new();
    let mut rows = Rows::new();
    rated.sort_by_key(|(_, game)| game.place);
    for (list, game) in rated {
        // From there on ratings are still to be calculated again.
        let is_right = db.recalculation(list)?.is_none_or(|place| game.place < place);
        let at = game.players.map(|player| (list.to_string(), player));
        let before = at.each_ref().map(|at| last.get(at).copied());
        let after = rate(before, game.score, game.place.ended_at);
        last.extend(at.into_iter().zip(after));
        for ((player, opponent, score), rating) in game.sides().into_iter().zip(after) {
            let name = names.get(&player).map_or("", String::as_str);
            let score = score.word().to_owned().into();
            let certain = [game.place.ended_at.timestamp().into(), opponent.0.into(), score];
            let Rating { rating, deviation, volatility, games, .. } = rating;
            let numbers = [rating.into(), deviation.into(), volatility.into(), games.into()];
            let numbers = numbers.map(|number: Cell| is_right.then_some(number));
            let values = certain.map(Some).into_iter().chain(numbers).collect();
            rows.insert((Checked::Rating, key([&name, &list, &game.place.game])), values);
        }
    }
    Ok(rows)
}

/// Checks the rows that belong to no game or only refer to one.
pub(super) fn check_rest(db: &Db, faults: &mut Vec<Fault>) -> Result<(), Error> {
    let mut add = |what: String, table, error: Option<String>| {
        faults.extend(error.map(|error| Fault::new(&what, &error).in_column(table)));
    };
    for (player, name) in db.player_keys()? {
        let error = db.player(player).err();
        let error = error.map(|error| format!("the settings cannot be read: {error}"));
        add(format!("player {name}"), "player", error);
    }
    for challenge in db.challenge_numbers()? {
        let error = db.challenge(challenge).err().map(|error| error.to_string());
        add(format!("challenge {challenge}"), "challenge", error);
    }
    for mail in db.mail_numbers()? {
        let error = db.outbox_entry(mail).err().map(|error| error.to_string());
        add(format!("mail {mail}"), "outbox", error);
    }
    faults.extend(db.wrong_rows()?.into_iter().map(Fault::from));
    Ok(())
}
