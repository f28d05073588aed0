//! A club that is copied by `export` and `import`, and games that go from one club to another.

use serde_json::Value;

use super::{World, new_folder};
use crate::simulator::holds::Lists;
use crate::simulator::naive::Status;
use crate::simulator::process::{Machine, Ran};
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{self, Tables};
use crate::simulator::{DAY, Violation, holds};

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
    /// The most games that can be imported.
    pub most: usize,
}

/// Runs a command of the host on a machine, with this input.
fn host(machine: &Machine, words: &str, input: &str) -> Ran {
    let words: Vec<_> = words.split(' ').collect();
    machine.run_host(&words, input.as_bytes().to_vec(), 0)
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

/// Returns what a club lists.
fn lists(machine: &Machine) -> Lists {
    let others = ["games --all", "players", "standings --all --count all", "tournaments"];
    Lists {
        others: others.iter().map(|words| host(machine, words, "").shown()).collect(),
        imported: host(machine, "games --imported", "").shown(),
    }
}

impl World {
    /// Copies the club by `export` and `import`, and lets the copy import the games of this one.
    pub(super) fn exchange(&self) -> Result<(), Violation> {
        let folder = new_folder();
        let copy = Machine { folder: folder.path().to_owned(), ..self.machine.clone() };
        let club = host(&self.machine, "export --all --format json", "");
        let copied = host(&copy, "import - --format json", &club.document);
        holds::the_club_is_copied(&club, &copied, &self.tables, &Tables::read(&copy.database()))?;
        self.all_are_away(&copy);
        let before = lists(&copy);
        let imported = self.exchange_games(&copy);
        let copied = Tables::read(&copy.database());
        imported?;
        holds::imported_games_count_for_nobody([&before, &lists(&copy)], [&self.tables, &copied])
    }

    /// Lets all members of a copy of the club be away today.
    fn all_are_away(&self, copy: &Machine) {
        let now = self.now().timestamp();
        let club = tables::open(&copy.database());
        let absent = "INSERT INTO absence (player, from_at, until_at) \
                      SELECT id, ?1, ?2 FROM player WHERE left_at IS NULL";
        let ended = club.execute("DELETE FROM absence", []);
        let absent = ended.and_then(|_| club.execute(absent, [now - 1, now + DAY]));
        absent.expect("the absences can be written");
    }

    /// Returns whether the moves of a game end it.
    fn ends_on_its_board(&self, game: i64) -> bool {
        Replayed::of(&self.tables, game, usize::MAX)
            .is_ok_and(|it| matches!(it.status(), Status::Over(..)))
    }

    /// Returns games in a format as the newest player exports them, who may not read all comments.
    fn without_comments(&self, games: &[i64], format: &str) -> String {
        let players = self.tables.columns("player", ["name", "left_at"]);
        let names = players.filter(|[_, left_at]| left_at.is_none()).filter_map(|[name, _]| name);
        let games = games.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        let words = format!("export {games} --format {format}");
        let words: Vec<_> = words.split(' ').map(str::to_owned).collect();
        self.ask_as(names.last().map(str::to_owned), &words).document
    }

    /// Lets a copy of the club import the games of this one.
    fn exchange_games(&self, copy: &Machine) -> Result<(), Violation> {
        let games = self.tables.columns("game", ["id"]).filter_map(|[id]| id?.parse().ok());
        let mut games: Vec<i64> = games.collect();
        games.sort_unstable();
        let numbers = games.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        // The games that are over, and how they ended.
        let ended = games.into_iter().filter_map(|game| {
            let (_, reason) = Replayed::of(&self.tables, game, usize::MAX).ok()?.result()?;
            Some((game, reason))
        });
        let ended: Vec<_> = ended.collect();
        for format in FORMATS {
            let is_kept = |(game, reason): &&(i64, String)| {
                holds::can_hold(format, &self.tables, *game) && holds::ends(format, reason)
            };
            let over: Vec<_> = ended.iter().filter(is_kept).map(|(game, _)| *game).collect();
            // The moves of a game that was annulled can end it, too.
            let ends_anyway = |it: &&(i64, String)| !is_kept(it) && self.ends_on_its_board(it.0);
            let most = over.len() + ended.iter().filter(ends_anyway).count();
            if over.is_empty() {
                continue;
            }
            let words = match format {
                "json" => format!("export {numbers} --format json"),
                _ => format!("export --all --format {format}"),
            };
            let text = host(&self.machine, &words, "").document;
            let words = format!("import - --format {format}");
            let ran = [(); 2].map(|()| host(copy, &words, &text));
            ran.iter().try_for_each(|ran| holds::imports_say_what_they_did(format, ran))?;
            let text = self.without_comments(&over, format);
            holds::known_records_are_not_imported(format, &host(copy, &words, &text))?;
            let said = ran.map(|ran| ran.shown());
            let [first, last]: [Option<i64>; 2] = ["first", "last"].map(|it| said[0][it].as_i64());
            let imported = first.zip(last).map(|(first, last)| shown(copy, first..=last));
            holds::imported_games_are_those_exported(&Exchanged {
                format,
                exported: shown(&self.machine, over),
                said,
                imported: imported.unwrap_or_default(),
                most,
            })?;
            if let Some(last) = last.filter(|_| format == "json") {
                holds::guests_are_never_away(&host(copy, &format!("show {last}"), ""))?;
            }
        }
        let Some(&(game, _)) = ended.iter().rev().find(|(_, reason)| reason == "discs") else {
            return Ok(());
        };
        let block = host(&self.machine, &format!("history {game} --portable"), "");
        let block = block.shown();
        let text = block["portable"].as_str().unwrap_or_default();
        let ran = host(copy, "import --mail -", &format!("From: a@b\n\n{text}\n"));
        let said = ran.shown();
        let number = said["games"][0]["game"].as_i64();
        let (exported, imported) = (shown(&self.machine, [game]), shown(copy, number));
        holds::signed_games_are_imported(game, &said, &exported, &imported)
    }
}
