//! What an analysis has found, in JSON and on the pages that replay a game: docs/analysis.md, docs/web.md.

use serde_json::{Value, json};

use super::game_json::shown_move;
use super::games::word;
use super::pages::game_on;
use super::rows::name_of;
use super::views::{Asked, HINT, number};
use super::violated;
use crate::simulator::Violation;
use crate::simulator::naive::Status;
use crate::simulator::pages::{self, Answer};
use crate::simulator::process::Ran;
use crate::simulator::replay::{Replayed, label};
use crate::simulator::tables::Tables;

/// What is left of the accuracy of a move for each disc that it cost.
const ACCURACY_PER_DISC: f64 = 0.9;

/// What an analysis has found about a move.
struct Found<'a> {
    by: char,
    best: &'a str,
    choices: i64,
    value: i64,
    best_value: i64,
    depth: i64,
    is_exact: bool,
    line: Vec<&'a str>,
}

impl Found<'_> {
    fn loss(&self) -> i64 {
        (self.best_value - self.value).max(0)
    }

    /// By how many discs Black can expect to win after the move.
    const fn expected(&self) -> i64 {
        if self.by == 'b' { self.value } else { -self.value }
    }
}

/// Returns the findings about the moves of a game; none if it was not analysed.
fn findings<'a>(tables: &'a Tables, it: &Replayed, game: i64) -> Vec<Found<'a>> {
    let names = ["ply", "best", "choices", "value", "best_value", "depth", "exact", "line"];
    let mut rows: Vec<_> = tables.columns_of("analysis_ply", game, names).collect();
    rows.sort_by_key(|[ply, ..]| number(*ply));
    let found = |[_, best, choices, value, best_value, depth, exact, line]: [Option<&'a str>;
                     8],
                 by| Found {
        by,
        best: best.unwrap_or_default(),
        choices: number(choices),
        value: number(value),
        best_value: number(best_value),
        depth: number(depth),
        is_exact: exact == Some("1"),
        line: line.unwrap_or_default().split_whitespace().collect(),
    };
    rows.into_iter().zip(&it.plies).map(|(row, ply)| found(row, ply.by)).collect()
}

/// Returns in percent how accurately a colour has played.
fn accuracy(all: &[Found], color: char) -> Value {
    let own = all.iter().filter(|it| it.by == color && it.choices > 1);
    let left = |it: &Found| ACCURACY_PER_DISC.powi(i32::try_from(it.loss()).unwrap_or(i32::MAX));
    let scores: Vec<_> = own.map(|it| 100.0 * left(it)).collect();
    match scores.len() {
        0 => Value::Null,
        count => ((scores.iter().sum::<f64>() / count as f64 * 10.0).round() / 10.0).into(),
    }
}

impl Asked<'_> {
    /// Returns what `analyze` prints of a game that was analysed already.
    pub(super) fn analysis(&self) -> Option<Value> {
        self.tables.columns_of("analysis", self.game, ["game"]).next()?;
        let it = self.replayed()?;
        let all = findings(self.tables, &it, self.game);
        let moves = all.iter().zip(&it.plies).enumerate().map(|(at, (found, ply))| {
            let mut shown = shown_move(at, ply, &it)?;
            shown.as_object_mut()?.remove("flipped");
            let Found { value, best_value, depth, .. } = found;
            for (key, value) in [("value", value), ("best_value", best_value), ("depth", depth)] {
                shown[key] = (*value).into();
            }
            shown["loss"] = found.loss().into();
            if !self.is_hex() {
                (shown["best"], shown["line"]) = (found.best.into(), json!(found.line));
            }
            shown["exact"] = found.is_exact.into();
            Some(shown)
        });
        let moves: Vec<_> = moves.collect::<Option<_>>()?;
        Some(json!({
            "game": self.game, "moves": moves,
            "accuracy": { "black": accuracy(&all, 'b'), "white": accuracy(&all, 'w') },
        }))
    }
}

