//! The replies of `solve`.

use std::cmp::Ordering;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::app::Reply;
use crate::app::views::hint::result_word;
use crate::app::views::json::{array, merged, unless_empty};
use crate::app::views::table::{Column, Table};
use outflank_engine::{Solution, SolvedMove, Value};
use outflank_model::render::words;
use outflank_model::words::counted;
use outflank_rules::{Color, Goal, Position, Reason, State, Stuck};

/// A position with its proved values.
pub(crate) struct Solved<'a> {
    pub(crate) position: &'a Position,
    pub(crate) solution: &'a Solution,
    /// Whether to list the values of all moves.
    pub(crate) all: bool,
}

fn winner(turn: Color, margin: i32) -> Option<Color> {
    match margin {
        0 => None,
        1.. => Some(turn),
        _ => Some(!turn),
    }
}

/// Returns a value for scripts: `win`, `loss` or `tie` for the player to move.
fn value_to_json(turn: Color, Value { margin, remoteness }: Value) -> Json {
    let value = json!({ "margin": margin, "remoteness": remoteness });
    merged([result_to_json(turn, margin.cmp(&0)), value])
}

/// Returns the result of the player to move for scripts.
fn result_to_json(turn: Color, result: Ordering) -> Json {
    let sign = result as i32;
    let winner = winner(turn, sign).map(|color| color.to_string());
    json!({ "value": result_word(sign), "winner": winner })
}

impl Solved<'_> {
    pub(crate) fn reply(&self) -> Reply {
        let &Self { position, solution, all } = self;
        let lattice = position.rules().lattice;
        let turn = position.turn();
        let listed = if all || !solution.complete { &solution.moves[..] } else { &[] };
        let moves = listed.iter().map(|&SolvedMove { mv, value }| {
            merged([json!({ "move": lattice.move_label(mv) }), value_to_json(turn, value)])
        });
        let json = merged([
            json!({
                "position": position.to_string(),
                "turn": turn.to_string(),
                // Whether everything is proved that was asked for.
                "complete": solution.complete,
            }),
            match (solution.value, solution.result) {
                (Some(value), _) => value_to_json(turn, value),
                (None, result) => result.map(|result| result_to_json(turn, result)).into(),
            },
            json!({
                // If nothing better is proved.
                "at_least": solution.at_least.filter(|_| solution.value.is_none()),
                "line": array(solution.line.iter().map(|&mv| lattice.move_label(mv))),
            }),
            unless_empty("moves", moves.collect()),
            json!({ "nodes": solution.nodes }),
        ]);
        let mut lines = Vec::new();
        if !solution.complete {
            lines.push("Stopped. This is proved so far:".to_owned());
        }
        if let Some(value) = solution.value {
            lines.extend(result(position, value));
        } else {
            let wins = solution.result.map(|result| winner_wins(position, result as i32));
            lines.extend(
                wins.map(|wins| {
                    format!("With best play, {wins}. By how many discs is not proved.")
                }),
            );
            lines.extend(solution.at_least.map(|margin| {
                format!("With the best solved move, {}.", described(position, margin))
            }));
            if solution.result.is_none() && solution.at_least.is_none() {
                lines.push("Nothing yet.".to_owned());
            }
        }
        if !solution.line.is_empty() {
            let line = words::list(lattice, solution.line.iter().copied());
            lines.push(format!("Best line by discs: {line}"));
        }
        Reply::new(&json).text(lines.join("\n")).table(self.table(listed), "")
    }

    fn table(&self, moves: &[SolvedMove]) -> Table {
        let lattice = self.position.rules().lattice;
        let shows_plies = moves.iter().any(|solved| solved.value.remoteness.is_some());
        let rows = moves.iter().map(|&SolvedMove { mv, value }| {
            let result = described(self.position, value.margin);
            let mut row = vec![lattice.move_label(mv).into(), result.into()];
            if shows_plies {
                row.push(value.remoteness.map_or(String::new(), |plies| plies.to_string()).into());
            }
            row
        });
        let mut columns = vec![Column::Text("Square"), Column::Text("Result")];
        if shows_plies {
            columns.push(Column::Number("Plies"));
        }
        Table { columns, rows: rows.collect() }
    }
}

/// Returns the result with best play, in lines.
fn result(position: &Position, Value { margin, remoteness }: Value) -> Vec<String> {
    if let State::Over(outcome) = position.state() {
        let stuck = outcome.reason == Reason::Stuck;
        let result =
            if stuck { winner_wins(position, margin) } else { described(position, margin) };
        return vec![format!("The game is over: {}.", result.replace("the game", "it"))];
    }
    let mut lines = vec![format!("With best play, {}.", described(position, margin))];
    if let Some(plies) = remoteness {
        let players = match winner(position.turn(), margin) {
            Some(winner) => format!("{winner} hurries and {} delays", !winner),
            None => "both players delay".to_owned(),
        };
        let unit = if plies == 1 { "ply" } else { "plies" };
        lines.push(format!("The game lasts {plies} {unit} if {players}."));
    }
    lines
}

fn winner_wins(position: &Position, margin: i32) -> String {
    winner(position.turn(), margin)
        .map_or("the game is a tie".to_owned(), |winner| format!("{winner} wins"))
}

/// Describes a margin for the player to move, without a full stop.
fn described(position: &Position, margin: i32) -> String {
    let rules = position.rules();
    let wins = winner_wins(position, margin);
    let discs = counted(margin.unsigned_abs(), "disc");
    match (margin, rules.stuck, rules.goal) {
        (0, ..) => wins,
        (-64 | 64, Stuck::Loses, _) => format!("{wins}, because the opponent gets stuck"),
        (.., Goal::More) => format!("{wins} by {discs}"),
        (.., Goal::Fewer) => format!("{wins} with {discs} fewer"),
    }
}

/// A database that was written.
pub(crate) struct Written<'a> {
    pub(crate) path: &'a Path,
    pub(crate) positions: u64,
    pub(crate) bytes: usize,
}

impl Written<'_> {
    pub(crate) fn reply(&self, start: &Position, value: Option<Value>) -> Reply {
        let &Self { path, positions, bytes } = self;
        let database = path.display().to_string();
        let json = merged([
            json!({ "database": database, "positions": positions, "bytes": bytes }),
            value.map(|value| value_to_json(start.turn(), value)).into(),
        ]);
        let written =
            format!("Wrote the values of {positions} positions to {database} ({bytes} bytes).");
        let read = format!("To read them: outflank solve --read {database}");
        let result = value.into_iter().flat_map(|value| result(start, value));
        let lines: Vec<_> = [written].into_iter().chain(result).chain([read]).collect();
        Reply::new(&json).text(lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::views::reply::{self, Block};
    use outflank_rules::{Overrides, Variant};

    #[test]
    fn a_stopped_solution_names_the_winner_before_the_margin_is_proved() {
        let rules = Variant::named("othello").unwrap().rules(&Overrides::default()).unwrap();
        let position = &Position::start(rules);
        let solution = &Solution { result: Some(Ordering::Less), ..Solution::default() };
        let answer = Solved { position, solution, all: false }.reply();
        let text = "Stopped. This is proved so far:\n\
            With best play, white wins. By how many discs is not proved.";
        assert_eq!(answer.shown().find_map(Block::text), Some(text));
        let reply::Json::Value(json) = &answer.json else { panic!("{:?}", answer.json) };
        let json: Json = json.parse().unwrap();
        assert_eq!((&json["value"], &json["winner"]), (&json!("loss"), &json!("white")));
        assert!(json["margin"].is_null() && json["at_least"].is_null(), "{json}");
    }
}
