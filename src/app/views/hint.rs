//! What the moves of a position are worth.

use serde::Serialize;

use crate::app::Reply;
use crate::app::views::game::names;
use crate::app::views::table::{Column, Table};
use crate::log::Game;
use crate::store::StoredGame;
use outflank_engine::Evaluated;

/// The most moves of a main line that are shown.
const MAX_LINE_MOVES: usize = 8;

#[derive(Serialize)]
struct HintJson {
    game: i64,
    ply: usize,
    turn: String,
    moves: Vec<MoveJson>,
}

#[derive(Serialize)]
struct MoveJson {
    #[serde(rename = "move")]
    mv: String,
    value: i32,
    depth: u32,
    exact: bool,
    line: Vec<String>,
}

/// Returns the moves with their values, the best first.
pub(crate) fn reply(stored: &StoredGame, at: &Game, ranked: &[Evaluated]) -> Reply {
    let lattice = at.start().rules().lattice;
    let turn = at.position().turn();
    let names = names(&stored.black, &stored.white);
    let line = |found: &Evaluated| -> Vec<String> {
        let shown = found.line.iter().take(MAX_LINE_MOVES);
        shown.map(|mv| lattice.move_label(*mv)).collect()
    };
    let json = HintJson {
        game: stored.id.0,
        ply: at.plies().len(),
        turn: turn.to_string(),
        moves: ranked
            .iter()
            .map(|found| MoveJson {
                mv: lattice.move_label(found.mv()),
                value: found.value,
                depth: found.depth,
                exact: found.exact,
                line: line(found),
            })
            .collect(),
    };
    let rows = ranked.iter().map(|found| {
        vec![
            lattice.move_label(found.mv()).into(),
            signed(found.value).into(),
            depth(found.depth, found.exact).into(),
            // As in a transcript, in which no part is a command by itself.
            line(found).concat().into(),
        ]
    });
    let columns = vec![
        Column::Text("Move"),
        Column::Number("Value"),
        Column::Number("Depth"),
        Column::Prose("Main line"),
    ];
    let head = format!(
        "Game {}, move {}: the moves of {}",
        stored.id,
        at.plies().len() + 1,
        names.with_color(turn)
    );
    let table = Table { columns, rows: rows.collect() };
    Reply::new(&json).text(head).table(table, "There is no legal move.")
}

/// Returns a number of discs with its sign.
pub(crate) fn signed(discs: i32) -> String {
    if discs == 0 { "0".to_owned() } else { format!("{discs:+}") }
}

/// Returns how deep a search looked.
pub(crate) fn depth(depth: u32, exact: bool) -> String {
    if exact { "exact".to_owned() } else { depth.to_string() }
}
