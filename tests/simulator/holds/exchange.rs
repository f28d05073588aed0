//! What holds of games that go from one club to another, and of a club that is copied: docs/playing.md and
//! docs/json.md.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables::Tables;
use crate::simulator::world::exchange::Exchanged;

/// Tables that a copy of the club has.
const COPIED: [&str; 20] = [
    "absence",
    "analysis",
    "analysis_ply",
    "blocked",
    "challenge",
    "comment",
    "digest_game",
    "entrant",
    "event",
    "failure",
    "news",
    "pairing",
    "plan",
    "rating",
    "record",
    "recalculation",
    "reminder",
    "tournament",
    "unsubscribed",
    "watcher",
];

/// Tables that a copy has without some of their columns, with those that it has.
const COPIED_IN_PART: [(&str, [&str; 12]); 2] = [
    (
        "player",
        [
            "id",
            "name",
            "address",
            "created_at",
            "left_at",
            "clock",
            "mail_mode",
            "style",
            "watchers",
            "challenges",
            "won",
            "lost",
        ],
    ),
    (
        "game",
        [
            "id", "black", "white", "variant", "turn", "ply", "since", "deadline", "reason",
            "winner", "clock", "rated",
        ],
    ),
];

/// A club that `export --all --format json` writes is the same where it is imported.
pub fn the_club_is_copied(
    exported: &Ran,
    imported: &Ran,
    club: &Tables,
    copy: &Tables,
) -> Result<(), Violation> {
    const OF: &str = "the_club_is_copied";
    if exported.status != 0 || imported.status != 0 {
        let found = format!("{:?}, then {:?}", exported.sentences, imported.sentences);
        return violated(OF, found);
    }
    let other = COPIED.iter().find(|table| !club.is_same(copy, table));
    let other = other.map(|table| {
        let differences = club.differences(copy);
        let is_of = |it: &&String| it.starts_with(&format!("{table}: "));
        differences.iter().find(is_of).cloned().unwrap_or_else(|| (*table).to_owned())
    });
    let in_part = COPIED_IN_PART.iter().find_map(|(table, names)| {
        let mut rows = club.columns(table, *names).zip(copy.columns(table, *names));
        rows.find(|(one, other)| one != other).map(|rows| format!("{table}: {rows:?}"))
    });
    other.or(in_part).map_or(Ok(()), |other| violated(OF, other))
}

/// Returns whether a record of a game that ended so says in this format how it ended.
pub fn ends(format: &str, reason: &str) -> bool {
    match format {
        "json" => true,
        // The moves alone must end it.
        "moves" => reason == "discs",
        _ => !matches!(reason, "annulled" | "declined"),
    }
}

/// Games that are over and are exported and imported elsewhere are the same there, each once.
pub fn imported_games_are_those_exported(it: &Exchanged) -> Result<(), Violation> {
    const OF: &str = "imported_games_are_those_exported";
    let Exchanged { format, exported, said, imported, most } = it;
    let count = |said: &Value, key| said[key].as_u64().unwrap_or_default() as usize;
    let [new, known, again] =
        [(0, "imported"), (0, "known"), (1, "known")].map(|(at, key)| count(&said[at], key));
    if !(exported.len()..=*most).contains(&(new + known)) || again != new + known {
        let found = format!("{format}: of {} games, {} and {}", exported.len(), said[0], said[1]);
        return violated(OF, found);
    }
    // Two games can be the same.
    if known > 0 || imported.len() != exported.len() {
        return Ok(());
    }
    let other = exported.iter().zip(imported).find_map(|(one, other)| {
        let [one, other] = [one, other].map(|game| kept(format, game));
        (one != other).then(|| format!("{format}: {one} became {other}"))
    });
    other.map_or(Ok(()), |other| violated(OF, other))
}

/// The players of an imported game are names only: nobody of that name in the club is shown as away.
pub fn guests_are_never_away(ran: &Ran) -> Result<(), Violation> {
    let shown = ran.shown();
    let is_away = ["black", "white"].iter().any(|color| !shown["away"][*color].is_null());
    match is_away || ran.sentences.iter().any(|it| it.contains("Away: ")) {
        true => violated("guests_are_never_away", format!("{}: {:?}", shown, ran.sentences)),
        false => Ok(()),
    }
}

/// A record that was imported before is not imported again, also if somebody has written it who reads no comments.
pub fn known_records_are_not_imported(format: &str, ran: &Ran) -> Result<(), Violation> {
    match ran.shown()["imported"].as_u64() {
        None | Some(0) => Ok(()),
        Some(_) => {
            let found = format!("{format}: {} of a player, and they were known", ran.shown());
            violated("known_records_are_not_imported", found)
        }
    }
}

