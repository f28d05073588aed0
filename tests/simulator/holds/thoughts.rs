//! What holds of hints and analyses (docs/analysis.md).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::games::word;
use super::rows::called;
use super::views::{ANALYZE, Asked, HINT};
use super::{Change, solver, violated};
use crate::simulator::Violation;
use crate::simulator::naive::Naive;
use crate::simulator::process::Ran;
use crate::simulator::replay::{Replayed, label, move_label, opponent, place};
use crate::simulator::tables::{Tables, number};

/// So many of the moves that cost most are named.
const MAX_NAMED: usize = 3;

/// With so few empty cells, values are solved here, too.
const SOLVED: usize = 5;

/// The least value of a position that counts as better for a player, if it is an estimate.
const LEAST: i32 = 3;

/// What is left of the accuracy of a move for each disc that it cost.
const ACCURACY_PER_DISC: f64 = 0.9;

/// A row of an analysis.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    /// The colour of the player of the move.
    pub by: char,
    best: &'a str,
    choices: usize,
    value: i32,
    best_value: i32,
    depth: i32,
    is_exact: bool,
    is_decided: bool,
    line: Vec<&'a str>,
}

impl<'a> Judged<'a> {
    /// Returns the rows of a game in the order of its moves; none if it was not analysed.
    pub fn all(tables: &'a Tables, it: &Replayed, game: i64) -> Vec<Self> {
        let columns =
            ["ply", "best", "choices", "value", "best_value", "depth", "exact", "decided", "line"];
        let mut rows: Vec<_> = tables.columns_of("analysis_ply", game, columns).collect();
        rows.sort_by_key(|[ply, ..]| number(*ply));
        let rows = rows.into_iter().zip(&it.plies);
        rows.filter_map(|(row, ply)| Self::of(row, ply.by)).collect()
    }