/// A page that replays an analysed game says what the move that it shows has cost, who can expect to win after it,
/// and the same of each move in its list.
pub fn replays_have_the_findings(answer: &Answer, tables: &Tables) -> Result<(), Violation> {
    let page = &answer.body;
    let ply = pages::of_main(page, "data-ply").and_then(|ply| ply.parse::<usize>().ok());
    let (Some(ply), Some(game)) = (ply, game_on(page)) else { return Ok(()) };
    let Ok(it) = Replayed::of(tables, game, usize::MAX) else { return Ok(()) };
    let all = findings(tables, &it, game);
    match wrong(page, ply, &all, tables, game) {
        None => Ok(()),
        Some(wrong) => violated(
            "replays_have_the_findings",
            format!("move {ply} of game {game}, {} are analysed: {wrong}", all.len()),
        ),
    }
}

fn wrong(page: &str, ply: usize, all: &[Found], tables: &Tables, game: i64) -> Option<String> {
    let listed = pages::cells(page).into_iter();
    let listed = listed.filter(|row| row.len() >= 6 && row[0].class == "number");
    for row in listed {
        let at = row[0].text.parse::<usize>().ok()?.checked_sub(1)?;
        let expected = all.get(at).map(|it| {
            let loss = if it.loss() > 0 { it.loss().to_string() } else { String::new() };
            [format!("{:+}", it.expected()), loss]
        });
        let found = (row.len() >= 8).then(|| [row[6].text.clone(), row[7].text.clone()]);
        if found != expected {
            return Some(format!("move {} has {found:?}, not {expected:?}", at + 1));
        }
    }
    let texts = pages::texts(page);
    let found: Vec<_> = texts.iter().filter(|it| it.contains(" can expect ")).collect();
    let expected = sentence(ply, all, tables, game);
    if found != expected.iter().collect::<Vec<_>>() {
        return Some(format!("it says {found:?}, not {expected:?}"));
    }
    let bars = |color: &str| page.matches(&format!("<rect class=\"{color}\"")).count();
    let lost = |color| all.iter().filter(|it| it.by == color && it.loss() > 0).count();
    let (found, expected) = ([bars("black"), bars("white")], [lost('b'), lost('w')]);
    (found != expected).then(|| format!("{found:?} losses are drawn, not {expected:?}"))
}

/// Returns the sentence about the move that a page shows.
fn sentence(ply: usize, all: &[Found], tables: &Tables, game: i64) -> Option<String> {
    let (expected, cost) = match ply.checked_sub(1) {
        None => {
            let first = all.first()?;
            let value = if first.by == 'b' { first.best_value } else { -first.best_value };
            (value, String::new())
        }
        Some(at) => {
            let it = all.get(at)?;
            let cost = match it.loss() {
                0 => "nothing".to_owned(),
                1 => "1 disc".to_owned(),
                loss => format!("{loss} discs"),
            };
            (it.expected(), format!("Move {ply} cost {cost}. "))
        }
    };
    let columns = ["black", "white", "black_bot", "white_bot"];
    let row = tables.columns_of("game", game, columns).next()?;
    let (side, color) = if expected > 0 { (0, "black") } else { (1, "white") };
    let name = row[side].and_then(|id| name_of(tables, number(Some(id))));
    let name = name.or(row[side + 2])?;
    Some(match expected {
        0 => format!("{cost}The players can expect a draw."),
        _ => format!("{cost}{name} ({color}) can expect to win by {}.", expected.abs()),
    })
}

/// A hint ranks all legal moves, each with the line that begins with it, and names the player to move.
pub fn hints_rank_the_legal_moves(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    let shown = ran.shown();
    let then = asked.replayed().and_then(|it| it.at(asked.plies[0]));
    let (Some(then), Some(ranked), true) = (then, shown["moves"].as_array(), words == HINT) else {
        return Ok(());
    };
    let mut found: Vec<_> = ranked.iter().filter_map(|it| it["move"].as_str()).collect();
    let lines = ranked.iter().map(|it| it["line"][0].as_str());
    let is_right =
        lines.eq(found.iter().map(|it| Some(*it))) && shown["turn"] == word(then.board.turn);
    found.sort_unstable();
    let mut legal = match then.board.status() {
        Status::Place(cells) => cells.iter().filter_map(|it| label(*it, &then.board)).collect(),
        _ => vec!["pass".to_owned()],
    };
    legal.sort_unstable();
    match is_right && (asked.is_hex() || found == legal) {
        true => Ok(()),
        false => {
            let found = format!("{shown} of move {}, not {legal:?}", asked.plies[0]);
            violated("hints_rank_the_legal_moves", found)
        }
    }
}
