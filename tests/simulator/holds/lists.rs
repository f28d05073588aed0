//! What lists say in words of how games stand.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::views::{Asked, time};
use super::{remarks, violated};
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables::number;

/// The most challenges that a list of games or a digest names.
const MAX_ACCEPTABLE: usize = 10;

/// The line of a game in a list ends with the score, whose turn it is or how the game ended, what is remarkable, for
/// how long, and how much time is left. A sentence says how many games wait, and others what can be accepted.
pub fn lists_say_how_games_stand(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    const OF: &str = "lists_say_how_games_stand";
    let shown = ran.shown();
    let is_list = words.starts_with("games") && !words.contains("--imported");
    let Some(games) = shown["games"].as_array().filter(|_| is_list) else { return Ok(()) };
    let name = if words.ends_with("NAME") { Some(asked.about) } else { asked.reader };
    let name = name.map(|[_, name]| name);
    if words.contains("bot:") {
        return Ok(());
    }
    let you = asked.reader.map(|[_, reader]| reader).filter(|reader| name == Some(*reader));
    let text = ran.drawn.join("\n");
    let lines: BTreeSet<_> = text.lines().map(squeezed).collect();
    for entry in games {
        let end = remarks::end_of_line(asked.tables, entry, you, asked.now.timestamp());
        let Some(end) = end else { continue };
        let begin = format!("{} ", entry["game"]);
        if !lines.iter().any(|line| line.starts_with(&begin) && line.ends_with(&end)) {
            return violated(OF, format!("no line of {begin}ends with {end:?}: {text}"));
        }
    }
    if words.contains("--finished") || words.contains("--next") {
        return Ok(());
    }
    if let Some(name) = name.filter(|_| !games.is_empty()) {
        let waits = |it: &&Value| it["turn"].as_str().is_some_and(|turn| it[turn] == name);
        let whom = if you.is_some() { "you" } else { name };
        let expected = waiting(games.iter().filter(waits).count(), whom);
        if !ran.sentences.contains(&expected) {
            return violated(OF, format!("{words}: {expected:?} is not in {:?}", ran.sentences));
        }
    }
    let Some(expected) = asked.acceptable().filter(|_| you.is_some()) else { return Ok(()) };
    let found: Vec<_> = ran.sentences.iter().flat_map(|it| it.split("`accept ").skip(1)).collect();
    let found = found.iter().filter_map(|it| it.split('`').next()?.parse().ok());
    let found: Vec<i64> = found.collect();
    match found == expected {
        true => Ok(()),
        false => violated(OF, format!("{words}: {found:?} can be accepted, not {expected:?}")),
    }
}

/// Returns the sentence that says how many games wait for somebody.
pub fn waiting(count: usize, whom: &str) -> String {
    match count {
        0 => format!("No game waits for {whom}."),
        1 => format!("1 game waits for {whom}."),
        _ => format!("{count} games wait for {whom}."),
    }
}

/// Returns a line with one space between its words.
fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
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

impl Asked<'_> {
    /// Returns the numbers of the first challenges that the reader can accept, as lists and digests name them.
    pub(super) fn acceptable(&self) -> Option<Vec<i64>> {
        let (name, shown) = (self.reader?[1], self.challenges()?);
        let others = shown["challenges"].as_array()?.iter().filter(|it| it["by"] != name);
        Some(others.filter_map(|it| it["challenge"].as_i64()).take(MAX_ACCEPTABLE).collect())
    }

    /// Returns the jobs that are queued, of computer players first, as the host sees them.
    pub(super) fn queue(&self) -> Option<Value> {
        if self.reader.is_some() {
            return Some(json!({ "jobs": [] }));
        }
        let names =
            ["id", "kind", "game", "player", "queued_at", "due_at", "failures", "last_error"];
        let jobs = self.tables.columns("job", names);
        let jobs = jobs.map(|[id, kind, game, player, since, due, failures, error]| {
            let is_asked = matches!(kind, Some("hint" | "analysis"));
            let player = player.filter(|_| is_asked);
            let shown = json!({
                "job": kind, "game": number(game), "player": self.name(player), "since": number(since).map(time),
                "due": number(due).map(time), "failures": number(failures), "error": error,
            });
            ((is_asked, number(due), number(id)), shown)
        });
        let mut jobs: Vec<_> = jobs.collect();
        jobs.sort_by_key(|(place, _)| *place);
        let jobs: Vec<_> = jobs.into_iter().map(|(_, shown)| shown).collect();
        Some(json!({ "jobs": jobs }))
    }

    /// Returns the games of a computer player, those in which it is to move first; `None` if there are none.
    pub(super) fn of_bot(&self, bot: &str) -> Option<Value> {
        let rows = self.tables.columns("game", ["id", "black_bot", "white_bot"]);
        let own = rows.filter(|[_, bots @ ..]| bots.contains(&Some(bot)));
        let games = own.filter_map(|[id, ..]| self.entry(number(id)?));
        let (mut active, mut finished): (Vec<_>, Vec<_>) =
            games.partition(|(it, _)| it["status"] == "active");
        active.sort_by_key(|(it, [_, deadline, since, id])| {
            let is_due = it["turn"].as_str().is_some_and(|turn| it[turn] == bot);
            (!is_due, *deadline, *since, *id)
        });
        finished.sort_by_key(|(_, [.., since, id])| (-since, -id));
        let games = active.into_iter().chain(finished).map(|(mut it, _)| {
            // The player of the list has muted nothing.
            it["muted"] = false.into();
            it
        });
        let games: Vec<_> = games.collect();
        (!games.is_empty()).then(|| json!({ "games": games }))
    }
}
