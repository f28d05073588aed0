//! The values of small boards, by exhaustive search.

use outflank_rules::{Overrides, Position};

use super::exhaustive::{Exhaustive, Value};
use super::{rules, size};

/// Returns the value of the start for Black, who is to move, and the number of reachable positions.
fn search(board: (usize, usize), misere: bool, anywhere: bool) -> (Value, usize) {
    let size = size(board.0, board.1);
    let overrides = Overrides { size, misere, anywhere, ..Overrides::default() };
    let mut search = Exhaustive::default();
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
