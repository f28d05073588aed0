use super::bits::Bits;
use super::geometry::Geometry;
use super::node::{DISC, Node};
use outflank_rules::{Goal, Lattice, Placement, Rules};

/// The values of the features of a position.
pub(super) struct Evaluation<B> {
    kind: Kind,
    /// The most discs that are placed in a game.
    discs: u32,
    corners: B,
    /// The cells next to a corner, by corner.
    beside: [(B, B); 4],
    can_get_stuck: bool,
    goal: i32,
}

/// The values of features at one end of the game, in parts of a disc.
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

const fn weights(
    [mobility, potential, corner, beside, stable, discs, parity, danger]: [i32; 8],
) -> Weights {
    Weights { mobility, potential, corner, beside, stable, discs, parity, danger }
}

/// What was found out about the games of some rules.
#[derive(Clone, Copy)]
struct Kind {
    /// At the start of a game and at its end: rounded from a regression of the final margin over games of the
    /// engine with itself on several sizes.
    weights: [Weights; 2],
    /// The standard deviation of the difference between searches of two plies more or less, and what each two
    /// plies more add to it, in parts of a disc: rounded from what the tool `prob-cut` prints.
    deviation: [i32; 2],
}

const MORE: Kind = Kind {
    weights: [weights([6, 2, 110, -50, 22, -4, 0, 0]), weights([14, 2, 0, -8, 8, 4, 4, 0])],
    deviation: [28, 14],
};
const FEWER: Kind = Kind {
    weights: [weights([0, 2, -30, 0, -20, 2, -10, 0]), weights([0, 4, -20, 12, -2, -5, -20, 0])],
    deviation: [14, 6],
};
const ANYWHERE: Kind = Kind {
    weights: [weights([1, 2, 34, -7, 6, 4, 28, 0]), weights([4, 3, 0, 10, 5, 4, 25, 0])],
    deviation: [6, 4],
};
const ANYWHERE_FEWER: Kind = Kind {
    weights: [weights([6, 2, 5, 5, -18, 2, -35, 0]), weights([-10, 1, 0, 3, -2, -5, -33, 0])],
    deviation: [6, 4],
};
const HEX: Kind = Kind {
    weights: [weights([-3, -4, 0, 0, 0, -5, 60, -110]), weights([0, -1, 0, 0, 0, 5, 60, -20])],
    deviation: [18, 4],
};
/// How many standard deviations a shallow search may be wrong by, as a fraction: 6/5.
const DEVIATIONS: [i32; 2] = [6, 5];

impl<B: Bits> Evaluation<B> {
    pub(super) fn new(rules: &Rules, geometry: &Geometry<B>) -> Self {
        let is_hex = rules.lattice == Lattice::Hex;
        let goal = if rules.goal == Goal::Fewer { -1 } else { 1 };
        let kind = match (is_hex, rules.placement, rules.goal) {
            (true, ..) => HEX,
            (_, Placement::Outflanking, Goal::More) => MORE,
            (_, Placement::Outflanking, Goal::Fewer) => FEWER,
            (_, Placement::Anywhere, Goal::More) => ANYWHERE,
            (_, Placement::Anywhere, Goal::Fewer) => ANYWHERE_FEWER,
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
        Self { kind, discs, corners, beside, can_get_stuck: is_hex, goal }
    }

    /// Estimates the value of a position where `left` discs can still be placed.
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
        let [first, last] = &self.kind.weights;
        let (all, left) = (self.discs.cast_signed(), left.cast_signed());
        let value = (value(first) * left + value(last) * (all - left)) / all.max(1);
        let limit = DISC * all;
        value.clamp(-limit, limit)
    }

    /// Returns by how much ProbCut allows a search to differ from one that is this many plies deeper.
    pub(super) fn margin_of_error(&self, plies: u32) -> i32 {
        let [first, more] = self.kind.deviation;
        let deviation = first + more * (plies.cast_signed() - 2) / 2;
        let [times, of] = DEVIATIONS;
        deviation * times / of
    }

    /// Returns the score of a move for move ordering, given the position after it.
    pub(super) fn move_score(&self, mv: u16, after: &Node<B>) -> i32 {
        let corner = if (B::bit(mv.into()) & self.corners).is_empty() { 0 } else { 6 * self.goal };
        corner - after.moves.count().cast_signed()
    }
}