    fn of(row: [Option<&'a str>; 9], by: char) -> Option<Self> {
        let [_, best, choices, value, best_value, depth, exact, decided, line] = row;
        Some(Self {
            by,
            best: best?,
            choices: choices?.parse().ok()?,
            value: value?.parse().ok()?,
            best_value: best_value?.parse().ok()?,
            depth: depth?.parse().ok()?,
            is_exact: exact == Some("1"),
            is_decided: decided == Some("1"),
            line: line?.split_whitespace().collect(),
        })
    }

    /// Returns how many discs the move cost.
    pub const fn loss(&self) -> i32 {
        self.best_value - self.value
    }

    /// Returns by how many discs Black can expect to win, before the move if it is the best one, and after the move
    /// that was made.
    pub const fn scores(&self) -> [i32; 2] {
        let sign = if self.by == 'b' { 1 } else { -1 };
        [self.best_value * sign, self.value * sign]
    }

    const fn is_proved(&self) -> bool {
        self.is_exact || self.is_decided
    }

    /// Returns the expected result for the player of the move: 1 for a win, 0 for a draw, -1 for a loss.
    const fn expected(&self, value: i32) -> i32 {
        match self.is_proved() || value.abs() >= LEAST {
            true => value.signum(),
            false => 0,
        }
    }
}

/// An analysis has a row for each move, which says how many moves were legal and a move that is not worse than the
/// one that was made. The score changes only where something was lost, and what is proved near the end is right.
pub fn analyses_follow_from_their_games(change: &Change) -> Result<(), Violation> {
    for game in change.after.changed(change.before, "analysis_ply") {
        let count = change.after.columns_of("analysis_ply", game, ["ply"]).count();
        let replayed = Replayed::of(change.after, game, usize::MAX).ok();
        let Some(replayed) = replayed.filter(|_| count > 0) else { continue };
        let rows = Judged::all(change.after, &replayed, game);
        let wrong = match count == replayed.plies.len() && rows.len() == count {
            true => wrong_rows(&replayed, &rows),
            false => Some(format!("{count} rows for {} moves", replayed.plies.len())),
        };
        if let Some(wrong) = wrong {
            return violated("analyses_follow_from_their_games", format!("game {game}: {wrong}"));
        }
    }
    Ok(())
}

/// Returns what is wrong about the analysis of a game.
fn wrong_rows(it: &Replayed, rows: &[Judged]) -> Option<String> {
    let mut board = it.start.clone();
    for (number, (ply, row)) in it.plies.iter().zip(rows).enumerate() {
        let before = board.clone();
        match ply.auto {
            true => drop(board.auto_pass()),
            false => drop(board.play(ply.mv)),
        }
        if number < it.given {
            // Nobody chose it.
            if (row.choices, row.loss()) != (1, 0) {
                return Some(format!("{row:?} of a given move"));
            }
        } else if ply.auto {
            if (row.choices, row.best, row.loss()) != (1, "pass", 0) {
                return Some(format!("{row:?} of an automatic pass"));
            }
        } else if let Some(wrong) = wrong_row(&before, &board, row) {
            return Some(format!("{row:?} of {:?}: {wrong}", ply.mv));
        }
    }
    let scores: Vec<_> = rows.iter().map(Judged::scores).collect();
    let breaks = |pair: &[[i32; 2]]| pair[0][1] != pair[1][0];
    let number = scores.windows(2).position(breaks)? + 1;
    Some(format!("the score changes after move {number}: {scores:?}"))
}

/// Returns what is wrong about the judgement of a move between these positions.
fn wrong_row(before: &Naive, after: &Naive, row: &Judged) -> Option<String> {
    let legal = solver::moves(before);
    if row.choices != legal.len() || !legal.contains(&place(row.best)) {
        return Some(format!("legal are {legal:?}"));
    }
    if row.loss() < 0 || (legal.len() == 1 && row.loss() != 0) {
        return Some("the loss is wrong".to_owned());
    }
    let is_line = match row.loss() {
        0 => row.line.is_empty(),
        _ => row.line.first() == Some(&row.best) && is_playable(before, &row.line),
    };
    if !is_line {
        return Some("the line is wrong".to_owned());
    }
    if !row.is_proved() {
        return None;
    }
    // A shallow search can prove what a move is worth, and not that it is the best one.
    let mut best = before.clone();
    best.play(place(row.best));
    for (board, shown) in [(&best, row.best_value), (after, row.value)] {
        let right = solver::margin(board, row.by, SOLVED);
        let is_right = |right: i32| match row.is_exact {
            true => right == shown,
            false => right.signum() == shown.signum(),
        };
        if let Some(right) = right.filter(|it| !is_right(*it)) {
            return Some(format!("{shown} is not {right}"));
        }
    }
    None
}

/// Returns whether these moves can be made one after the other. A pass that is made for a player is in the line, too.
fn is_playable(board: &Naive, line: &[&str]) -> bool {
    let mut board = board.clone();
    let mut passes = 0;
    line.iter().all(|mv| {
        if *mv == "pass" && passes > 0 {
            passes -= 1;
            return true;
        }
        let mv = place(mv);
        passes == 0 && board.check(mv).is_some() && {
            let made = board.play(mv);
            passes = made.iter().filter(|made| made.auto).count();
            true
        }
    })
}

/// `analyze` shows the rows of a stored analysis, and what follows from them.
pub fn analyses_show_what_is_stored(
    asked: &Asked,
    words: &str,
    ran: &Ran,
) -> Result<(), Violation> {
    let Some(it) = asked.replayed().filter(|_| words == ANALYZE) else { return Ok(()) };
    let rows = Judged::all(asked.tables, &it, asked.game);
    let wrong = wrong_reply(&it, &rows, &ran.shown());
    match wrong.or_else(|| wrong_sentences(asked, &it, &rows, ran)) {
        Some(wrong) => {
            violated("analyses_show_what_is_stored", format!("game {}: {wrong}", asked.game))
        }
        None => Ok(()),
    }
}

fn wrong_reply(it: &Replayed, rows: &[Judged], shown: &Value) -> Option<String> {
    let moves: Vec<_> = shown["moves"].as_array().into_iter().flatten().collect();
    if moves.len() != rows.len() {
        return Some(format!("{} of {} moves are shown", moves.len(), rows.len()));
    }
    for (number, ((ply, row), shown)) in (1..).zip(it.plies.iter().zip(rows).zip(&moves)) {
        let mv = move_label(ply, &it.start)?;
        let expected = json!({
            "ply": number,
            "by": word(ply.by),
            "best": if row.loss() == 0 { &mv } else { row.best },
            "move": mv,
            "loss": row.loss(),
            "value": row.value,
            "best_value": row.best_value,
            "depth": row.depth,
            "exact": row.is_exact,
            "result": row.is_proved().then(|| result_of(row.value)),
            "line": row.line,
        });
        let mut shown = (*shown).clone();
        let reason = shown.as_object_mut().and_then(|it| it.remove("reason"));
        if shown != expected {
            return Some(format!("{shown} instead of {expected}"));
        }
        let reason = reason.as_ref().and_then(Value::as_str).unwrap_or_default();
        if !is_true(reason, it, number - 1, row) {
            return Some(format!("move {number} {reason}"));
        }
    }
    if shown["turned"].as_u64() != turned(rows) && rows.iter().all(Judged::is_proved) {
        return Some(format!("turned {}, not {:?}", shown["turned"], turned(rows)));
    }
    for color in ['b', 'w'] {
        let (expected, found) = (accuracy(rows, color), &shown["accuracy"][word(color)]);
        if expected != *found {
            return Some(format!("the accuracy of {color} is {expected}, not {found}"));
        }
    }
    None
}

/// Returns what is wrong about the sentences: where the game turned, from where on the values are proved, and the three
/// moves that cost most, with the one that turned the game.
fn wrong_sentences(asked: &Asked, it: &Replayed, rows: &[Judged], ran: &Ran) -> Option<String> {
    if rows.is_empty() || !ran.has_sentences() {
        return None;
    }
    let by = |at: usize| {
        let color = rows[at].by;
        let name = called(asked.tables, asked.game, color)?;
        Some(format!("{} by {name} ({})", move_label(&it.plies[at], &it.start)?, word(color)))
    };
    let turned =
        ran.shown()["turned"].as_u64().and_then(|it| usize::try_from(it).ok()?.checked_sub(1));
    let turn = match turned {
        Some(at) => format!("The game turned with {}. {}.", at + 1, by(at)?),
        None => "No single move turned the game.".to_owned(),
    };
    let proved = match rows.iter().rposition(|row| !row.is_exact) {
        None => "All values are proved.".to_owned(),
        Some(last) if last + 1 == rows.len() => "All values are estimates.".to_owned(),
        Some(last) => format!("From move {} on, the values are proved.", last + 2),
    };
    let begin = format!("{turn}\nAccuracy: ");
    if !ran.sentences.iter().any(|text| text.starts_with(&begin) && text.ends_with(&proved)) {
        return Some(format!("{begin:?} and {proved:?} are not in {:?}", ran.sentences));
    }
    let mut costly: Vec<_> = (0..rows.len()).filter(|at| rows[*at].loss() > 0).collect();
    costly.sort_by_key(|at| -rows[*at].loss());
    costly.truncate(MAX_NAMED);
    let other = turned.filter(|at| !costly.contains(at));
    costly.extend(other);
    let said: Vec<_> = ran.sentences.iter().filter(|it| it.contains("\nBetter was ")).collect();
    let is_said = |at: usize, said: &str| {
        let (row, number) = (&rows[at], at + 1);
        let about = if row.is_exact { "" } else { "about " };
        let discs = if row.loss() == 1 { "disc" } else { "discs" };
        let cost = format!("cost {about}{} {discs}.\nBetter was {number}.{}", row.loss(), row.best);
        let (reason, then) =
            said.strip_prefix(&format!("{number}. {} ", by(at)?))?.split_once(&cost)?;
        let is_right = (reason.is_empty() || reason.ends_with(" and "))
            && (then == "." || then.starts_with(", then "));
        is_right.then_some(())
    };
    let are_said = costly.len() == said.len()
        && costly.iter().zip(&said).all(|(at, said)| is_said(*at, said).is_some());
    (!are_said).then(|| format!("{said:?} of {costly:?} in {rows:?}"))
}

/// Returns in percent how accurately a colour has played.
fn accuracy(rows: &[Judged], color: char) -> Value {
    let own = rows.iter().filter(|row| row.by == color && row.choices > 1);
    let scores: Vec<_> = own.map(|row| 100.0 * ACCURACY_PER_DISC.powi(row.loss())).collect();
    match scores.len() {
        0 => Value::Null,
        count => ((scores.iter().sum::<f64>() / count as f64 * 10.0).round() / 10.0).into(),
    }
}

/// Returns whether a reason for a loss is true, as far as it names a corner.
fn is_true(reason: &str, it: &Replayed, plies: usize, row: &Judged) -> bool {
    if let Some(corner) = reason.strip_prefix("did not take the corner ") {
        return row.best == corner;
    }
    let Some(corner) = reason.strip_prefix("gave up the corner ").map(place) else { return true };
    let Some(before) = it.at(plies).map(|it| it.board) else { return true };
    let is_given = |mv| {
        let mut board = before.clone();
        board.play(mv);
        board.turn != before.turn && board.check(corner).is_some()
    };
    is_given(it.plies[plies].mv) && !is_given(place(row.best))
}

/// Returns the word for a value.
const fn result_of(value: i32) -> &'static str {
    match value {
        1.. => "win",
        0 => "tie",
        _ => "loss",
    }
}

