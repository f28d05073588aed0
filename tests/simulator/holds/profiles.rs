//! What the page of a player and the lists of ratings show: docs/club.md, docs/json.md.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, Months, NaiveTime};
use serde_json::{Value, json};

use super::remarks::plural;
use super::views::{Asked, number, time};
use super::{Change, violated};
use crate::simulator::glicko::Rating;
use crate::simulator::process::Ran;
use crate::simulator::tables::Tables;
use crate::simulator::{DAY, Violation};

/// After how many days without a rated game a player is inactive.
const HALF_A_YEAR: f64 = 182.0;
/// With how many days ago a rating is compared.
const CHANGE_DAYS: i64 = 30;
/// How many months the history of a rating has.
const MONTHS: u32 = 12;
/// The most games under way that are listed.
const MAX_GAMES: usize = 20;

/// A rating after a game.
struct Rated {
    /// When the game ended, its number, and how many rated games there were with it.
    place: [i64; 3],
    rating: Rating,
}

/// A player's present rating in a list.
struct Present {
    /// The place among established, provisional and inactive players.
    group: usize,
    rating: f64,
    shown: Value,
}

/// Won, drawn and lost games.
type Results = [i64; 3];

fn results_of(tables: &Tables, player: &str, kind: &str, about: &str) -> Results {
    let mut records = tables.columns("record", ["player", "kind", "about", "won", "drawn", "lost"]);
    let record = records.find(|row| row[..3] == [Some(player), Some(kind), Some(about)]);
    let [.., won, drawn, lost] = record.unwrap_or_default();
    [won, drawn, lost].map(number)
}

fn results([won, drawn, lost]: Results) -> Value {
    json!({ "won": won, "drawn": drawn, "lost": lost })
}

