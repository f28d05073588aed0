//! A club that is copied by `export` and `import`, and games that go from one club to another.

use serde_json::Value;

use super::{World, new_folder};
use crate::simulator::process::{Machine, Process, Ran};
use crate::simulator::replay::Replayed;
use crate::simulator::step::Command;
use crate::simulator::tables::Tables;
use crate::simulator::{Violation, holds};

/// The formats in which games go from one club to another.
const FORMATS: [&str; 4] = ["json", "ggf", "pgn", "moves"];

/// Games that one club has exported and another one has imported.
pub struct Exchanged {
    pub format: &'static str,
    /// The games that are over, as the club that has exported them shows them.
    pub exported: Vec<Value>,
    /// What `import` said, and what it said when it was given the same again.
    pub said: [Value; 2],
    /// The games as the other club shows them.
    pub imported: Vec<Value>,
}

/// Runs a command of the host on a machine.
fn host(machine: &Machine, words: &str, input: &str) -> Ran {
    let words = words.split(' ').map(str::to_owned).collect();
    let command = &Command { actor: None, words, is_elsewhere: false };
    machine.run(Process { command, input: input.as_bytes().to_vec(), seed: 0 }, || {})
}

/// Returns games as a club shows them in JSON.
fn shown(machine: &Machine, games: impl IntoIterator<Item = i64>) -> Vec<Value> {
    let games: Vec<_> = games.into_iter().map(|game| game.to_string()).collect();
    if games.is_empty() {
        return Vec::new();
    }
    let words = format!("export {} --format json", games.join(" "));
    let document = host(machine, &words, "").document;
    document.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect()
}

impl World {
    /// Copies the club by `export` and `import`, and lets the copy import the games of this one.
    pub(super) fn exchange(&self) -> Result<(), Violation> {
        let folder = new_folder();
        let copy = Machine { folder: folder.path().to_owned(), ..self.machine.clone() };
        let club = host(&self.machine, "export --all --format json", "");
        let copied = host(&copy, "import - --format json", &club.document);
        holds::the_club_is_copied(&club, &copied, &self.tables, &Tables::read(&copy.database()))?;
        let games = self.tables.columns("game", ["id"]).filter_map(|[id]| id?.parse().ok());
        let mut games: Vec<i64> = games.collect();
        games.sort_unstable();
        for format in FORMATS {
            let over = |game: &&i64| {
                let it = Replayed::of(&self.tables, **game, usize::MAX).ok();
                let reason = it.and_then(|it| it.result()).map(|(_, reason)| reason);
                let can_hold = holds::can_hold(format, &self.tables, **game);
                can_hold && reason.is_some_and(|reason| holds::ends(format, &reason))
            };
            let over: Vec<_> = games.iter().filter(over).copied().collect();
            if over.is_empty() {
                continue;
            }
            let numbers: Vec<_> = games.iter().map(i64::to_string).collect();
            let words = match format {
                "json" => format!("export {} --format json", numbers.join(" ")),
                _ => format!("export --all --format {format}"),
            };
            let text = host(&self.machine, &words, "").document;
            let said = [(); 2].map(|()| -> Value {
                let ran = host(&copy, &format!("import - --format {format}"), &text);
                serde_json::from_str(&ran.json.unwrap_or_default()).unwrap_or_default()
            });
            let [first, last]: [Option<i64>; 2] = ["first", "last"].map(|it| said[0][it].as_i64());
            let imported = first.zip(last).map(|(first, last)| shown(&copy, first..=last));
            holds::imported_games_are_those_exported(&Exchanged {
                format,
                exported: shown(&self.machine, over),
                said,
                imported: imported.unwrap_or_default(),
            })?;
        }
        let signed = games.iter().rev().find(|game| {
            let it = Replayed::of(&self.tables, **game, usize::MAX).ok();
            it.and_then(|it| it.result()).is_some_and(|(_, reason)| reason == "discs")
        });
        let Some(&game) = signed else { return Ok(()) };
        let block = host(&self.machine, &format!("history {game} --portable"), "");
        let block: Value =
            serde_json::from_str(&block.json.unwrap_or_default()).unwrap_or_default();
        let text = block["portable"].as_str().unwrap_or_default();
        let ran = host(&copy, "import --mail -", &format!("From: a@b\n\n{text}\n"));
        let said: Value = serde_json::from_str(&ran.json.unwrap_or_default()).unwrap_or_default();
        let number = said["games"][0]["game"].as_i64();
        let (exported, imported) = (shown(&self.machine, [game]), shown(&copy, number));
        holds::signed_games_are_imported(game, &said, &exported, &imported)
    }
}
