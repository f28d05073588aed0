//! What lists say of a game in words, which must be what their JSON says.

use serde_json::Value;

use super::lists::ending;
use super::views::number;
use crate::simulator::DAY;
use crate::simulator::tables::Tables;

/// The units of a span, with their seconds, and what the smaller one of two is called.
const UNITS: [(i64, &str, &str); 6] = [
    (365 * DAY, "year", ""),
    (30 * DAY, "month", ""),
    (DAY, "day", ""),
    (3_600, "hour", "h"),
    (60, "minute", "min"),
    (1, "second", "s"),
];

/// Returns a span of time in its largest unit and the one below it: `2 days 23 h`. Months and years are used from
/// two of them on.
pub fn span(seconds: i64) -> String {
    let is_reached = |at: &usize| seconds >= UNITS[*at].0 * if *at < 2 { 2 } else { 1 };
    let Some(first) = (0..UNITS.len()).find(is_reached) else {
        return "less than a second".to_owned();
    };
    let (size, unit, _) = UNITS[first];
    let words = counted(seconds / size, unit);
    match UNITS.get(first + 1).map(|&(below, unit, short)| (seconds % size / below, unit, short)) {
        None | Some((0, ..)) => words,
        Some((count, unit, "")) => format!("{words} {}", counted(count, unit)),
        Some((count, _, short)) => format!("{words} {count} {short}"),
    }
}

/// Returns the end of a word for so many things.
pub const fn plural(count: i64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Returns a number of things.
pub fn counted(count: i64, thing: &str) -> String {
    format!("{count} {thing}{}", plural(count))
}

/// Returns how long a turn has lasted, or how long ago a game has ended.
pub fn age(since: i64, now: i64) -> String {
    if now - since < 60 { "now".to_owned() } else { span(now - since) }
}

/// Returns how much time is left until a deadline.
pub fn left(deadline: i64, now: i64) -> String {
    if deadline > now { span(deadline - now) } else { "over".to_owned() }
}

/// Returns how a game in a list stands, with remarks: what is offered, whether it is paused, who can claim it, who
/// is away, and whether the player of the list has muted it. `you` is the player who reads the own list.
pub fn state(tables: &Tables, entry: &Value, you: Option<&str>) -> Option<String> {
    let [black, white] = ["black", "white"].map(|color| entry[color].as_str());
    // A computer player can play both sides.
    let name = |color: &str| {
        let name = match color {
            _ if black == white => Some(color),
            "black" => black,
            _ => white,
        };
        name.map(str::to_owned)
    };
    let row = tables.columns_of("game", entry["game"].as_i64()?, ["winner", "reason"]).next()?;
    let state = match entry["turn"].as_str() {
        Some(turn) => format!("{}'s turn", name(turn)?),
        None => ending(row[0].and_then(name).as_deref(), row[1]?),
    };
    Some([vec![state], remarks(entry, you)].concat().join(", "))
}

fn remarks(entry: &Value, you: Option<&str>) -> Vec<String> {
    let name = |color: &Value| entry[color.as_str().unwrap_or_default()].as_str();
    let (mut remarks, offer) = (Vec::new(), &entry["offer"]);
    if let (Some(by), Some(kind)) = (name(&offer["by"]), offer["offer"].as_str()) {
        let verb = if matches!(kind, "draw" | "rematch") { "offers" } else { "asks for" };
        remarks.push(format!("{by} {verb} a {kind}"));
    }
    if entry["turn"].is_null() {
        return remarks;
    }
    remarks.extend((entry["paused"] == true).then(|| "paused".to_owned()));
    remarks.extend(name(&entry["claimant"]).map(|name| match you {
        Some(you) if you == name => "you can claim".to_owned(),
        _ => format!("{name} can claim"),
    }));
    for color in ["black", "white"] {
        let until = entry["away"][color].as_str();
        let name = entry[color].as_str().unwrap_or_default();
        remarks.extend(until.map(|day| format!("{name} is away until {day}")));
    }
    remarks.extend((entry["muted"] == true).then(|| "muted".to_owned()));
    remarks
}

/// Returns the last words of the line of a game in a list: the players, the number of moves, the score, how it
/// stands, since when, and the time that is left. `None` if it is no entry of such a list.
pub fn end_of_line(tables: &Tables, entry: &Value, you: Option<&str>, now: i64) -> Option<String> {
    let columns = ["black_discs", "white_discs", "since"];
    let row = tables.columns_of("game", entry["game"].as_i64()?, columns).next()?;
    let [black, white] = ["black", "white"].map(|color| entry[color].as_str());
    let mut words = vec![black?.to_owned(), white?.to_owned(), entry["ply"].to_string()];
    words.push(format!("{}-{}", row[0]?, row[1]?));
    words.push(state(tables, entry, you)?);
    words.push(age(number(row[2]), now));
    if let Some(deadline) = entry["deadline"].as_str() {
        words.push(left(chrono::DateTime::parse_from_rfc3339(deadline).ok()?.timestamp(), now));
    }
    Some(words.join(" "))
}
