//! What the moves of a position are worth.

use serde_json::json;

use crate::app::views::game::names;
use crate::app::views::json::array;
use crate::app::views::reply::{Reply, Values};
use crate::app::views::table::{Column, Table};
use outflank_engine::{Evaluated, Proof};
use outflank_model::StoredGame;
use outflank_model::log::Game;
use outflank_rules::Move;

/// The most moves of a main line that are shown.
const MAX_LINE_MOVES: usize = 8;

/// Returns the moves with their values, the best first.
pub(crate) fn reply(stored: &StoredGame, at: &Game, ranked: &[Evaluated]) -> Reply {
    let lattice = at.lattice();
    let turn = at.position().turn();
    let names = names(stored);
    let line = |found: &Evaluated| -> Vec<String> {
        let shown = found.line.iter().take(MAX_LINE_MOVES);
        shown.map(|mv| lattice.move_label(*mv)).collect()
    };
    let moves = ranked.iter().map(|found| {
        json!({
            "move": lattice.move_label(found.mv()),
            "value": found.value,
            "depth": found.depth,
            "exact": found.is_exact(),
            "result": proved_result(found.proof, found.value),
            "line": line(found),
        })
    });
    let json = json!({
        "game": stored.id.0,
        "ply": at.plies().len(),
        "turn": turn.to_string(),
        "moves": array(moves),
    });
    let table = Table::of(
        ranked,
        &[
            (Column::Text("Square"), &|found| lattice.move_label(found.mv()).into()),
            (Column::Number("Value"), &|found| signed(found.value).into()),
            (Column::Number("Depth"), &|found| depth(found.depth, found.proof, found.value).into()),
            // As in a transcript, where no part is a command by itself.
            (Column::Prose("Main line"), &|found| line(found).concat().into()),
        ],
    );
    let head = format!(
        "Game {}, move {}: the moves of {}. Values are discs at the end.",
        stored.id,
        at.plies().len() + 1,
        names.with_color(turn)
    );
    let moves = ranked.iter().filter_map(|found| match found.mv() {
        Move::Place(cell) => Some((cell, found.value)),
        Move::Pass => None,
    });
    let values = Some(Values { game: stored.id, ply: at.plies().len(), moves: moves.collect() });
    let reply = Reply::new(&json).text(head).table(table, "There is no legal move.");
    Reply { values, ..reply }
}

/// Returns a number with its sign; 0 has none.
pub(crate) fn signed(number: i32) -> String {
    if number == 0 { "0".to_owned() } else { format!("{number:+}") }
}

/// Returns how deep a search looked for a value, or what it has proved about it.
pub(crate) fn depth(depth: u32, proof: Proof, value: i32) -> String {
    match proof {
        Proof::None => depth.to_string(),
        Proof::Winner => if value > 0 { "wins" } else { "loses" }.to_owned(),
        Proof::Score => "exact".to_owned(),
    }
}

/// Returns the proved result of a move with this value for scripts, or `None`.
pub(crate) fn proved_result(proof: Proof, value: i32) -> Option<&'static str> {
    (proof != Proof::None).then(|| result_word(value))
}

/// Returns the result of a margin for scripts.
pub(crate) const fn result_word(margin: i32) -> &'static str {
    match margin {
        1.. => "win",
        0 => "tie",
        _ => "loss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_of_a_value_gives_way_to_what_is_proved() {
        for (proof, value, shown, result) in [
            (Proof::None, 4, "20", None),
            (Proof::Winner, 4, "wins", Some("win")),
            (Proof::Winner, -4, "loses", Some("loss")),
            (Proof::Score, 0, "exact", Some("tie")),
        ] {
            assert_eq!(depth(20, proof, value), shown);
            assert_eq!(proved_result(proof, value), result);
        }
    }
}
