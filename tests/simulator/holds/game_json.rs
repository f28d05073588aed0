//! A game as JSON shows it, as far as that follows from its moves: docs/json.md.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::games::word;
use crate::simulator::naive::{Event, Place, Status};
use crate::simulator::replay::{Replayed, label, move_label};

/// Returns a list; null if it is empty.
pub fn or_null(list: Vec<Value>) -> Value {
    if list.is_empty() { Value::Null } else { list.into() }
}

/// Returns cells in the order of their labels; `None` if one is far away from the first ones.
fn labels(cells: &BTreeSet<Place>, it: &Replayed) -> Option<Vec<String>> {
    let labels: Option<BTreeSet<_>> = cells.iter().map(|cell| label(*cell, &it.board)).collect();
    Some(labels?.into_iter().collect())
}

/// Returns a move as lists show it; `None` if one of its cells is far away from the first ones.
pub fn shown_move(at: usize, ply: &Event, it: &Replayed) -> Option<Value> {
    Some(json!({
        "ply": at + 1, "by": word(ply.by), "move": move_label(ply, &it.board)?,
        "flipped": labels(&ply.flipped, it)?,
    }))
}

/// Returns how a game ended; null if it has not.
pub fn result(it: &Replayed) -> Value {
    it.result().map_or(Value::Null, |(winner, reason)| {
        json!({
            "winner": winner.map(word), "reason": reason, "black": it.discs('b'),
            "white": it.discs('w'),
        })
    })
}

/// Returns what `show` says of a board, its last move and the result.
pub fn stands(it: &Replayed) -> Option<Value> {
    let legal = match (it.turn(), it.status()) {
        (Some(_), Status::Place(cells)) => labels(cells, it)?,
        (Some(_), Status::Pass) => vec!["pass".to_owned()],
        _ => Vec::new(),
    };
    let last = match it.plies.len().checked_sub(1) {
        None => Value::Null,
        Some(at) => {
            let mut shown = shown_move(at, &it.plies[at], it)?;
            shown["auto"] = true_or_null(it.plies[at].auto);
            shown["given"] = true_or_null(at < it.given);
            shown
        }
    };
    let turn = it.turn().map(word);
    Some(json!({
        "ply": it.plies.len(), "turn": turn, "position": it.board.position_string(),
        "status": if turn.is_some() { "active" } else { "finished" }, "legal": legal,
        "black": { "discs": it.discs('b') }, "white": { "discs": it.discs('w') }, "last": last,
        "result": result(it),
    }))
}

/// Returns the value of a key that is left out if it is not true.
fn true_or_null(is_true: bool) -> Value {
    if is_true { true.into() } else { Value::Null }
}