/// `import` says which games it has added, and how many records were known or broken.
pub fn imports_say_what_they_did(format: &str, ran: &Ran) -> Result<(), Violation> {
    let shown = ran.shown();
    let count = |key: &str| shown[key].as_u64().unwrap_or_default();
    let some =
        |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let are = |count: u64, how: &str| {
        let verb = if count == 1 { "is" } else { "are" };
        (count > 0).then(|| format!("{} {verb} {how}.", some(count, "record")))
    };
    let games = [&shown["first"], &shown["last"]];
    let imported = match count("imported") {
        0 => "No game imported.".to_owned(),
        1 => format!("1 game imported: {}.", games[0]),
        more => format!("{} imported: {} to {}.", some(more, "game"), games[0], games[1]),
    };
    let broken = shown["broken"].as_array().map_or(0, Vec::len) as u64;
    let more = [are(count("known"), "known already"), are(broken, "broken")];
    let expected: Vec<_> = [imported].into_iter().chain(more.into_iter().flatten()).collect();
    let (expected, said) = (expected.join(" "), ran.sentences.join(" "));
    match said == expected {
        true => Ok(()),
        false => {
            violated("imports_say_what_they_did", format!("{format}: {said:?}, not {expected:?}"))
        }
    }
}

/// Returns what a format keeps of a game that JSON describes.
fn kept(format: &str, game: &Value) -> Value {
    let of_moves = ["ply", "by", "move", "black", "white", "auto"];
    let moves = game["moves"].as_array().into_iter().flatten();
    let moves: Vec<_> = moves.map(|mv| of_moves.map(|key| mv[key].clone())).collect();
    let result = &game["result"];
    let mut kept = json!({
        "rules": game["rules"], "moves": moves, "winner": result["winner"],
        "discs": [result["black"], result["white"]],
    });
    if format != "moves" {
        kept["players"] = json!([game["black"], game["white"], game["began"]]);
    }
    if format == "json" {
        // The discs after each move show the start, which may be that of the variant.
        kept["all"] = json!([game["variant"], result["reason"]]);
        let said = game["said"].as_array().into_iter().flatten();
        let said: Vec<_> = said.map(|it| json!([it["ply"], it["by"], it["text"]])).collect();
        kept["said"] = said.into();
    }
    kept
}

/// A signed game is the same where it is imported, which says what number it had.
pub fn signed_games_are_imported(
    game: i64,
    said: &Value,
    exported: &[Value],
    imported: &[Value],
) -> Result<(), Violation> {
    let kept = |games: &[Value]| {
        games.first().map(|game| {
            let mut kept = kept("json", game);
            kept["said"] = Value::Null;
            kept
        })
    };
    let is_same = kept(exported) == kept(imported) && said["games"][0]["number"] == game;
    match is_same {
        true => Ok(()),
        false => violated(
            "signed_games_are_imported",
            format!("{said}: {:?} became {:?}", exported.first(), imported.first()),
        ),
    }
}

/// Tables that an imported game does not change.
const UNTOUCHED: [&str; 8] = [
    "challenge",
    "digest_game",
    "entrant",
    "pairing",
    "rating",
    "record",
    "recalculation",
    "tournament",
];

/// What a club lists.
pub struct Lists {
    /// `games --all`, `players` and other lists.
    pub others: Vec<Value>,
    /// `games --imported`.
    pub imported: Value,
}

/// Imported games are in the list of imported games and in no other, and count in nobody's record.
pub fn imported_games_count_for_nobody(
    [before, after]: [&Lists; 2],
    [club, copy]: [&Tables; 2],
) -> Result<(), Violation> {
    const OF: &str = "imported_games_count_for_nobody";
    let mut pairs = before.others.iter().zip(&after.others);
    if let Some((before, after)) = pairs.find(|(before, after)| before != after) {
        return violated(OF, format!("{before} became {after}"));
    }
    if let Some(table) = UNTOUCHED.iter().find(|table| !club.is_same(copy, table)) {
        return violated(OF, format!("{table} is another one"));
    }
    let numbers = |tables: &Tables| {
        let ids = tables.columns("game", ["id"]).filter_map(|[id]| id?.parse::<i64>().ok());
        ids.collect::<BTreeSet<_>>()
    };
    let new: BTreeSet<_> = &numbers(copy) - &numbers(club);
    let listed = after.imported["games"].as_array().into_iter().flatten();
    let is_marked = |it: &&Value| it["imported"] == true;
    let listed: BTreeSet<_> =
        listed.filter(is_marked).filter_map(|it| it["game"].as_i64()).collect();
    match listed == new {
        true => Ok(()),
        false => violated(OF, format!("{listed:?} are listed, not {new:?}")),
    }
}
