//! What lists say in words of how games stand.

use serde_json::Value;

use super::views::Asked;
use super::violated;
use crate::simulator::process::Ran;
use crate::simulator::tables::number;
use crate::simulator::{DAY, Violation};

/// The line of a game in a list has the score, whose turn it is or how the game ended, and for how many days.
pub fn lists_say_how_games_stand(asked: &Asked, ran: &Ran) -> Result<(), Violation> {
    let shown = ran.shown();
    let text = ran.drawn.join("\n");
    for entry in shown["games"].as_array().into_iter().flatten() {
        let Some(expected) = words_of(asked, entry) else { continue };
        let has_all = |line: &str| {
            let mut found = line.split_whitespace().map(|it| it.trim_end_matches([',', ':']));
            expected.iter().all(|word| found.any(|it| it == word))
        };
        if !text.lines().any(has_all) {
            let found = format!("no line has {expected:?}: {text}");
            return violated("lists_say_how_games_stand", found);
        }
    }
    Ok(())
}

/// Returns how a game was decided, in the words behind its result; empty if the discs were counted.
pub fn manner(reason: &str) -> &'static str {
    match reason {
        "resigned" => " by resignation",
        "agreed" => " by agreement",
        "time" => " on time",
        "claimed" => " by claim",
        "forfeited" => " by decision",
        "stuck" => ": nothing to flip",
        _ => "",
    }
}

/// Returns how a game has ended, in the words that name it.
pub fn ending(winner: Option<&str>, reason: &str) -> String {
    let manner = manner(reason);
    match winner {
        _ if matches!(reason, "annulled" | "declined") => reason.to_owned(),
        Some(winner) => format!("{winner} won{manner}"),
        None => format!("drawn{manner}"),
    }
}

/// Returns the words of the line of a game, in their order; `None` if it is no entry of a list of games.
fn words_of(asked: &Asked, entry: &Value) -> Option<Vec<String>> {
    let names = ["black_discs", "white_discs", "since", "winner", "reason"];
    let row = asked.tables.columns_of("game", entry["game"].as_i64()?, names).next()?;
    let [black_discs, white_discs, since, winner, reason] = row;
    let is_alone = entry["black"] == entry["white"];
    // A computer player can play both sides.
    let name = |color: &str| {
        let name = if is_alone { Some(color) } else { entry[color].as_str() };
        name.map(str::to_owned)
    };
    let mut words = vec![entry["game"].to_string()];
    words.extend([entry["black"].as_str()?.to_owned(), entry["white"].as_str()?.to_owned()]);
    words.extend([entry["ply"].to_string(), format!("{}-{}", black_discs?, white_discs?)]);
    match entry["turn"].as_str() {
        Some(turn) => words.extend([format!("{}'s", name(turn)?), "turn".to_owned()]),
        None => {
            let winner = winner.and_then(name);
            words.extend(ending(winner.as_deref(), reason?).split(' ').map(str::to_owned));
        }
    }
    words.extend((entry["paused"] == true).then(|| "paused".to_owned()));
    let days = (asked.now.timestamp() - number(since)?) / DAY;
    if (1..60).contains(&days) {
        words.extend([days.to_string(), if days == 1 { "day" } else { "days" }.to_owned()]);
    }
    Some(words)
}