/// Returns the number of the move at which a game turned: the last one that changed the expected result.
fn turned(rows: &[Judged]) -> Option<u64> {
    let turns = |row: &Judged| row.expected(row.best_value) != row.expected(row.value);
    let at = rows.iter().rposition(|row| row.loss() > 0 && turns(row))?;
    u64::try_from(at + 1).ok()
}

/// `hint` shows the legal moves, the best one first, each with a line that can be played. What is proved near the
/// end is right.
pub fn hints_fit_the_position(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    let ply = asked.plies[0];
    let then = asked.replayed().filter(|_| words == HINT).and_then(|it| it.at(ply));
    match then.and_then(|then| wrong_hint(&then.board, ply, &ran.shown())) {
        Some(wrong) => {
            let found = format!("game {}, move {ply}: {wrong}", asked.game);
            violated("hints_fit_the_position", found)
        }
        None => Ok(()),
    }
}

/// A hint that is mailed has the moves of the position at the time of the request, even if others were made since.
pub fn mailed_hints_are_for_their_position(change: &Change) -> Result<(), Violation> {
    for id in change.after.added("outbox", change.before) {
        let row = change.after.columns_of("outbox", id, ["kind", "text"]).next();
        let Some([Some("answer"), Some(text)]) = row else { continue };
        let Some(text) = text.strip_prefix("The hint that you asked for:") else { continue };
        if is_for_its_position(change.after, text) == Some(false) {
            return violated("mailed_hints_are_for_their_position", format!("{text:?}"));
        }
    }
    Ok(())
}

