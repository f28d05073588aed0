//! What lists and profiles say beside their JSON, to people: docs/club.md.

use chrono::DateTime;
use serde_json::Value;

use super::list_rows::{challenge_rows, zone_of};
use super::views::{Asked, has_in_order};
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;

/// The profile of a player, the open challenges and a list of ratings say in words and tables what their JSON says.
pub fn lists_say_it_in_words(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    if ran.status != 0 {
        return Ok(());
    }
    let shown = ran.shown();
    let rows = match words {
        "player NAME" => rows_of_profile(&shown),
        "challenges" => {
            let rows = challenge_rows(asked).unwrap_or_default().into_iter();
            let split = |row: Vec<String>| {
                row.iter().flat_map(|it| it.split(' ')).map(str::to_owned).collect()
            };
            rows.map(split).collect()
        }
        words if words.starts_with("standings") => rows_of_standings(&shown),
        _ => return Ok(()),
    };
    let text = ran.drawn.join("\n");
    let wrong_row = rows.iter().find(|row| !text.lines().any(|line| has_in_order(line, row)));
    let wrong_head = (words == "player NAME").then(|| wrong_head(asked, &shown, ran)).flatten();
    match (wrong_row, wrong_head) {
        (None, None) => Ok(()),
        (Some(row), _) => {
            violated("lists_say_it_in_words", format!("{words}: no line has {row:?}: {text}"))
        }
        (_, Some(wrong)) => violated("lists_say_it_in_words", format!("{words}: {wrong}")),
    }
}

/// Returns a list in a value.
fn list<'a>(shown: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    shown[key].as_array().into_iter().flatten()
}

/// Returns a value as people read it; nothing for null.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

/// Returns by how much a rating has changed, as people read it.
fn change(value: &Value) -> String {
    value.as_i64().map_or_else(
        || "new".to_owned(),
        |change| match change {
            0 => "0".to_owned(),
            _ => format!("{change:+}"),
        },
    )
}

/// Returns the cells of a rating: how high and how sure it is, from how many games, and how it has changed.
fn rating(it: &Value) -> Vec<String> {
    let mut cells: Vec<_> =
        ["rating", "deviation", "games"].iter().filter_map(|key| cell(&it[*key])).collect();
    cells.push(change(&it["change"]));
    cells.extend(cell(&it["standing"]));
    cells
}

fn rows_of_standings(shown: &Value) -> Vec<Vec<String>> {
    let row = |it: &Value| {
        let first = [cell(&it["place"]), cell(&it["player"])];
        first.into_iter().flatten().chain(rating(it)).collect()
    };
    list(shown, "players").map(row).collect()
}

fn rows_of_profile(shown: &Value) -> Vec<Vec<String>> {
    let results = |it: &Value| ["won", "drawn", "lost"].map(|key| it[key].to_string());
    let short = |it: &Value| Some(results(it).join("-")).filter(|it| it != "0-0-0");
    let record = |it: &Value| {
        let colors = [short(&it["black"]), short(&it["white"])].into_iter().flatten();
        let rated = it["rating"].is_object().then(|| rating(&it["rating"]));
        colors.chain(rated.into_iter().flatten()).collect::<Vec<_>>()
    };
    let bot = |it: &Value| cell(&it["bot"]).into_iter().chain(results(it)).collect();
    let tournament =
        |it: &Value| [cell(&it["tournament"]), cell(&it["state"])].into_iter().flatten().collect();
    let records = list(shown, "records").map(record);
    records
        .chain(list(shown, "bots").map(bot))
        .chain(list(shown, "tournaments").map(tournament))
        .chain(list(shown, "games").map(|game| vec![game.to_string()]))
        .collect()
}