impl Asked<'_> {
    /// Returns the last rating of a player in a list by this second.
    fn rated(&self, list: &str, player: &str, by: i64) -> Option<Rated> {
        let names = ["list", "player", "ended_at", "game", "games"];
        let figures = self
            .tables
            .columns("rating", ["rating", "deviation", "volatility"])
            .map(|figures| figures.map(|it| it.and_then(|it| it.parse().ok()).unwrap_or_default()));
        let rows = self.tables.columns("rating", names).zip(figures);
        let own = rows.filter(|(row, _)| row[..2] == [Some(list), Some(player)]);
        let rated = own.map(|([_, _, place @ ..], [rating, deviation, volatility])| Rated {
            place: place.map(number),
            rating: Rating { rating, deviation, volatility },
        });
        rated.filter(|it| it.place[0] <= by).max_by_key(|it| it.place)
    }

    fn present(&self, list: &str, player: &str) -> Option<Present> {
        let now = self.now.timestamp();
        let Rated { place: [ended_at, _, games], rating } = self.rated(list, player, i64::MAX)?;
        let days = (now - ended_at) as f64 / DAY as f64;
        let today = rating.after_days(days);
        let group = match (days, today.deviation) {
            (HALF_A_YEAR.., _) => 2,
            (_, ..=110.0) => 0,
            _ => 1,
        };
        let round = |rating: Rating| rating.rating.round() as i64;
        let before = self.rated(list, player, now - CHANGE_DAYS * DAY);
        let standing = ["established", "provisional", "inactive"][group];
        let mut shown = json!({
            "rating": round(today), "games": games,
            "change": before.map(|before| round(today) - round(before.rating)),
            "standing": standing,
        });
        // How it grows in a year is rounded, so that the last figure is uncertain in the middle of two.
        if (today.deviation.fract() - 0.5).abs() > 0.02 {
            shown["deviation"] = json!(today.deviation.round() as i64);
        }
        Some(Present { group, rating: today.rating, shown })
    }

    /// Returns the ratings of a player at the beginnings of the last months, and now.
    fn rating_history(&self, list: &str, player: &str) -> Option<Vec<Value>> {
        let today = self.now.date_naive();
        let month = today.with_day(1)?;
        let months = (0..MONTHS).rev().map(|ago| month.checked_sub_months(Months::new(ago)));
        let mut days: Vec<_> = months.collect::<Option<_>>()?;
        days.retain(|day| *day != today);
        let midnights = days.into_iter().map(|day| (day, day.and_time(NaiveTime::MIN).and_utc()));
        let times = midnights.chain([(today, self.now)]);
        let point = |(day, at): (chrono::NaiveDate, DateTime<chrono::Utc>)| {
            let Rated { place: [.., games], rating } = self.rated(list, player, at.timestamp())?;
            let rating = rating.rating.round() as i64;
            Some(json!({ "day": day.to_string(), "rating": rating, "games": games }))
        };
        Some(times.filter_map(point).collect())
    }

    fn is_recalculated(&self, list_is: &str) -> bool {
        self.tables.columns("recalculation", ["list"]).any(|[list]| list == Some(list_is))
    }

    /// Returns the results and the ratings of a player by rules, those with the most games first; `None` if the
    /// order does not follow.
    fn records(&self, player: &str) -> Option<Vec<Value>> {
        let rows = self.tables.columns("record", ["player", "kind", "about"]);
        let own = rows
            .filter(|[it, kind, _]| *it == Some(player) && matches!(kind, Some("black" | "white")));
        let lists: BTreeSet<_> = own.filter_map(|[.., list]| list).collect();
        let of = |list: &str| {
            let colors = ["black", "white"];
            let [black, white] = colors.map(|it| results_of(self.tables, player, it, list));
            let games: i64 = black.iter().chain(&white).sum();
            let mut record = json!({ "black": results(black), "white": results(white) });
            if !self.is_recalculated(list) {
                record["rating"] = self.present(list, player).map(|it| it.shown).into();
                record["history"] = self.rating_history(list, player)?.into();
            }
            Some((games, record))
        };
        let mut records = lists.into_iter().map(of).collect::<Option<Vec<_>>>()?;
        records.retain(|(games, _)| *games > 0);
        records.sort_by_key(|(games, _)| Reverse(*games));
        let has_order = records.windows(2).all(|pair| pair[0].0 != pair[1].0);
        has_order.then(|| records.into_iter().map(|(_, record)| record).collect())
    }

    pub(super) fn player(&self) -> Option<Value> {
        let [id, name] = self.about;
        let names = ["created_at", "clock", "timed_turns", "late_turns"];
        let [since, clock, turns, late] =
            self.tables.columns_of("player", number(Some(id)), names).next()?;
        let own = self.reader.filter(|[reader, _]| *reader != id);
        let with_you =
            own.map(|[reader, _]| results(results_of(self.tables, reader, "player", id)));
        let games = Asked { reader: Some(self.about), line: Vec::new(), ..*self }.active();
        let games: Vec<_> = games.iter().map(|it| it["game"].clone()).take(MAX_GAMES).collect();
        let bots = self.tables.columns("record", ["player", "kind", "about"]);
        let bots = bots.filter(|row| row[..2] == [Some(id), Some("bot")]);
        let bots = bots.filter_map(|[.., bot]| bot);
        let mut bots: Vec<_> =
            bots.map(|bot| (bot, results_of(self.tables, id, "bot", bot))).collect();
        bots.retain(|(_, results)| results.iter().any(|it| *it > 0));
        bots.sort_unstable_by_key(|(bot, _)| (bot.len(), *bot));
        let bots = bots.into_iter().map(|(bot, of)| {
            let mut shown = results(of);
            shown["bot"] = bot.into();
            shown
        });
        let mut shown = json!({
            "player": name, "since": time(number(since)), "timezone": clock?.split(' ').next()?,
            "absences": self.absent_days(id)?, "bots": bots.collect::<Vec<_>>(),
            "turns": number(turns), "turns_in_time": number(turns) - number(late), "games": games,
            "with_you": with_you,
        });
        if let Some(records) = self.records(id) {
            shown["records"] = records.into();
        }
        Some(shown)
    }

    /// Returns the list of ratings of these rules: those that are established, then the provisional ones, then
    /// the inactive players if all are asked for.
    pub(super) fn standings(&self, list: &str, has_all: bool) -> Option<Value> {
        let rows = self.tables.columns("rating", ["list", "player"]);
        let players = rows.filter(|[it, _]| *it == Some(list)).filter_map(|[_, player]| player);
        let mut players: Vec<_> = players
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter(|player| {
                let mut left_at =
                    self.tables.columns_of("player", number(Some(player)), ["left_at"]);
                left_at.next() == Some([None])
            })
            .filter_map(|player| Some((self.name(Some(player))?, self.present(list, player)?)))
            .collect();
        players.sort_by(|(name, one), (other_name, other)| {
            let by_rating = other.rating.total_cmp(&one.rating);
            one.group.cmp(&other.group).then(by_rating).then_with(|| name.cmp(other_name))
        });
        let inactive = players.iter().filter(|(_, it)| it.group == 2).count();
        players.retain(|(_, it)| has_all || it.group < 2);
        let players: Vec<_> = (1..)
            .zip(players)
            .map(|(place, (name, Present { group, mut shown, .. }))| {
                shown["player"] = name.into();
                shown["place"] = if group == 0 { place.into() } else { Value::Null };
                shown
            })
            .collect();
        let shown = json!({ "players": players, "inactive": inactive, "recalculating": false });
        Some(match self.is_recalculated(list) {
            // The ratings may change.
            true => json!({ "recalculating": true }),
            false => shown,
        })
    }
}

