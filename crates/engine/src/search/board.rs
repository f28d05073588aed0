use crate::ending::{Scoring, Squares};

/// How a position goes on: the player to move must place a disc or pass, or the game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Places a disc.
    Place,
    /// Passes.
    Pass,
    /// The game is over. The value for the player who would be to move.
    Over(i32),
}

/// Greater than any value of a board.
pub(crate) const INFINITY: i32 = 30_000;

/// A game that can be searched: its rules and the evaluation of its positions, which it calls nodes.
/// All values are for the player to move, and in fractions of a disc.
pub(crate) trait Board: Sync {
    /// A position.
    type Node: Clone + Send + Sync;
    /// The value of a disc. All values are below [`INFINITY`].
    const DISC: i32;

    /// Returns how the game goes on at a node.
    fn turn(&self, node: &Self::Node) -> Turn;

    /// Iterates over the legal placements, if the turn is [`Turn::Place`].
    fn moves(&self, node: &Self::Node) -> impl Iterator<Item = u16>;

    /// Returns the position after a legal placement.
    fn play(&self, node: &Self::Node, mv: u16) -> Self::Node;

    /// Returns the position after a pass.
    fn pass(&self, node: &Self::Node) -> Self::Node;

    /// Returns a hash of the position. It depends on the rules too, so that games share a table.
    fn key(&self, node: &Self::Node) -> u64;

    /// Estimates the value, if the turn is [`Turn::Place`].
    fn evaluate(&self, node: &Self::Node) -> i32;

    /// Returns how many more discs can be placed at most.
    fn discs_left(&self, node: &Self::Node) -> u32;

    /// Returns the score of a move for move ordering, given the position after it: the greatest is
    /// searched first.
    fn move_score(&self, mv: u16, after: &Self::Node) -> i32;

    /// Returns by how much [ProbCut](super::prob_cut) allows a search to differ from one that is this many
    /// plies deeper; `None` if the board has no ProbCut.
    fn margin_of_error(&self, _plies: u32) -> Option<i32> {
        None
    }

    /// Returns the cost of a node, counted against the limit of nodes.
    fn cost(&self) -> u64 {
        1
    }

    /// Returns the squares and the scoring of the board, if the special search of [endings](crate::ending)
    /// knows its rules.
    fn squares(&self) -> Option<(Squares, Scoring)> {
        None
    }

    /// Returns the discs of the player to move and those of the opponent on [`Board::squares`].
    fn bitboards(&self, _node: &Self::Node) -> (u64, u64) {
        (0, 0)
    }

    /// Returns a value above `alpha` that is a lower bound, or one that is an upper bound, if the
    /// margin of the game shows one. `margin` answers the same question for the margin and a number
    /// of discs.
    fn by_margin(&self, alpha: i32, margin: impl FnOnce(i32) -> i32) -> Option<i32> {
        Some(Self::DISC * margin(alpha.div_euclid(Self::DISC)))
    }

    /// Returns whether the node knows all its moves. Otherwise nothing is proved about it.
    fn is_complete(&self, _node: &Self::Node) -> bool {
        true
    }
}
