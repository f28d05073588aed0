//! Players that do not search. They see the effect of a move at a glance, and err like beginners.

use super::hash::pick;
use outflank_rules::{Cell, Color, Goal, Lattice, Move, Outcome, Position, State};

/// How much of a move a player sees: also everything that the kinds above it see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Glance {
    /// How many discs it flips, and whether it ends the game.
    Flips,
    /// Whether it takes a corner; on the hex lattice, which has none, whether a reply wins the game.
    Corners,
    /// Whether it is beside an empty corner.
    Neighbours,
}

/// What a corner counts, in discs.
const CORNER: i32 = 12;
/// What a square beside an empty corner costs.
const NEIGHBOUR: i32 = 8;
/// More than any move counts that does not end the game.
const WIN: i32 = 10_000;
/// Moves that are worth this much less than the best one look as good.
const NEAR: i32 = 1;

impl Glance {
    /// Returns a legal move; `None` if the game is over. The seed decides among moves that look about
    /// as good.
    pub(crate) fn choose(self, position: &Position, seed: u64) -> Option<Move> {
        let moves = position.legal().into_iter();
        let moves: Vec<_> = moves.map(|mv| (mv, self.value(position, mv))).collect();
        pick(&moves, NEAR, seed).map(|(mv, _)| mv)
    }

    /// Returns the apparent value of a move in discs.
    fn value(self, position: &Position, mv: Move) -> i32 {
        let mut after = position.clone();
        let (Move::Place(cell), Ok(flipped)) = (mv, after.play(mv)) else { return 0 };
        match winner(&after) {
            Some(None) => return 0,
            Some(Some(winner)) if winner == position.turn() => return WIN,
            Some(Some(_)) => return -WIN,
            None => {}
        }
        let mut value = i32::try_from(flipped.len()).unwrap_or(i32::MAX);
        match corners(position) {
            Some(corners) => {
                if self >= Self::Corners && corners.contains(&cell) {
                    value += CORNER;
                }
                let is_empty = |corner: &Cell| position.disc(*corner).is_none();
                let mut near = corners.iter().filter(|&&corner| is_beside(cell, corner));
                if self >= Self::Neighbours && near.any(is_empty) {
                    value -= NEIGHBOUR;
                }
            }
            None if self >= Self::Corners && can_win_at_once(&after) => return 1 - WIN,
            None => {}
        }
        match position.rules().goal {
            Goal::More => value,
            Goal::Fewer => -value,
        }
    }
}

/// Returns the winner of a game that is over: no colour in a draw.
fn winner(position: &Position) -> Option<Option<Color>> {
    match position.state() {
        State::Over(Outcome { winner, .. }) => Some(winner),
        State::Placing | State::Passing => None,
    }
}

/// Returns whether the player to move has a move that wins the game.
fn can_win_at_once(position: &Position) -> bool {
    position.legal().into_iter().any(|mv| {
        let mut after = position.clone();
        after.play(mv).is_ok() && winner(&after) == Some(Some(position.turn()))
    })
}

/// Returns the corners of a rectangle; `None` on the hex lattice.
pub(super) fn corners(position: &Position) -> Option<[Cell; 4]> {
    let Lattice::Rectangle(size) = position.rules().lattice else { return None };
    let (right, bottom) = (i32::from(size.columns()) - 1, i32::from(size.rows()));
    let corners = [(0, 1), (right, 1), (0, bottom), (right, bottom)];
    Some(corners.map(|(column, row)| Cell::new(column, row)))
}

/// Returns whether two different cells of a rectangle touch.
pub(super) fn is_beside(cell: Cell, other: Cell) -> bool {
    (cell.column - other.column).abs().max((cell.row - other.row).abs()) == 1
}