/// Returns whether a hint fits a position in which it can have been asked for; `None` if that is not known.
fn is_for_its_position(tables: &Tables, text: &str) -> Option<bool> {
    let head = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (game, rest) = head.strip_prefix("Game ")?.split_once(", move ")?;
    let (mv, rest) = rest.split_once(": the moves of ")?;
    let (name, _) = rest.split_once(" (")?;
    let (game, ply) = (game.parse().ok()?, mv.parse::<usize>().ok()?.checked_sub(1)?);
    // The rows of the table, each with its cells behind tabs.
    let (_, rows) = text.split_once("\nSquare\t")?;
    let rows = rows.lines().skip(1).map_while(|row| Some(row.split_once('\t')?.0));
    let listed: BTreeSet<_> = rows.map(place).collect();
    let events: Vec<_> = tables.columns_of("event", game, ["action"]).flatten().collect();
    let is_over = tables.columns_of("game", game, ["turn"]).next()? == [None];
    let asked = (1..).zip(&events).filter(|(_, action)| **action == Some("hint"));
    let asked = asked.map(|(number, _)| number).chain(is_over.then_some(events.len()));
    let positions = asked.filter_map(|event| Replayed::of(tables, game, event).ok()?.at(ply));
    let positions: Vec<_> = positions.collect();
    let fits = |it: &Replayed| {
        called(tables, game, it.board.turn) == Some(name) && solver::moves(&it.board) == listed
    };
    Some(positions.iter().any(fits))
}

