//! What holds of backups, and of `verify` with a database in which something is wrong.

use std::collections::BTreeSet;

use rusqlite::Connection;
use serde_json::Value;

use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables::Tables;

/// Values that follow from others, as `table.column`: `verify` finds each that is wrong.
const DERIVED: [&str; 24] = [
    "game.ply",
    "game.events",
    "game.position_event",
    "game.black_discs",
    "game.white_discs",
    "game.paused",
    "game.since",
    "game.deadline",
    "game.winner",
    "game.reason",
    "game.turn",
    "game.to_move",
    "game.to_wait",
    "player.active",
    "player.won",
    "player.drawn",
    "player.lost",
    "player.timed_turns",
    "player.late_turns",
    "record.won",
    "record.drawn",
    "record.lost",
    "comment.said_at",
    "rating.rating",
];

/// What differs in a backup: the mark that tells which mails it does not know.
const OF_BACKUPS: [&str; 1] = ["installation_mark"];

/// Changes one of the derived values in a database. Returns its name; `None` if there is none that can be changed.
pub fn falsify(sqlite: &Connection, rng: &mut fastrand::Rng) -> Option<&'static str> {
    let name = DERIVED[rng.usize(..DERIVED.len())];
    let (table, column) = name.split_once('.')?;
    let (other, of) = match column {
        "winner" | "turn" => ("iif(COLUMN = 'black', 'white', 'black')", "COLUMN IS NOT NULL"),
        "reason" => ("iif(COLUMN = 'resigned', 'time', 'resigned')", "COLUMN IS NOT NULL"),
        "paused" => ("1 - COLUMN", "turn IS NOT NULL"),
        "deadline" => {
            ("COLUMN + 60", "turn IS NOT NULL AND alarm_at > 0 AND COLUMN < 200000000000")
        }
        "rating" => ("COLUMN + 3", "NOT EXISTS (SELECT 1 FROM recalculation)"),
        "to_move" | "to_wait" => ("COLUMN + 1", "COLUMN IS NOT NULL"),
        _ => ("COLUMN + 1", "true"),
    };
    let key = match table {
        "game" | "player" => "id",
        "record" => "player || kind || about",
        "comment" => "game || ' ' || event",
        _ => "list || player || ' ' || game",
    };
    let sql = format!(
        "UPDATE {table} SET {column} = {other} WHERE {key} = (SELECT {key} FROM {table} WHERE {of}
         ORDER BY {key} LIMIT 1 OFFSET (SELECT ?1 % max(count(*), 1) FROM {table} WHERE {of}))"
    );
    let pragmas = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON";
    sqlite.execute_batch(pragmas).expect("the database can be changed");
    let changed = sqlite.execute(&sql.replace("COLUMN", column), [rng.u16(..)]);
    (changed.ok()? == 1).then_some(name)
}

/// `verify` finds a value that does not follow from the logs, names its column, and exits with 3 (docs/operating.md).
pub fn verify_finds_what_is_wrong(name: &str, ran: &Ran) -> Result<(), Violation> {
    let shown = ran.shown();
    let mut faults = shown["faults"].as_array().into_iter().flatten();
    let is_named = faults.any(|fault| fault["column"] == name);
    match ran.status == 3 && is_named {
        true => Ok(()),
        false => violated(
            "verify_finds_what_is_wrong",
            format!("{name} was changed: {} {:?} {:?}", ran.status, ran.json, ran.sentences),
        ),
    }
}

/// A dated backup.
pub struct Backup<'a> {
    pub ran: &'a Ran,
    /// How many copies are to be kept.
    pub kept: usize,
    /// The files that were made before, the oldest first.
    pub made: &'a [String],
    /// The files that are in the folder now.
    pub files: BTreeSet<String>,
}

impl Backup<'_> {
    /// Returns the file that was made now.
    pub fn new_file(&self) -> Option<String> {
        let shown: Value = serde_json::from_str(self.ran.json.as_deref()?).ok()?;
        Some(shown["backup"].as_str()?.to_owned())
    }
}

/// `backup --keep N` makes a copy, says which, and keeps the newest N in the folder (docs/operating.md).
pub fn newest_backups_are_kept(backup: &Backup) -> Result<(), Violation> {
    let Backup { ran, kept, made, files } = backup;
    let all: Vec<_> = made.iter().cloned().chain(backup.new_file()).collect();
    let expected: BTreeSet<_> = all[all.len().saturating_sub(*kept)..].iter().cloned().collect();
    match ran.status == 0 && all.len() > made.len() && *files == expected {
        true => Ok(()),
        false => violated(
            "newest_backups_are_kept",
            format!("{files:?} and not {expected:?}: {} {:?}", ran.status, ran.sentences),
        ),
    }
}

/// A backup has all that the database has.
pub fn backups_are_complete(database: &Tables, backup: &Tables) -> Result<(), Violation> {
    let differences = database.differences(backup);
    let is_of_backups = |it: &&String| OF_BACKUPS.iter().any(|table| it.starts_with(table));
    match differences.iter().find(|it| !is_of_backups(it)) {
        None => Ok(()),
        Some(lost) => violated("backups_are_complete", format!("they differ: {lost}")),
    }
}
