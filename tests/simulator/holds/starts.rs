//! When tournaments start, are put off and end, and that they are made as the host says (`docs/tournaments.md`).

use super::tournaments::MIN_PLAYERS;
use super::{Change, violated};
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// How often a start is put off.
const MAX_POSTPONED: i64 = 2;
const WEEK: i64 = 7 * DAY;
/// 1 January 1970 was a Thursday.
const FIRST_MONDAY: i64 = 4;

/// What decides about a start.
struct Start {
    state: String,
    season: i64,
    starts_at: Option<i64>,
    postponed: i64,
    places: i64,
    /// How many play in the next season.
    joined: usize,
}

impl Start {
    fn of(tables: &Tables, id: i64) -> Option<Self> {
        let names = ["state", "season", "starts_at", "postponed", "places"];
        let [state, season, starts_at, postponed, places] =
            tables.columns_of("tournament", id, names).next()?;
        let season = number(season)?;
        let entrants = tables.columns_of("entrant", id, ["season"]);
        Some(Self {
            state: state?.to_owned(),
            season,
            starts_at: number(starts_at),
            postponed: number(postponed)?,
            places: number(places)?,
            joined: entrants.filter(|[at]| number(*at) == Some(season + 1)).count(),
        })
    }
}

/// `send` starts a tournament on its day, or when its places are full, with at least three players. With fewer it
/// is put off by a week, twice, and then cancelled; a league waits for the next Monday. The next season of a league
/// begins a week after the last one.
pub fn tournaments_start_when_they_should(change: &Change) -> Result<(), Violation> {
    const OF: &str = "tournaments_start_when_they_should";
    let now = change.now.timestamp();
    for id in change.after.changed(change.before, "tournament") {
        let (old, Some(new)) = (Start::of(change.before, id), Start::of(change.after, id)) else {
            continue;
        };
        let Some(old) = old else {
            is_made_as_asked(change, id)?;
            continue;
        };
        if change.words != ["send"] {
            continue;
        }
        let is_due = old.starts_at.is_some_and(|at| at <= now);
        let has_enough = old.joined >= MIN_PLAYERS;
        let is_full = usize::try_from(old.places).is_ok_and(|places| old.joined >= places);
        let is_right = match (&*old.state, &*new.state) {
            ("open", "running") => {
                has_enough && (is_due || is_full && old.season == 0) && new.postponed == 0
            }
            ("open", "cancelled") => {
                !has_enough && is_due && old.season == 0 && old.postponed == MAX_POSTPONED
            }
            ("open", "open") if old.starts_at != new.starts_at => {
                let is_moved = match old.season {
                    0 => is_put_off_by_weeks(&old, &new, now),
                    _ => new.starts_at.is_some_and(|at| is_next_monday(at, now)),
                };
                !has_enough && is_due && is_moved || ends_now(&old, &new, now)
            }
            ("running", "open") => new.starts_at == Some(now + WEEK) && new.postponed == 0,
            _ => true,
        };
        if !is_right {
            let shown = |it: &Start| {
                let Start { state, season, starts_at, postponed, places, joined } = it;
                format!("{state} {season} {starts_at:?} {postponed} {joined}/{places}")
            };
            let found = format!("{id} was {} and is {} at {now}", shown(&old), shown(&new));
            return violated(OF, found);
        }
    }
    Ok(())
}

/// Returns whether the last season counts as ended now, since a clock that was ahead had ended it.
fn ends_now(old: &Start, new: &Start, now: i64) -> bool {
    let in_a_week = now + WEEK;
    old.season > 0 && old.starts_at > Some(in_a_week) && new.starts_at == Some(in_a_week)
}

/// Returns whether a start has been put off by as few weeks as bring it into the future.
fn is_put_off_by_weeks(old: &Start, new: &Start, now: i64) -> bool {
    let Some((from, to)) = old.starts_at.zip(new.starts_at) else { return false };
    let is_first = to > now && (to - WEEK <= now || to - WEEK == from);
    (to - from) % WEEK == 0
        && is_first
        && new.postponed == old.postponed + 1
        && new.postponed <= MAX_POSTPONED
}