/// The sentences of `standings` say the reader's own rating, and how many inactive players are not listed.
pub fn standings_say_what_their_json_says(
    asked: &Asked,
    words: &str,
    ran: &Ran,
) -> Result<(), Violation> {
    const OF: &str = "standings_say_what_their_json_says";
    let shown = ran.shown();
    let Some(players) = shown["players"].as_array().filter(|_| words.starts_with("standings"))
    else {
        return Ok(());
    };
    let has_all = words.contains("--all");
    let lines: Vec<_> = ran.sentences.iter().flat_map(|text| text.lines()).collect();
    let found = lines.iter().find_map(|line| line.strip_prefix("You: "));
    let own = asked.reader.and_then(|[_, name]| players.iter().find(|it| it["player"] == name));
    let expected = match (asked.reader, own) {
        (None, _) => None,
        (_, Some(own)) => {
            let s = plural(own["games"].as_i64().unwrap_or_default());
            let [rating, deviation, games] = ["rating", "deviation", "games"].map(|it| &own[it]);
            Some(format!("{rating} \u{b1} {deviation}, {games} game{s}."))
        }
        (Some(_), None) if has_all => Some("not rated yet.".to_owned()),
        // The rating of an inactive player is known, too.
        (Some(_), None) => found.map(str::to_owned),
    };
    if found != expected.as_deref() {
        return violated(OF, format!("{words}: {found:?}, not {expected:?}"));
    }
    let is_pending = lines.contains(&"These ratings are being calculated again and may change.");
    if is_pending != (shown["recalculating"] == true) {
        return violated(OF, format!("{words}: says that ratings may change: {is_pending}"));
    }
    let found = lines.iter().find(|line| line.contains(" inactive player"));
    let expected = match shown["inactive"].as_i64() {
        Some(0) | None => None,
        Some(_) if has_all => None,
        Some(1) => Some("1 inactive player is not listed".to_owned()),
        Some(count) => Some(format!("{count} inactive players are not listed")),
    };
    let is_right = match (found, &expected) {
        (Some(line), Some(begin)) => line.starts_with(&**begin),
        (found, expected) => found.is_none() && expected.is_none(),
    };
    match is_right {
        true => Ok(()),
        false => violated(OF, format!("{words}: {found:?}, not {expected:?}")),
    }
}

/// After a game was annulled, and before `send` has calculated the ratings again, `standings` says that they may
/// change.
pub fn standings_say_when_they_may_change(change: &Change) -> Result<(), Violation> {
    const OF: &str = "standings_say_when_they_may_change";
    let (Some("standings"), Some(ran), 0) =
        (change.words.first().map(String::as_str), change.ran, change.status)
    else {
        return Ok(());
    };
    let shown = ran.shown();
    let rules = &shown["rules"];
    let (Some(rows), Some(columns)) = (rules["rows"].as_i64(), rules["columns"].as_i64()) else {
        return Ok(());
    };
    let is = |key: &str, word: &'static str| (rules[key] == true).then_some(word);
    let size = format!("{rows}x{columns}");
    let pass = rules["pass"].as_str().filter(|it| *it != "auto" && rules["anywhere"] != true);
    let words = [Some(&*size), is("misere", "misere"), is("anywhere", "anywhere"), pass];
    let list = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let pending = change.after.columns("recalculation", ["list"]);
    let is_pending = pending.flatten().any(|it| it == Some(&*list));
    match shown["recalculating"].as_bool() != Some(is_pending) {
        true => violated(OF, format!("{list}: {is_pending}, and {}", shown["recalculating"])),
        false => Ok(()),
    }
}
