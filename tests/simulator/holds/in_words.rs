//! What lists and profiles say beside their JSON, to people: docs/club.md.

use chrono::DateTime;
use serde_json::Value;

use super::list_rows::{challenge_rows, shown_in, zone_of};
use super::tournament_tables::Cup;
use super::views::{Asked, has_in_order, number};
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
        "player NAME" => rows_of_profile(asked, &shown),
        "challenges" => {
            let rows = challenge_rows(asked).unwrap_or_default().into_iter();
            let split = |row: Vec<String>| {
                row.iter().flat_map(|it| it.split(' ')).map(str::to_owned).collect()
            };
            rows.map(split).collect()
        }
        words if words.starts_with("standings") => rows_of_standings(&shown),
        "tournaments" => list(&shown, "tournaments").filter_map(|it| cup_row(asked, it)).collect(),
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

/// Returns the words of the row of a tournament in the list of tournaments.
fn cup_row(asked: &Asked, it: &Value) -> Option<Vec<String>> {
    let mut cups = asked.tables.columns("tournament", ["id", "name"]);
    let [id, _] = cups.find(|[_, name]| *name == it["tournament"].as_str())?;
    let cup = Cup::of(asked.tables, number(id))?;
    let facts = cup.facts()?;
    let game = facts[0].strip_prefix("Game: ")?;
    let format = facts[1].strip_prefix("Format: ")?.split(';').next()?;
    let is_open = cup.state == "open";
    let players = match is_open && cup.season == 0 {
        true => format!("{} of {}", it["players"], it["places"]),
        false => it["players"].to_string(),
    };
    let time = |key: &str| {
        let at = DateTime::parse_from_rfc3339(it[key].as_str()?).ok()?;
        shown_in(asked.zone(), at.timestamp())
    };
    let starts = if is_open { time("starts") } else { None };
    let times = starts.into_iter().chain(time("ended")).collect::<Vec<_>>().join(" ");
    let row = format!("{} {game} {format} {} {players} {times}", cup.name, cup.state);
    Some(row.split_whitespace().map(str::to_owned).collect())
}

/// Returns the words of the row of a season of a player in a tournament: how far it is, and how the player stands.
fn season(it: &Value, titles: &[&str]) -> Vec<String> {
    let name = it["tournament"].as_str().unwrap_or_default();
    let of = it["season"].as_i64();
    let title = of.map_or_else(|| name.to_owned(), |season| format!("{name}, season {season}"));
    let has_won = titles.contains(&&*title) && it["division"].as_i64().is_none_or(|it| it == 1);
    let mut words = vec![name.to_owned(), it["state"].as_str().unwrap_or_default().to_owned()];
    let finish = match it["place"].as_i64() {
        _ if it["withdrawn"] == true => "withdrawn".to_owned(),
        _ if has_won => "won".to_owned(),
        Some(place) => format!("{place} of {}", it["players"]),
        None => String::new(),
    };
    let finish = match of {
        Some(season) => format!("{finish}, season {season}, division {}", it["division"]),
        None => finish,
    };
    words.extend(finish.split_whitespace().map(str::to_owned));
    words
}

/// Returns the words of the row of a game under way of a player: the own colour, the opponent and the moves.
fn game_of(asked: &Asked, game: i64) -> Option<Vec<String>> {
    let (it, _) = asked.entry(game)?;
    let (own, other) = match it["black"] == asked.about[1] {
        true => ("black", "white"),
        false => ("white", "black"),
    };
    let cells = [own, it[other].as_str()?].map(str::to_owned).into_iter();
    Some([game.to_string()].into_iter().chain(cells).chain([it["ply"].to_string()]).collect())
}

fn rows_of_profile(asked: &Asked, shown: &Value) -> Vec<Vec<String>> {
    let results = |it: &Value| ["won", "drawn", "lost"].map(|key| it[key].to_string());
    let short = |it: &Value| Some(results(it).join("-")).filter(|it| it != "0-0-0");
    let record = |it: &Value| {
        let colors = [short(&it["black"]), short(&it["white"])].into_iter().flatten();
        let rated = it["rating"].is_object().then(|| rating(&it["rating"]));
        colors.chain(rated.into_iter().flatten()).collect::<Vec<_>>()
    };
    let bot = |it: &Value| cell(&it["bot"]).into_iter().chain(results(it)).collect();
    let titles: Vec<_> = list(shown, "titles").filter_map(Value::as_str).collect();
    let records = list(shown, "records").map(record);
    records
        .chain(list(shown, "bots").map(bot))
        .chain(list(shown, "tournaments").map(|it| season(it, &titles)))
        .chain(list(shown, "games").filter_map(|game| game_of(asked, game.as_i64()?)))
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
