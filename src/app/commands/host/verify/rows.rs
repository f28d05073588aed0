//! Compares the rows that follow from the logs with those that are stored.

use std::collections::BTreeMap;

use super::fault::Fault;
use crate::store::{Cell, Checked, CheckedRow, Difference, Key};
use outflank_model::log::GameId;

/// The rows that follow from the logs, by table and key; `None` for a value that is not checked.
pub(super) type Rows = BTreeMap<(Checked, Key), Vec<Option<Cell>>>;

/// Returns the key of a row.
pub(super) fn key(parts: [&dyn ToString; 3]) -> Key {
    parts.map(ToString::to_string)
}

/// Returns a value that is a number.
pub(super) fn number(number: usize) -> Option<Cell> {
    Some(i64::try_from(number).unwrap_or(i64::MAX).into())
}

/// Compares a stored row with the one of its key, which it takes out of `rows`.
pub(super) fn compare(rows: &mut Rows, table: Checked, row: CheckedRow, faults: &mut Vec<Fault>) {
    let CheckedRow { key, values } = row;
    // A record counts nothing where the logs have nothing.
    let zeros = (table == Checked::Record).then(|| vec![Some(Cell::from(0)); values.len()]);
    let at = (table, key);
    let Some(expected) = rows.remove(&at).or(zeros) else {
        faults.push(fault_of_row(&at, "it should not exist"));
        return;
    };
    for ((column, stored), expected) in values.iter().zip(&expected) {
        let expected = expected.as_ref();
        if let Some(wrong) = expected.and_then(|it| Difference::between(column, stored, it)) {
            faults.push(Fault::of_value(&what(&at), wrong).in_game(game(&at)));
        }
    }
}

/// Returns the faults of the rows that are not stored.
pub(super) fn missing(rows: &Rows) -> impl Iterator<Item = Fault> {
    rows.keys().map(|at| fault_of_row(at, "it is missing"))
}

fn fault_of_row(at: &(Checked, Key), problem: &str) -> Fault {
    Fault::new(&what(at), problem).in_column(at.0.name()).in_game(game(at))
}

/// Names a row for people.
fn what((table, [first, second, third]): &(Checked, Key)) -> String {
    match table {
        Checked::Game | Checked::Reminder => format!("game {first}"),
        Checked::Job => format!("job of game {first}"),
        Checked::Outbox | Checked::DigestGame => format!("mail {second} about game {first}"),
        Checked::Plan => format!("the plan of player {second} for game {first}"),
        Checked::Comment => format!("comment {second} of game {first}"),
        Checked::AnalysisPly => format!("move {second} in the analysis of game {first}"),
        Checked::Player => format!("player {first}"),
        Checked::Record => format!("record of {first} ({second} {third})"),
        Checked::Rating => format!("rating of {first} in {second} after game {third}"),
    }
}

/// Returns the game that a row belongs to.
fn game((table, [first, _, third]): &(Checked, Key)) -> Option<GameId> {
    let number = match table {
        Checked::Player | Checked::Record => return None,
        Checked::Rating => third,
        Checked::Game
        | Checked::Reminder
        | Checked::Job
        | Checked::Outbox
        | Checked::DigestGame
        | Checked::Plan
        | Checked::Comment
        | Checked::AnalysisPly => first,
    };
    number.parse().ok().map(GameId)
}
