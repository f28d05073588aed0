//! The values of small boards, by exhaustive search.

use std::collections::HashMap;

use outflank::game::{Color, Goal, Move, Overrides, Position, State};

use crate::{rules, size};

/// The value of a position with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Value {
    /// Black's discs minus White's, or the reverse in misère: Black wins if positive.
    margin: i32,
    /// Plies to the end, passes included, if the winner hurries and the loser delays.
    remoteness: u32,
}

/// Searches every reachable position and remembers its value. Positions where the player can only
/// pass or the game is over count too.
#[derive(Default)]
struct Search {
    known: HashMap<String, Value>,
}

impl Search {
    fn value(&mut self, position: &Position) -> Value {
        let key = position.to_string();
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let value = match position.state() {
            State::Over(outcome) => {
                let margin = outcome.black.cast_signed() - outcome.white.cast_signed();
                let fewer = position.rules().goal == Goal::Fewer;
                Value { margin: if fewer { -margin } else { margin }, remoteness: 0 }
            }
            State::Passing => self.best(position, [Move::Pass]),
            State::Placing => self.best(position, position.placements().iter().map(Move::Place)),
        };
        self.known.insert(key, value);
        value
    }

    fn best(&mut self, position: &Position, moves: impl IntoIterator<Item = Move>) -> Value {
        let sign = if position.turn() == Color::Black { 1 } else { -1 };
        let values: Vec<_> = moves
            .into_iter()
            .map(|mv| {
                let mut next = position.clone();
                next.play(mv).expect("a legal move");
                self.value(&next)
            })
            .collect();
        let margin = sign * values.iter().map(|v| sign * v.margin).max().expect("a legal move");
        let same = values.iter().filter(|v| v.margin.signum() == margin.signum());
        let plies = same.map(|v| v.remoteness);
        let wins = sign * margin > 0;
        let plies = if wins { plies.min() } else { plies.max() };
        Value { margin, remoteness: plies.expect("a move that keeps the value") + 1 }
    }
}

/// Returns the value of the start, and the number of reachable positions.
fn search(board: (usize, usize), misere: bool, anywhere: bool) -> (Value, usize) {
    let size = size(board.0, board.1);
    let overrides = Overrides { size, misere, anywhere, ..Overrides::default() };
    let mut search = Search::default();
    let value = search.value(&Position::start(rules("othello", &overrides)));
    (value, search.known.len())
}

fn margin(board: (usize, usize), misere: bool, anywhere: bool) -> i32 {
    search(board, misere, anywhere).0.margin
}

#[test]
fn small_boards_have_their_known_values() {
    for (board, normal, misere) in [((3, 3), -9, 7), ((3, 4), 12, 2), ((4, 3), 12, 2)] {
        assert_eq!(margin(board, false, false), normal, "{board:?}");
        assert_eq!(margin(board, true, false), misere, "{board:?} misere");
    }
}

#[test]
fn black_loses_4x4_in_twelve_and_wins_its_misere_in_fourteen() {
    let lost = Value { margin: -8, remoteness: 12 };
    let won = Value { margin: 3, remoteness: 14 };
    assert_eq!(search((4, 4), false, false), (lost, 62_789));
    assert_eq!(search((4, 4), true, false), (won, 62_789));
}

#[test]
fn small_boards_with_anywhere_have_their_known_values() {
    for (board, normal, misere) in [((3, 3), -1, -3), ((3, 4), 2, 0)] {
        assert_eq!(margin(board, false, true), normal, "{board:?}");
        assert_eq!(margin(board, true, true), misere, "{board:?} misere");
    }
}

#[test]
#[ignore = "millions of positions: run with --release"]
fn a_4x4_board_with_anywhere_is_a_draw() {
    assert_eq!(margin((4, 4), false, true), 0);
    assert_eq!(margin((4, 4), true, true), 0);
}

#[test]
fn small_boards_have_their_known_number_of_positions() {
    for (board, positions) in [((3, 3), 47), ((3, 4), 382)] {
        assert_eq!(search(board, false, false).1, positions, "{board:?}");
    }
}
