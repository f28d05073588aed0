//! What the moves of a finished game cost.

use serde_json::{Value, json};

use crate::app::Reply;
use crate::app::views::costly;
use crate::app::views::game::names;
use crate::app::views::hint::{depth, proved_result, signed};
use crate::app::views::json::array;
use crate::app::views::table::{Column, Entry, Table};
use outflank_engine::{self as engine, Judgement};
use outflank_model::StoredGame;
use outflank_model::log::{Game, Ply};
use outflank_model::render::words::{self, Names};
use outflank_rules::{Color, Lattice};

/// Returns an analysis as a table, a plot and sentences. The sentences come first in a mail, and last
/// on a terminal, which shows the end.
pub(crate) fn reply(stored: &StoredGame, judged: &[Judgement], is_terminal: bool) -> Reply {
    let lattice = stored.game.lattice();
    let names = names(stored);
    let turned = engine::turning_point(judged);
    let accuracy = |player| engine::accuracy(judged, player);
    let rounded = |percent: f64| (percent * 10.0).round() / 10.0;
    let json = json!({
        "game": stored.id.0,
        "moves": array((0..judged.len()).map(|index| move_to_json(stored, judged, index))),
        "turned": turned.map(|index| index + 1),
        "accuracy": {
            "black": accuracy(Color::Black).map(rounded),
            "white": accuracy(Color::White).map(rounded),
        },
    });
    let costly = |it: &Judgement| Some(it.loss()).filter(|loss| *loss != 0);
    let table = Table::of(
        (1..).zip(judged.iter().zip(stored.game.plies())),
        &[
            (Column::Number("#"), &|(number, _): &(usize, (&Judgement, &Ply))| number.into()),
            (Column::Prose("By"), &|(_, (it, _))| names.with_color(it.by).into()),
            (Column::Text("Played"), &|(_, (it, ply))| {
                let given = if ply.given { words::remark(ply) } else { "" };
                format!("{}{given}", lattice.move_label(it.mv)).into()
            }),
            // Beside a number, no move of the table can be taken for a command in a mail.
            (Column::Number("Score"), &|(_, (it, _))| signed(it.expected()).into()),
            (Column::Number("Loss"), &|(_, (it, _))| Entry::of(costly(it))),
            (Column::Text("Better"), &|(_, (it, _))| {
                Entry::of(costly(it).map(|_| lattice.move_label(it.best)))
            }),
            (Column::Number("Depth"), &|(_, (it, _))| depth(it.depth, it.proof, it.value).into()),
        ],
    );
    let (reply, empty) =
        (Reply::new(&json), format!("Game {} has no moves to analyze.", stored.id));
    if judged.is_empty() {
        return reply.text(empty);
    }
    let sentences = sentences(lattice, names, judged, turned);
    let (first, last) = if is_terminal { (None, Some(sentences)) } else { (Some(sentences), None) };
    let reply = first.into_iter().fold(reply, Reply::text).table(table, &empty);
    // The score before the first move, then after each.
    let first = &judged[0];
    let start = if first.by == Color::Black { first.best_value } else { -first.best_value };
    let series: Vec<_> =
        [start].into_iter().chain(judged.iter().map(Judgement::expected)).collect();
    let reply = reply
        .text(format!("By how many discs {} can expect to win:", names.with_color(Color::Black)))
        .plot(series);
    let reply = last.into_iter().fold(reply, Reply::text);
    let costliest = costly::costliest(&stored.game, names, judged, turned);
    let heading = (!costliest.is_empty()).then(|| "The moves that cost most:".to_owned());
    let reply = heading.into_iter().chain(costliest).fold(reply, Reply::text);
    let before = turned.and_then(|index| stored.game.at(index));
    before.iter().fold(reply, |reply, before| draw(reply, names, before))
}

/// Adds the board before the move that turned the game.
fn draw(reply: Reply, names: Names, before: &Game) -> Reply {
    let position = before.position();
    let number = before.plies().len() + 1;
    reply
        .text(format!("Before move {number}, {} to move:", names.with_color(position.turn())))
        .board(before, &position.legal())
}

/// Returns where the game turned and how accurately both played.
fn sentences(
    lattice: Lattice,
    names: Names,
    judged: &[Judgement],
    turned: Option<usize>,
) -> String {
    let turn = match turned {
        None => "No single move turned the game.".to_owned(),
        Some(index) => {
            let Judgement { mv, by, .. } = judged[index];
            let mv = lattice.move_label(mv);
            format!("The game turned with {}. {mv} by {}.", index + 1, names.with_color(by))
        }
    };
    let accuracy = Color::BOTH.map(|color| match engine::accuracy(judged, color) {
        Some(percent) => format!("{} {percent:.1} %", names.with_color(color)),
        None => format!("{} had no choice", names.with_color(color)),
    });
    let first_exact = judged.iter().rposition(|it| !it.is_exact()).map_or(0, |last| last + 1);
    let exact = match first_exact {
        0 => "All values are proved.".to_owned(),
        first if first == judged.len() => "All values are estimates.".to_owned(),
        first => format!("From move {} on, the values are proved.", first + 1),
    };
    format!("{turn}\nAccuracy: {}.\n{exact}", accuracy.join(", "))
}

fn move_to_json(stored: &StoredGame, judged: &[Judgement], index: usize) -> Value {
    let lattice = stored.game.lattice();
    let it = &judged[index];
    json!({
        "ply": index + 1,
        "by": it.by.to_string(),
        "move": lattice.move_label(it.mv),
        "best": lattice.move_label(it.best),
        "loss": it.loss(),
        "value": it.value,
        "best_value": it.best_value,
        "depth": it.depth,
        "exact": it.is_exact(),
        "result": proved_result(it.proof, it.value),
        "line": array(it.line.iter().map(|&mv| lattice.move_label(mv))),
        "reason": costly::reason(&stored.game, judged, index),
    })
}
