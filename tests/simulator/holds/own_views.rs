//! What `set` and `away` say to a player in words, which must be what their JSON says: docs/settings.md, docs/time.md.

use chrono::{Datelike, NaiveDate};
use serde_json::Value;

use super::remarks::plural;
use super::views::Asked;
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;

/// `set` has the name of the player, and each setting with its value and an example; `away` has each absence that is not
/// over, and the days left.
pub fn own_views_say_what_their_json_says(
    asked: &Asked,
    words: &str,
    ran: &Ran,
) -> Result<(), Violation> {
    let shown = ran.shown();
    let text = ran.sentences.join("\n");
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let expected = match words {
        "set" => settings(&shown),
        "away" => absences(asked, &shown).unwrap_or_default(),
        _ => return Ok(()),
    };
    match expected.iter().find(|it| !lines.contains(&&***it)) {
        Some(line) => {
            let found = format!("{words}: {text:?} lacks {line:?}");
            violated("own_views_say_what_their_json_says", found)
        }
        None => Ok(()),
    }
}

fn settings(shown: &Value) -> Vec<String> {
    let Some(settings) = shown["settings"].as_object() else { return Vec::new() };
    let line = |(word, value): (&String, &Value)| {
        format!("{word}: {}", value.as_str().unwrap_or_default())
    };
    let head = format!("Settings of {}", shown["player"].as_str().unwrap_or_default());
    [head].into_iter().chain(settings.iter().map(line)).collect()
}

fn absences(asked: &Asked, shown: &Value) -> Option<Vec<String>> {
    let name = shown["player"].as_str()?;
    let day = |value: &Value| {
        let day: NaiveDate = value.as_str()?.parse().ok()?;
        Some(day.format("%A, %-d %B %Y").to_string())
    };
    let absence = |it: &Value| {
        let (from, to) = (day(&it["from"])?, day(&it["to"])?);
        Some(match from == to {
            true => format!("{name} is away on {to}."),
            false => format!("{name} is away from {from} to {to}."),
        })
    };
    let mut lines: Vec<_> = shown["absences"].as_array()?.iter().filter_map(absence).collect();
    if lines.is_empty() {
        lines.push(format!("{name} is not away."));
    }
    let left = shown["days_left"].as_i64()?;
    let year = asked.day(asked.reader?[0], asked.now.timestamp())?.year();
    lines.push(format!("You can be away {left} more day{} in {year}.", plural(left)));
    Some(lines)
}