fn wrong_hint(board: &Naive, ply: usize, shown: &Value) -> Option<String> {
    let legal = solver::moves(board);
    if legal.is_empty() {
        return None;
    }
    let moves: Vec<_> = shown["moves"].as_array()?.iter().collect();
    let label = |it: &Value| it["move"].as_str().unwrap_or_default().to_owned();
    let listed: BTreeSet<_> = moves.iter().map(|it| place(&label(it))).collect();
    if (shown["ply"].as_u64(), shown["turn"].as_str())
        != (u64::try_from(ply).ok(), Some(word(board.turn)))
        || moves.len() != legal.len()
        || listed != legal
    {
        return Some(format!("{shown} of {legal:?}"));
    }
    let values: Vec<_> = moves.iter().map(|it| it["value"].as_i64().unwrap_or_default()).collect();
    if !values.is_sorted_by(|better, worse| better >= worse) {
        return Some(format!("the order of {values:?}"));
    }
    for (mv, shown) in moves.iter().zip(values) {
        let line: Vec<_> = mv["line"].as_array()?.iter().filter_map(Value::as_str).collect();
        if line.first() != Some(&&*label(mv)) || !is_playable(board, &line) {
            return Some(format!("the line {line:?}"));
        }
        let mut after = board.clone();
        after.play(place(&label(mv)));
        let Some(right) = solver::margin(&after, board.turn, SOLVED) else { continue };
        let is_wrong = mv["result"].as_str().is_some_and(|it| it != result_of(right));
        if is_wrong || (mv["exact"] == true && shown != i64::from(right)) {
            return Some(format!("{mv} is worth {right}"));
        }
    }
    None
}

/// Returns the words that solve a position; `None` if it has too many empty cells to do it again here.
pub fn to_solve(board: &Naive) -> Option<Vec<String>> {
    solver::margin(board, board.turn, SOLVED)?;
    let options = &board.options;
    let flags = [(options.misere, "--misere"), (options.anywhere, "--anywhere")];
    let flags = flags.into_iter().filter_map(|(is_set, flag)| is_set.then_some(flag));
    let pass = if options.explicit_pass { "explicit" } else { "auto" };
    let words = ["solve", "--all", "--pass", pass].into_iter().chain(flags);
    let position = ["--position".to_owned(), board.position_string()];
    Some(words.map(str::to_owned).chain(position).collect())
}

/// `solve` finds what the slow second rules find.
pub fn solutions_are_right(board: &Naive, shown: &str) -> Result<(), Violation> {
    let Ok(shown) = serde_json::from_str::<Value>(shown) else { return Ok(()) };
    let of = |board: &Naive, after: Option<(&Naive, usize)>| {
        let (then, made) = after.unwrap_or((board, 0));
        let margin = solver::margin(then, board.turn, SOLVED)?;
        let winner = match margin {
            0 => None,
            1.. => Some(word(board.turn)),
            _ => Some(word(opponent(board.turn))),
        };
        let plies = solver::remoteness(then, SOLVED)? + made;
        let value = result_of(margin);
        Some(json!({ "value": value, "winner": winner, "margin": margin, "remoteness": plies }))
    };
    let is_wrong = |expected: &Value, shown: &Value| {
        let names = ["value", "winner", "margin", "remoteness"];
        names.into_iter().any(|name| expected[name] != shown[name])
    };
    let wrong = || {
        let expected = of(board, None)?;
        if is_wrong(&expected, &shown) {
            return Some(format!("{shown} instead of {expected}"));
        }
        let moves: Vec<_> = shown["moves"].as_array()?.iter().collect();
        let legal: Vec<_> = solver::next(board).collect();
        if moves.len() != legal.len() {
            return Some(format!("{shown}: {} moves are legal", legal.len()));
        }
        legal.into_iter().find_map(|(mv, after, made)| {
            let name = mv.map_or(Some("pass".to_owned()), |cell| label(cell, board))?;
            let expected = of(board, Some((&after, made)))?;
            match moves.iter().find(|it| it["move"] == name) {
                Some(shown) if !is_wrong(&expected, shown) => None,
                shown => Some(format!("{name}: {shown:?} instead of {expected}")),
            }
        })
    };
    match wrong() {
        Some(wrong) => {
            violated("solutions_are_right", format!("{}: {wrong}", board.position_string()))
        }
        None => Ok(()),
    }
}