/// Returns what the lines about a player do not say, or say wrongly.
fn wrong_head(asked: &Asked, shown: &Value, ran: &Ran) -> Option<String> {
    let text = |key: &str| shown[key].as_str().unwrap_or_default();
    let name = text("player");
    let since = DateTime::parse_from_rfc3339(text("since")).ok()?;
    let since = since.with_timezone(&zone_of(asked.tables, asked.about[0]));
    let [turns, in_time] = ["turns", "turns_in_time"].map(|key| shown[key].as_f64());
    let mut expected = vec![
        format!("{name}, member since {}", since.format("%A, %-d %B %Y")),
        format!("Time zone: {}", text("timezone")),
    ];
    if let (Some(turns @ 1.0..), Some(in_time)) = (turns, in_time) {
        let share = in_time * 100.0 / turns;
        expected
            .push(format!("Moves in time: {share:.0} % of {turns} in finished games with a clock"));
    }
    let [won, drawn, lost] = ["won", "drawn", "lost"].map(|key| shown["with_you"][key].as_i64());
    if let (Some(won), Some(drawn), Some(lost)) = (won, drawn, lost)
        && won + drawn + lost > 0
    {
        expected.push(format!("Against {name} you have won {won}, drawn {drawn} and lost {lost}."));
    }
    if list(shown, "games").next().is_none() {
        expected.push(format!("{name} plays no game now."));
    }
    let titles: Vec<_> = list(shown, "titles").filter_map(Value::as_str).collect();
    if !titles.is_empty() {
        expected.push(format!("Titles: {}", titles.join("; ")));
    }
    let known =
        ["member since", "Time zone: ", "Moves in time: ", "Against ", " plays no ", "Titles: "];
    let lines = ran.sentences.iter().flat_map(|text| text.lines());
    let found = lines.clone().filter(|line| known.iter().any(|it| line.contains(it)));
    let found: Vec<_> = found.filter(|line| *line != "Against computer players:").collect();
    let away = lines.filter(|line| line.starts_with("Away ")).count();
    let absences = list(shown, "absences").count();
    (found != expected || away != absences)
        .then(|| format!("{found:?} and {away} absences, not {expected:?} and {absences}"))
}

/// The lines about a tournament say how far it is and who has joined, as its JSON does.
pub fn tournaments_say_it_in_words(asked: &Asked, ran: &Ran) -> Result<(), Violation> {
    let shown = ran.shown();
    let lines: Vec<_> = ran.sentences.iter().flat_map(|text| text.lines()).collect();
    let wrong = tournament_lines(asked, &shown).into_iter().find(|(begin, expected)| {
        let mut found = lines.iter().filter(|line| line.starts_with(*begin));
        match expected {
            None => found.next().is_some(),
            Some(expected) => !found.any(|line| *line == expected),
        }
    });
    match wrong.filter(|_| ran.status == 0) {
        None => Ok(()),
        Some((_, expected)) => violated(
            "tournaments_say_it_in_words",
            format!("{}: {expected:?} is not in {lines:?}", shown["tournament"]),
        ),
    }
}

/// Returns lines about a tournament, each with how it begins; `None` if there must be none that begins so.
fn tournament_lines(asked: &Asked, shown: &Value) -> Vec<(&'static str, Option<String>)> {
    let text = |key: &str| shown[key].as_str().unwrap_or_default();
    let joined = list(shown, "next").filter_map(Value::as_str);
    let players = list(shown, "players").filter_map(|it| it["player"].as_str());
    let is_first = shown["season"] == 0;
    let names: Vec<_> = if shown["next"].is_array() { joined.collect() } else { players.collect() };
    let zone = asked.zone();
    let starts = DateTime::parse_from_rfc3339(text("starts")).ok();
    let starts =
        starts.map(|at| at.with_timezone(&zone).format("%A, %-d %B %Y, %H:%M").to_string());
    let count =
        |is_meant: fn(&Value) -> bool| list(shown, "games").filter(|it| is_meant(it)).count();
    let (over, all) = (count(|it| !it["result"].is_null()), count(|_| true));
    let games = if all == 1 { "1 game".to_owned() } else { format!("{all} games") };
    let round = list(shown, "games").filter_map(|it| it["round"].as_i64()).max().unwrap_or(0);
    let mut lines = vec![("Tournament ", Some(format!("Tournament {}", text("tournament"))))];
    let running = match text("format") {
        "league" => format!("Running, season {}", shown["season"]),
        "swiss" => format!("Running, round {round} of {}", shown["rounds"]),
        _ => "Running".to_owned(),
    };
    match text("state") {
        "running" => {
            lines.push(("Running", Some(format!("{running}: {over} of {games} are over"))))
        }
        "cancelled" => lines.push(("Cancelled", Some("Cancelled".to_owned()))),
        "open" if is_first => {
            let begin = format!("Open: {} of {} players have joined", names.len(), shown["places"]);
            lines.push((
                "Open: ",
                Some(match starts {
                    None => format!("{begin}; it starts when all have, or earlier by the host"),
                    Some(at) => format!("{begin}; it starts on {at} ({zone})"),
                }),
            ));
        }
        _ => {}
    }
    if matches!(text("state"), "open" | "cancelled") && is_first {
        let players = (!names.is_empty()).then(|| format!("Players: {}", names.join(", ")));
        lines.push(("Players: ", players));
    }
    if let [Some(low), Some(high)] = [0, 1].map(|at| shown["ratings"][at].as_i64()) {
        lines.push(("For ratings", Some(format!("For ratings from {low} to {high}"))));
    }
    lines
}
