use super::features::Inputs;
use super::pattern::Indices;
use outflank_rules::kernel::Kernel;

/// A position of the search, from the view of the player to move.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) own: u64,
    pub(super) other: u64,
    /// The numbers of the patterns from the view of the player to move at the root.
    indices: Indices,
    /// Whether the player to move is not the one at the root.
    swapped: bool,
}

impl Node {
    /// Returns the root of a search.
    pub(super) fn new(own: u64, other: u64) -> Self {
        Self { own, other, indices: Indices::new(own, other), swapped: false }
    }

    /// Returns the number of empty squares.
    #[inline(always)]
    pub(super) fn empties(&self) -> u32 {
        (!(self.own | self.other)).count_ones()
    }

    /// Returns what the evaluation looks at, given where the player to move may place a disc.
    #[inline(always)]
    pub(super) fn inputs<K: Kernel>(&self, moves: u64) -> Inputs {
        Inputs {
            indices: if self.swapped { self.indices.swapped() } else { self.indices },
            empty: !(self.own | self.other),
            moves,
            replies: K::placements(self.other, self.own),
        }
    }

    /// Returns the position after a move that flips these discs.
    #[inline(always)]
    pub(super) fn after(&self, square: usize, flipped: u64) -> Self {
        let indices = if self.swapped {
            self.indices.after_other(square, flipped)
        } else {
            self.indices.after_own(square, flipped)
        };
        Self {
            own: self.other ^ flipped,
            other: self.own ^ flipped ^ (1 << square),
            indices,
            swapped: !self.swapped,
        }
    }

    /// Returns the position after a pass.
    #[inline(always)]
    pub(super) fn passed(&self) -> Self {
        Self { own: self.other, other: self.own, swapped: !self.swapped, ..*self }
    }
}
