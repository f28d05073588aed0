//! Positions near the end, solved by the slow second rules.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::simulator::naive::{Move, Naive, Shape, Status};
use crate::simulator::replay::opponent;

/// The margin of a win against a player who is stuck (docs/solving.md).
const STUCK: i32 = 64;

/// Returns by how many discs a colour wins if both play well, in misère by how many fewer; `None` with more empty
/// cells than these.
pub fn margin(board: &Naive, color: char, most: usize) -> Option<i32> {
    is_small(board, most).then(|| solved(board, color))
}

/// Returns how many plies a game lasts if the winner hurries and the loser delays, and a tie if both delay; `None`
/// with more empty cells than these.
pub fn remoteness(board: &Naive, most: usize) -> Option<usize> {
    is_small(board, most).then(|| lasting(board).1)
}

fn is_small(board: &Naive, most: usize) -> bool {
    let Shape::Rectangle { rows, columns } = board.options.shape else { return false };
    let cells = usize::try_from(rows * columns).unwrap_or(usize::MAX);
    cells <= board.discs.len() + most
}

/// Returns the legal moves; none if the game is over.
pub fn moves(board: &Naive) -> BTreeSet<Move> {
    match board.status() {
        Status::Place(cells) => cells.into_iter().map(Some).collect(),
        Status::Pass => BTreeSet::from([None]),
        Status::Over(..) => BTreeSet::new(),
    }
}

/// Returns the positions after the legal moves, with the moves and the plies that were made; none if the game is over.
pub fn next(board: &Naive) -> impl Iterator<Item = (Move, Naive, usize)> {
    moves(board).into_iter().map(|mv| {
        let mut after = board.clone();
        let plies = after.play(mv).len();
        (mv, after, plies)
    })
}

/// Returns the margin for a colour at the end of a game.
fn at_end(board: &Naive, color: char) -> i32 {
    let Status::Over(winner, reason) = board.status() else { return 0 };
    let count = |color| i32::try_from(board.count(color)).unwrap_or_default();
    match (reason, winner) {
        ("stuck", Some(winner)) => {
            if winner == color {
                STUCK
            } else {
                -STUCK
            }
        }
        _ if board.options.misere => count(opponent(color)) - count(color),
        _ => count(color) - count(opponent(color)),
    }
}

fn solved(board: &Naive, color: char) -> i32 {
    let values = next(board).map(|(_, after, _)| solved(&after, color));
    let best = if board.turn == color { values.max() } else { values.min() };
    best.unwrap_or_else(|| at_end(board, color))
}

/// Returns who wins, from the player to move, and the remoteness.
fn lasting(board: &Naive) -> (i32, usize) {
    let values = next(board).map(|(_, after, plies)| {
        let (value, rest) = lasting(&after);
        let value = if after.turn == board.turn { value } else { -value };
        (value, rest + plies)
    });
    let values: Vec<_> = values.collect();
    let Some(best) = values.iter().map(|(value, _)| *value).max() else {
        return (at_end(board, board.turn).signum(), 0);
    };
    let plies = values.into_iter().filter(|(value, _)| *value == best).map(|(_, plies)| plies);
    let plies = if best > 0 { plies.map(Reverse).max().map(|it| it.0) } else { plies.max() };
    (best, plies.unwrap_or_default())
}
