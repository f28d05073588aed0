//! Which values settings take: docs/settings.md.

use chrono::{NaiveTime, TimeDelta, Weekday};
use chrono_tz::Tz;

use super::Given;
use crate::simulator::DAY;
use crate::simulator::tables::number;

/// The longest quiet hours.
const MAX_QUIET: TimeDelta = TimeDelta::hours(12);
/// The longest grace, in minutes.
const MAX_GRACE: u32 = 24 * 60;
const MAX_FREE_DAYS: usize = 2;
const MAX_CHALLENGES: u32 = 1_000;
/// How often a day somebody can ask for a new address.
const MAX_REQUESTS: usize = 3;

/// Returns whether a player may set this; `None` if this model does not know.
pub(super) fn may_set(given: &Given) -> Option<bool> {
    let words = given.plain()?;
    let (setting, value) = words.split_first()?;
    let (value, is_off) = (value.join(" "), value == ["off"]);
    if given.actor.is_none() || value.is_empty() {
        return None;
    }
    let is_one_of = |words: &[&str]| words.contains(&&*value);
    Some(match *setting {
        "timezone" => value.parse::<Tz>().is_ok(),
        "weekend" => is_off || is_weekend(&value),
        "quiet" => is_off || is_quiet(&value),
        "mail" => match value.strip_prefix("digest ") {
            Some(time) => time_of(time).is_some(),
            None => is_one_of(&["each", "none", "off"]),
        },
        "grace" => is_off || minutes(&value).is_some_and(|it| it <= MAX_GRACE),
        "challenges" => {
            is_off || value.parse::<u32>().is_ok_and(|it| (1..=MAX_CHALLENGES).contains(&it))
        }
        "style" => is_one_of(&["figure", "compact", "words"]),
        "subject" => is_one_of(&["turn", "off"]),
        "watchers" => is_one_of(&["none", "off", "all"]),
        "receipt" | "reminders" | "letter" | "named" => is_one_of(&["on", "off"]),
        "address" => return may_ask_for_address(given, &value),
        _ => return None,
    })
}

/// Somebody with an address asks for another one, three times a day at most: docs/club.md.
fn may_ask_for_address(given: &Given, address: &str) -> Option<bool> {
    let (actor, local) = (given.actor?, address.strip_suffix("@people.example")?);
    if local.contains(|it: char| !it.is_ascii_alphanumeric() && it != '+' && it != '.') {
        return None;
    }
    let own = actor.address.filter(|own| !own.eq_ignore_ascii_case(address));
    let rows = given.tables.columns("address_request", ["player", "asked_at"]);
    let asked = rows.filter(|[player, at]| {
        *player == Some(actor.id) && number(*at).is_some_and(|at| at > given.now - DAY)
    });
    Some(own.is_some() && asked.count() < MAX_REQUESTS)
}

fn is_weekend(value: &str) -> bool {
    let days: Vec<_> = value.split(',').map(str::parse::<Weekday>).collect();
    value == "none" || days.len() <= MAX_FREE_DAYS && days.iter().all(Result::is_ok)
}

fn time_of(text: &str) -> Option<NaiveTime> {
    NaiveTime::parse_from_str(text, "%H:%M").ok()
}

fn is_quiet(value: &str) -> bool {
    let hours = value.split_once('-').and_then(|(from, until)| time_of(from).zip(time_of(until)));
    let span = hours.map_or(TimeDelta::zero(), |(from, until)| until - from);
    let overnight = TimeDelta::days(i64::from(span < TimeDelta::zero()));
    span != TimeDelta::zero() && span + overnight <= MAX_QUIET
}

/// Returns the minutes of a span such as `2h`.
fn minutes(value: &str) -> Option<u32> {
    let number = |unit: char| value.strip_suffix(unit).and_then(|it| it.parse::<u32>().ok());
    number('m').or_else(|| number('h').map(|hours| hours * 60))
}
