use crate::ending::{Scoring, Squares};
use crate::hash::mix;
use crate::search::{Board, Turn};

/// The value of a game that is won at once. Each ply before its end costs 1.
const WON: i32 = 10_000;

/// Returns the score of a win in this number of plies; a loss has the negative of it.
pub(crate) const fn score(plies: u32) -> i32 {
    WON - plies.cast_signed()
}

/// A board on which only winning and losing count, and how many plies it takes.
pub(super) struct Remoteness<'a, B>(pub(super) &'a B);

/// A position with the number of plies from the root.
#[derive(Clone)]
pub(super) struct Node<N> {
    inner: N,
    plies: u32,
}

impl<B: Board> Remoteness<'_, B> {
    /// Returns the root.
    pub(super) fn node(node: &B::Node) -> Node<B::Node> {
        Node { inner: node.clone(), plies: 0 }
    }
}

impl<B: Board> Board for Remoteness<'_, B> {
    type Node = Node<B::Node>;
    const DISC: i32 = 1;

    fn turn(&self, node: &Self::Node) -> Turn {
        match self.0.turn(&node.inner) {
            Turn::Over(value) => Turn::Over(value.signum() * score(node.plies)),
            turn => turn,
        }
    }

    fn moves(&self, node: &Self::Node) -> impl Iterator<Item = u16> {
        self.0.moves(&node.inner)
    }

    fn play(&self, node: &Self::Node, mv: u16) -> Self::Node {
        Node { inner: self.0.play(&node.inner, mv), plies: node.plies + 1 }
    }

    fn pass(&self, node: &Self::Node) -> Self::Node {
        Node { inner: self.0.pass(&node.inner), plies: node.plies + 1 }
    }

    fn key(&self, node: &Self::Node) -> u64 {
        // Positions at different plies have different scores. Their number differs by passes only.
        mix(self.0.key(&node.inner), u64::from(node.plies))
    }

    fn evaluate(&self, node: &Self::Node) -> i32 {
        self.0.evaluate(&node.inner).clamp(-WON / 2, WON / 2)
    }

    fn discs_left(&self, node: &Self::Node) -> u32 {
        self.0.discs_left(&node.inner)
    }

    fn move_score(&self, mv: u16, after: &Self::Node) -> i32 {
        self.0.move_score(mv, &after.inner)
    }

    fn cost(&self) -> u64 {
        self.0.cost()
    }

    fn squares(&self) -> Option<(Squares, Scoring)> {
        self.0.squares()
    }

    fn bitboards(&self, node: &Self::Node) -> (u64, u64) {
        self.0.bitboards(&node.inner)
    }

    fn by_margin(&self, alpha: i32, margin: impl FnOnce(i32) -> i32) -> Option<i32> {
        // Any win or tie is worth more than a loss, and any loss or tie less than a win, whatever the
        // plies.
        if alpha < 0 { (margin(-1) >= 0).then_some(0) } else { (margin(0) <= 0).then_some(0) }
    }

    fn is_complete(&self, node: &Self::Node) -> bool {
        self.0.is_complete(&node.inner)
    }
}
