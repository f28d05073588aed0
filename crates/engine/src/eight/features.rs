use super::pattern::{COUNT, Indices, KIND_COUNT, KIND_OF, weight_numbers};
use outflank_rules::kernel::{Kernel, Portable};

/// The most moves that a player of the evaluation has; more count as these.
pub(super) const MOBILITY: usize = 32;

/// The features of the evaluation. Each has a weight, and the value of a position is the sum of the weights
/// of its features.
pub struct Features {
    /// For each kind of pattern, the place of the weight of each number.
    pub(super) of_patterns: Vec<Vec<u32>>,
    /// The first place after the patterns: own moves, then the other player's, then parity.
    pub(super) of_mobility: usize,
    /// The number of weights of a stage.
    pub(super) per_stage: usize,
}

impl Features {
    /// How many features a position has.
    pub const PER_POSITION: usize = COUNT + 3;

    /// Returns all features with their places in a file of [weights](super::Weights).
    pub fn all() -> Self {
        let mut first = 0;
        let of_patterns = (0..KIND_COUNT)
            .map(|kind| {
                let (mut numbers, count) = weight_numbers(kind);
                numbers.iter_mut().for_each(|number| *number += first);
                first += count;
                numbers
            })
            .collect();
        let of_mobility = first as usize;
        Self { of_patterns, of_mobility, per_stage: of_mobility + 2 * MOBILITY + 2 }
    }

    /// Returns the number of features, and so of the weights of a stage.
    pub const fn count(&self) -> usize {
        self.per_stage
    }

    /// Returns the features of a position, as places of their weights among those of a stage. `own`
    /// are the discs of the player to move, bit `8 · column + row` from 0.
    pub fn of(&self, own: u64, other: u64) -> [u32; Self::PER_POSITION] {
        let indices = Indices::new(own, other);
        let numbers = KIND_OF.into_iter().zip(indices.numbers());
        let patterns = numbers.map(|(kind, &number)| self.of_patterns[kind][usize::from(number)]);
        let moves = |own, other| Portable::placements(own, other).count_ones() as usize;
        let [moves, replies] =
            [moves(own, other), moves(other, own)].map(|moves| moves.min(MOBILITY - 1));
        let is_odd = (own | other).count_zeros() as usize & 1;
        let rest = [moves, MOBILITY + replies, 2 * MOBILITY + is_odd];
        let rest = rest.map(|place| u32::try_from(self.of_mobility + place).unwrap_or(0));
        let mut features = [0; Self::PER_POSITION];
        features.iter_mut().zip(patterns.chain(rest)).for_each(|(feature, place)| *feature = place);
        features
    }
}
