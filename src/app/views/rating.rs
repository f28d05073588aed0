//! Ratings as commands show them.

use std::collections::HashMap;

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::app::Error;
use crate::app::views::game::rules_to_json;
use crate::app::views::hint::signed;
use crate::store::{Db, Place};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::rating::{List, Rating, Standing};
use outflank_model::render::words;

/// The age of the rating that the present one is compared with.
const CHANGE: TimeDelta = TimeDelta::days(30);
/// How many months a history goes back.
const MONTHS: u32 = 12;

/// Returns a list for scripts.
pub(crate) fn list_to_json(list: List) -> Value {
    json!({ "variant": list.variant().name, "rules": rules_to_json(list.rules()) })
}

/// A player's present rating, and how it has changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Present {
    pub rating: Rating,
    /// By how much it has changed in 30 days; `None` if it is newer.
    pub change: Option<i32>,
}

impl Present {
    /// Returns the present rating of a player in a list; `None` without a rated game.
    pub(crate) fn of(
        db: &Db,
        list: List,
        player: PlayerId,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>, Error> {
        let Some(rating) = db.rating(list, player, None)? else { return Ok(None) };
        let before = db.rating(list, player, Some(Self::compared_at(now)))?;
        Ok(Some(Self::new(rating, before)))
    }

    /// Returns the place of the rating that a present one is compared with.
    pub(crate) fn compared_at(now: DateTime<Utc>) -> Place {
        place_after(now - CHANGE)
    }

    /// Returns a present rating, compared with an earlier one.
    pub(crate) fn new(rating: Rating, before: Option<Rating>) -> Self {
        let change = before.map(|before| rating.rounded() - before.rounded());
        Self { rating, change }
    }

    /// Returns the change in words: `+12`, or `new`.
    pub(crate) fn change(&self) -> String {
        self.change.map_or("new".to_owned(), signed)
    }

    pub(crate) fn json(&self, now: DateTime<Utc>) -> Value {
        json!({
            "rating": self.rating.rounded(),
            "deviation": self.rating.deviation_at(now).round() as i32,
            "games": self.rating.games,
            "change": self.change,
            "standing": self.rating.standing_at(now).word(),
        })
    }
}

/// Returns the name of a list in sentences: `Othello 6x6 misère`.
pub(crate) fn title(list: List) -> String {
    words::title(list.variant().name, list.rules())
}

/// Returns a player's rating in a list at a time [in words](in_words).
pub(crate) fn short(
    db: &Db,
    list: List,
    player: PlayerId,
    time: DateTime<Utc>,
) -> Result<String, Error> {
    Ok(in_words(at(db, list, player, time)?, time))
}

/// Returns a rating at a time as a short text: `1512 ± 80, 14 games`, or `not rated yet`.
pub(crate) fn in_words(rating: Option<Rating>, time: DateTime<Utc>) -> String {
    rating.map_or("not rated yet".to_owned(), |rating| rating.words_at(time))
}

/// Returns a player's rating in a list at an earlier time; `None` before the first rated game.
pub(crate) fn at(
    db: &Db,
    list: List,
    player: PlayerId,
    time: DateTime<Utc>,
) -> Result<Option<Rating>, Error> {
    Ok(db.rating(list, player, Some(place_after(time)))?)
}

/// The most players of a list that have places in the letter of the club.
const MAX_PLACED: u32 = 500;

/// Returns the places of the members with established ratings in a list at an earlier time, by name. There
/// are none in a longer list than the letter of the club reads.
pub(crate) fn places(
    db: &Db,
    list: List,
    time: DateTime<Utc>,
) -> Result<HashMap<String, usize>, Error> {
    let ratings = db.ratings(list, place_after(time), Some(MAX_PLACED + 1))?;
    if ratings.len() > MAX_PLACED as usize {
        return Ok(HashMap::new());
    }
    let then = ratings.into_iter().filter_map(|(name, _, then)| Some((then?, name)));
    let is_placed = |(rating, _): &(Rating, _)| rating.standing_at(time) == Standing::Established;
    let mut placed: Vec<_> = then.filter(is_placed).collect();
    placed
        .sort_by(|(a, one), (b, other)| b.rating.total_cmp(&a.rating).then_with(|| one.cmp(other)));
    Ok(placed.into_iter().map(|(_, name)| name).zip(1..).collect())
}

/// Returns the place after all games that ended by this time.
fn place_after(time: DateTime<Utc>) -> Place {
    Place { ended_at: time + TimeDelta::seconds(1), game: GameId(0) }
}

/// Returns a player's ratings in a list at the beginnings of the last months, and at the present time,
/// from the first rated game on.
pub(crate) fn history(
    db: &Db,
    list: List,
    player: PlayerId,
    now: DateTime<Utc>,
) -> Result<Vec<(NaiveDate, Rating)>, Error> {
    let today = now.date_naive();
    let month = today.with_day(1).unwrap_or(today);
    let mut days: Vec<_> = (0..MONTHS)
        .rev()
        .map(|ago| month.checked_sub_months(Months::new(ago)).unwrap_or(month))
        .collect();
    days.push(today);
    days.dedup();
    let mut history = Vec::new();
    for day in days {
        let time = if day == today { now } else { day.and_time(NaiveTime::MIN).and_utc() };
        history.extend(at(db, list, player, time)?.map(|rating| (day, rating)));
    }
    Ok(history)
}
