//! What the moves of a position are worth.

use serde_json::json;

use crate::app::views::game::names;
use crate::app::views::json::array;
use crate::app::views::reply::{Reply, Values};
use crate::app::views::table::{Column, Table};
use outflank_engine::Evaluated;
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
            "exact": found.exact,
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
            (Column::Number("Depth"), &|found| depth(found.depth, found.exact).into()),
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

/// Returns how deep a search looked.
pub(crate) fn depth(depth: u32, exact: bool) -> String {
    if exact { "exact".to_owned() } else { depth.to_string() }
}