/// Returns whether the next Monday begins at this time, in the zone of the machine.
fn is_next_monday(at: i64, now: i64) -> bool {
    (at + DAY / 2) / DAY % 7 == FIRST_MONDAY && at > now && at <= now + WEEK + DAY
}

/// A new tournament has the options that the host has given, and the usual ones else.
fn is_made_as_asked(change: &Change, id: i64) -> Result<(), Violation> {
    let words = change.words;
    if change.status != 0 || words.get(1).is_none_or(|word| word != "new") {
        return Ok(());
    }
    let has = |option: &str| words.iter().any(|word| word == option);
    let value = |option: &str| {
        let at = words.iter().position(|word| word == option)?;
        words.get(at + 1).map(String::as_str)
    };
    let format = value("--format").unwrap_or("round-robin");
    let is_swiss = format == "swiss";
    // Games from another position never count. A position can be the usual one.
    let is_rated = !has("--unrated") && !has("--moves");
    let is_rated_known = !has("--position") && !has("--from");
    let flag = |is: bool| Some(if is { "1" } else { "0" });
    let usual = if is_swiss { "total=20d" } else { "10d+1d" };
    let places = match format {
        "swiss" => "64",
        "league" => "240",
        _ => "16",
    };
    let variant = words.get(3).map(String::as_str);
    let size = match (value("--size"), variant) {
        (Some(size), _) => size.split_once('x'),
        (None, Some("mini")) => Some(("4", "4")),
        (None, Some("oddthello")) => None,
        (None, _) => Some(("8", "8")),
    };
    let limits = value("--rated-between").and_then(|it| it.split_once('-'));
    let expected = [
        ("variant", variant),
        ("board_rows", size.map(|(rows, _)| rows)),
        ("board_columns", size.map(|(_, columns)| columns)),
        ("lowest", limits.map(|(lowest, _)| lowest)),
        ("highest", limits.map(|(_, highest)| highest)),
        ("rated", flag(is_rated)),
        // A round of a Swiss tournament lasts as long as its longest game, so that its usual clock has none.
        ("absences", flag((!is_swiss || has("--clock")) && !has("--no-away"))),
        ("format", Some(format)),
        ("places", Some(value("--places").unwrap_or(places))),
        ("rounds", value("--rounds")),
        ("doubled", flag(has("--double"))),
        ("clock", Some(value("--clock").unwrap_or(usual))),
        ("free_weekends", flag(has("--free-weekends"))),
        ("misere", flag(has("--misere"))),
        ("anywhere", flag(has("--anywhere"))),
        ("flag", Some("hard")),
        ("opening", value("--opening")),
        ("division_size", Some(value("--divisions-of").unwrap_or("8"))),
        ("moved", Some(value("--move").unwrap_or("2"))),
    ];
    let known = expected.into_iter().filter(|(it, _)| *it != "rated" || is_rated_known);
    for (column, expected) in known {
        let found = change.after.columns_of("tournament", id, [column]).next().unwrap_or_default();
        if found != [expected] {
            let found = format!("`{}`: {column} is {found:?}", words.join(" "));
            return violated("tournaments_are_made_as_asked", found);
        }
    }
    let starts_at = Start::of(change.after, id).and_then(|it| it.starts_at);
    let day = value("--starts").and_then(|day| day.parse::<chrono::NaiveDate>().ok());
    let midnight = day.and_then(|day| day.and_hms_opt(0, 0, 0));
    let midnight = midnight.map(|it| it.and_utc().timestamp());
    let is_right = match (starts_at, midnight) {
        // The zone of the machine can be another.
        (Some(at), Some(midnight)) => (at - midnight).abs() <= 14 * 3_600,
        (at, midnight) => at == midnight,
    };
    match is_right {
        true => Ok(()),
        false => violated(
            "tournaments_are_made_as_asked",
            format!("`{}` starts at {starts_at:?}", words.join(" ")),
        ),
    }
}
