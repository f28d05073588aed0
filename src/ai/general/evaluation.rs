use super::bits::Bits;
use super::board::{DISC, Node};
use super::geometry::Geometry;
use crate::game::{Goal, Lattice, Placement, Rules};

/// What the features of a position are worth.
pub(super) struct Evaluation<B> {
    weights: [Weights; 2],
    /// The most discs that are placed in a game.
    discs: u32,
    corners: B,
    /// The cells next to a corner, by corner.
    beside: [(B, B); 4],
    can_get_stuck: bool,
    goal: i32,
}

/// What features are worth at one end of the game, in parts of a disc.
#[derive(Clone, Copy)]
struct Weights {
    mobility: i32,
    potential: i32,
    corner: i32,
    beside: i32,
    stable: i32,
    discs: i32,
    parity: i32,
    /// Divided by the number of moves and one.
    danger: i32,
}

const FIRST_MORE: Weights = Weights {
    mobility: 8,
    potential: 4,
    corner: 80,
    beside: -24,
    stable: 16,
    discs: -2,
    parity: 0,
    danger: 64,
};
const LAST_MORE: Weights = Weights { discs: 6, parity: 12, ..FIRST_MORE };
const FIRST_FEWER: Weights = Weights {
    mobility: 4,
    potential: 2,
    corner: -60,
    beside: 16,
    stable: -12,
    discs: 0,
    parity: 0,
    danger: 0,
};
const LAST_FEWER: Weights = Weights { discs: -6, ..FIRST_FEWER };
const FIRST_ANYWHERE: Weights = Weights {
    mobility: 2,
    potential: 0,
    corner: 40,
    beside: -8,
    stable: 12,
    discs: 2,
    parity: 0,
    danger: 0,
};
const LAST_ANYWHERE: Weights = Weights { discs: 6, ..FIRST_ANYWHERE };
const FIRST_HEX: Weights = Weights {
    mobility: 4,
    potential: -4,
    corner: 0,
    beside: 0,
    stable: 0,
    discs: -2,
    parity: 40,
    danger: -125,
};
const LAST_HEX: Weights = Weights { mobility: -1, potential: -1, discs: 6, ..FIRST_HEX };

impl<B: Bits> Evaluation<B> {
    pub(super) fn new(rules: &Rules, geometry: &Geometry<B>) -> Self {
        let is_hex = rules.lattice == Lattice::Hex;
        let goal = if rules.goal == Goal::Fewer { -1 } else { 1 };
        let weights = match (is_hex, rules.placement, rules.goal) {
            (true, ..) => [FIRST_HEX, LAST_HEX],
            (_, Placement::Outflanking, Goal::More) => [FIRST_MORE, LAST_MORE],
            (_, Placement::Outflanking, Goal::Fewer) => [FIRST_FEWER, LAST_FEWER],
            (_, Placement::Anywhere, _) => [FIRST_ANYWHERE, LAST_ANYWHERE],
        };
        let corners = geometry.corners();
        let mut beside = [(B::NONE, B::NONE); 4];
        for (slot, corner) in beside.iter_mut().zip(corners.cells()) {
            let corner = B::bit(corner.into());
            *slot = (corner, geometry.around(corner));
        }
        let discs = match rules.supply {
            Some(each) => 2 * each,
            None => geometry.all.count(),
        };
        Self { weights, discs, corners, beside, can_get_stuck: is_hex, goal }
    }

    /// Estimates the value of a position in which so many discs can still be placed.
    pub(super) fn value(&self, geometry: &Geometry<B>, node: &Node<B>, left: u32) -> i32 {
        let &Node { own, other, moves } = node;
        let empty = geometry.all & !(own | other);
        let difference = |a: B, b: B| a.count().cast_signed() - b.count().cast_signed();
        let replies = geometry.placements(other, own);
        let moves = if self.can_get_stuck { moves } else { geometry.placements(own, other) };
        let potential = difference(geometry.around(other) & empty, geometry.around(own) & empty);
        let corners = difference(own & self.corners, other & self.corners);
        let mut beside = 0;
        let mut stable = 0;
        if !self.corners.is_empty() {
            for (corner, cells) in self.beside {
                if !(corner & empty).is_empty() {
                    beside += difference(own & cells, other & cells);
                }
            }
            if (self.corners & empty) != self.corners {
                let safe = |side: B| geometry.connected(side & self.corners, side & geometry.edge);
                stable = difference(safe(own), safe(other));
            }
        }
        let danger = |moves: B| 64 / (1 + moves.count().cast_signed());
        let endangered = danger(moves) - danger(replies);
        let value = |weights: &Weights| {
            weights.mobility * difference(moves, replies)
                + weights.potential * potential
                + weights.corner * corners
                + weights.beside * beside
                + weights.stable * stable
                + weights.discs * difference(own, other)
                + weights.parity * if left % 2 == 1 { 1 } else { -1 }
                + weights.danger * endangered / 64
        };
        let [first, last] = &self.weights;
        let (all, left) = (self.discs.cast_signed(), left.cast_signed());
        let value = (value(first) * left + value(last) * (all - left)) / all.max(1);
        let limit = DISC * all;
        value.clamp(-limit, limit)
    }

    /// Returns how promising a move is, given the position after it.
    pub(super) fn promise(&self, mv: u16, after: &Node<B>) -> i32 {
        let corner = if (B::bit(mv.into()) & self.corners).is_empty() { 0 } else { 6 * self.goal };
        corner - after.moves.count().cast_signed()
    }
}
