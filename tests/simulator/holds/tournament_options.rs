//! Which tournaments the host can make: docs/tournaments.md.

use chrono::NaiveDate;

use super::commands::Given;

/// How far the zone of the machine can be from UTC.
const MAX_OFFSET: i64 = 15 * 3_600;
const MIN_PLAYERS: i64 = 3;

/// Options that take a value, and those that take none.
const WITH_VALUE: [&str; 11] = [
    "--format",
    "--places",
    "--rounds",
    "--divisions-of",
    "--move",
    "--rated-between",
    "--starts",
    "--clock",
    "--size",
    "--pass",
    "--opening",
];
const PLAIN: [&str; 6] =
    ["--double", "--unrated", "--misere", "--anywhere", "--free-weekends", "--no-away"];

/// Returns whether the docs allow `tournament new`; `None` if this model does not know.
pub fn may_make(given: &Given) -> Option<bool> {
    let [_, name, variant, options @ ..] = given.rest else { return None };
    if given.actor.is_some() || variant == "oddthello" {
        return None;
    }
    let mut values = Vec::new();
    let mut rest = options.iter().map(String::as_str);
    while let Some(option) = rest.next() {
        match option {
            _ if PLAIN.contains(&option) => values.push((option, "")),
            // A game is over when a clock is; other rules are not known here.
            "--flag" => (rest.next() == Some("hard")).then_some(())?,
            _ if WITH_VALUE.contains(&option) => values.push((option, rest.next()?)),
            _ => return None,
        }
    }
    let value = |option: &str| values.iter().find(|it| it.0 == option).map(|it| it.1);
    let count = |option: &str| value(option).map(|it| it.parse::<i64>().unwrap_or(-1));
    let has = |option: &str| value(option).is_some();
    let mut names = given.tables.columns("tournament", ["name"]).flatten().flatten();
    let is_taken = names.any(|it| it.eq_ignore_ascii_case(name));
    let (most, format) = match value("--format").unwrap_or("round-robin") {
        format @ "round-robin" => (16, format),
        format @ "swiss" => (64, format),
        format @ "league" => (240, format),
        _ => return None,
    };
    let is_only = |option: &str, of: &str| !has(option) || format == of;
    let size = count("--divisions-of").unwrap_or(8);
    let starts = match value("--starts") {
        Some(day) => {
            let midnight = day.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0)?.and_utc();
            let ahead = midnight.timestamp() - given.now;
            (ahead.abs() > MAX_OFFSET).then_some(ahead > 0)?
        }
        None => true,
    };
    let is_drawn_elsewhere = has("--opening")
        && (variant != "othello"
            || ["--size", "--misere", "--anywhere", "--pass"].into_iter().any(has));
    Some(
        !is_taken
            && !is_drawn_elsewhere
            && starts
            && (MIN_PLAYERS..=most).contains(&count("--places").unwrap_or(most))
            && is_only("--double", "round-robin")
            && is_only("--rounds", "swiss")
            && is_only("--divisions-of", "league")
            && is_only("--move", "league")
            && (1..=11).contains(&count("--rounds").unwrap_or(1))
            && (6..=12).contains(&size)
            && (1..=size / 3).contains(&count("--move").unwrap_or(2))
            && value("--clock") != Some("none"),
    )
}
