use super::bits::Bits;
use super::evaluation::Evaluation;
use super::geometry::Geometry;
use super::node::{DISC, Node, STUCK};
use crate::ending::{Scoring, Squares};
use crate::hash::mix;
use crate::search::{self, Turn};
use outflank_rules::{Frame, Goal, Lattice, Placement, Position, Rules, Stuck};

/// A board of any lattice and with any rules, as bits of a word.
pub(super) struct Board<B> {
    pub(super) geometry: Geometry<B>,
    rules: Rules,
    evaluation: Evaluation<B>,
    seed: u64,
    /// Where the cells lie on the 8×8 board, if the search of endings knows the rules.
    places: Option<Places>,
}

/// Where the cells of a rectangle lie in the middle of the 8×8 board.
struct Places {
    squares: Squares,
    scoring: Scoring,
    /// The bit of each cell.
    bits: Vec<u64>,
}

impl Places {
    /// Returns the places, if the search of endings knows the rules.
    fn new<B: Bits>(rules: &Rules, frame: Frame, geometry: &Geometry<B>) -> Option<Self> {
        let scoring = Scoring::of(rules)?;
        let Frame { rows, columns, .. } = frame;
        let first = (8 - columns) / 2 * 8 + (8 - rows) / 2;
        let bit = |cell: usize| 1 << (first + 8 * (cell % columns) + cell / columns);
        let bits = (0..rows * columns).map(bit).collect();
        let mut places = Self { squares: Squares::EIGHT, scoring, bits };
        places.squares = Squares {
            all: places.bitboard(geometry.all),
            corners: places.bitboard(geometry.corners()),
        };
        Some(places)
    }

    /// Returns a set of cells as bits of the 8×8 board.
    fn bitboard<B: Bits>(&self, cells: B) -> u64 {
        cells.cells().fold(0, |bits, cell| bits | self.bits[usize::from(cell)])
    }
}

impl<B: Bits> Board<B> {
    /// Returns the board for these rules. Of the hex lattice, it covers the frame. The frame must
    /// have at most `B::CAPACITY` cells.
    pub(super) fn new(rules: Rules, frame: Frame) -> Self {
        let geometry = Geometry::new(rules.lattice, frame);
        let evaluation = Evaluation::new(&rules, &geometry);
        let stuck = match rules.stuck {
            Stuck::AutoPass | Stuck::MustPass => 0,
            Stuck::Loses => 1,
        };
        let parts = [
            frame.rows as u64,
            frame.columns as u64,
            u64::from(rules.lattice == Lattice::Hex),
            u64::from(rules.placement == Placement::Anywhere),
            u64::from(rules.goal == Goal::Fewer),
            stuck,
            rules.supply.map_or(u64::MAX, u64::from),
        ];
        let seed = parts.into_iter().fold(0, mix);
        let places = Places::new(&rules, frame, &geometry);
        Self { geometry, rules, evaluation, seed, places }
    }

    /// Returns a position on the board.
    pub(super) fn node(&self, position: &Position) -> Node<B> {
        let (own, other) = self.geometry.discs(position);
        self.with_moves(own, other)
    }

    fn with_moves(&self, own: B, other: B) -> Node<B> {
        let moves = match self.rules.placement {
            Placement::Anywhere => self.geometry.all & !(own | other),
            Placement::Outflanking => self.geometry.placements(own, other),
        };
        let is_over = self.rules.supply.is_some() && self.left(own, other) == 0;
        Node { own, other, moves: if is_over { B::NONE } else { moves } }
    }

    fn left(&self, own: B, other: B) -> u32 {
        match self.rules.supply {
            Some(each) => (2 * each).saturating_sub((own | other).count()),
            None => (self.geometry.all & !(own | other)).count(),
        }
    }

    fn value_by_discs(&self, node: &Node<B>) -> i32 {
        let margin = node.own.count().cast_signed() - node.other.count().cast_signed();
        DISC * if self.rules.goal == Goal::Fewer { -margin } else { margin }
    }
}

impl<B: Bits> search::Board for Board<B> {
    type Node = Node<B>;
    const DISC: i32 = DISC;

    #[inline]
    fn turn(&self, node: &Node<B>) -> Turn {
        let &Node { own, other, moves } = node;
        if !moves.is_empty() {
            return Turn::Place;
        }
        if self.left(own, other) == 0 {
            return Turn::Over(self.value_by_discs(node));
        }
        match self.rules.stuck {
            Stuck::Loses => Turn::Over(-STUCK * DISC),
            _ if self.geometry.placements(other, own).is_empty() => {
                Turn::Over(self.value_by_discs(node))
            }
            Stuck::AutoPass | Stuck::MustPass => Turn::Pass,
        }
    }

    #[inline]
    fn moves(&self, node: &Node<B>) -> impl Iterator<Item = u16> {
        node.moves.cells()
    }

    #[inline]
    fn play(&self, node: &Node<B>, mv: u16) -> Node<B> {
        let placed = B::bit(mv.into());
        let flipped = self.geometry.flips(node.own, node.other, placed);
        self.with_moves(node.other ^ flipped, node.own | flipped | placed)
    }

    fn pass(&self, node: &Node<B>) -> Node<B> {
        self.with_moves(node.other, node.own)
    }

    #[inline]
    fn key(&self, node: &Node<B>) -> u64 {
        node.other.hash(node.own.hash(self.seed))
    }

    fn evaluate(&self, node: &Node<B>) -> i32 {
        let left = self.left(node.own, node.other);
        self.evaluation.value(&self.geometry, node, left)
    }

    fn discs_left(&self, node: &Node<B>) -> u32 {
        self.left(node.own, node.other)
    }

    fn move_score(&self, mv: u16, after: &Node<B>) -> i32 {
        self.evaluation.move_score(mv, after)
    }

    fn margin_of_error(&self, plies: u32) -> Option<i32> {
        Some(self.evaluation.margin_of_error(plies))
    }

    fn cost(&self) -> u64 {
        // Measured: a wider word takes longer, and its board has more and longer lines.
        let words = B::CAPACITY as u64 / 64;
        (words * words / 8).max(1)
    }

    fn squares(&self) -> Option<(Squares, Scoring)> {
        self.places.as_ref().map(|places| (places.squares, places.scoring))
    }

    fn bitboards(&self, node: &Node<B>) -> (u64, u64) {
        let bitboard = |cells| self.places.as_ref().map_or(0, |places| places.bitboard(cells));
        (bitboard(node.own), bitboard(node.other))
    }

    #[inline]
    fn is_complete(&self, node: &Node<B>) -> bool {
        self.rules.lattice != Lattice::Hex
            || ((node.own | node.other) & self.geometry.edge).is_empty()
            || self.discs_left(node) == 0
    }
}
