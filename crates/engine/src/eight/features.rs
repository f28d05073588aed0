use super::pattern::{COUNT, Indices, KIND_COUNT, KIND_OF, weight_numbers};
use super::stage::stage_of;
use crate::ending::QUARTERS;
use outflank_rules::kernel::{Kernel, Portable};

/// The most moves that a player of the evaluation has; more count as these.
const MOBILITY: usize = 32;
/// How many counts a position has.
const COUNTS: usize = 3;
/// The number of places of the counts: own moves, the other player's moves, and parity.
pub(super) const COUNT_PLACES: usize = 2 * MOBILITY + 2;
/// The lines that the network sees by themselves: the edges of the board, and the lines beside them.
const LINES: usize = 8;
/// Lines that are images of each other share their places: all edges, and all lines beside an edge.
const LINE_CLASSES: usize = 2;
/// The sets of squares of a line.
const LINE_SETS: usize = 1 << 8;
/// The number of the first set of quarters among all regions.
const QUARTERS_FIRST: usize = 2 * LINE_CLASSES * LINE_SETS;
/// The number of all regions, as [`Inputs::regions`] numbers them.
pub(super) const REGIONS_ALL: usize = QUARTERS_FIRST + (1 << QUARTERS.len());
/// How many regions a position has: for both players the squares of each line where a disc may be placed, and the
/// quarters with an odd number of empty squares.
const REGIONS: usize = 2 * LINES + 1;

/// What the evaluation looks at in a position.
pub(super) struct Inputs {
    /// The numbers of the patterns from the view of the player to move.
    pub(super) indices: Indices,
    pub(super) empty: u64,
    /// Where the player to move may place a disc.
    pub(super) moves: u64,
    /// Where the other player may.
    pub(super) replies: u64,
}

impl Inputs {
    pub(super) fn new(own: u64, other: u64) -> Self {
        Self {
            indices: Indices::new(own, other),
            empty: !(own | other),
            moves: Portable::placements(own, other),
            replies: Portable::placements(other, own),
        }
    }

    /// Returns the stage of the game.
    #[inline(always)]
    pub(super) fn stage(&self) -> usize {
        stage_of(64 - self.empty.count_ones())
    }

    /// Returns the places of the counts, below [`COUNT_PLACES`].
    #[inline(always)]
    pub(super) fn counts(&self) -> [usize; COUNTS] {
        let mobility = |moves: u64| (moves.count_ones() as usize).min(MOBILITY - 1);
        let is_odd = self.empty.count_ones() as usize & 1;
        [mobility(self.moves), MOBILITY + mobility(self.replies), 2 * MOBILITY + is_odd]
    }

    /// Returns the numbers of the regions, below [`REGIONS_ALL`].
    #[inline(always)]
    pub(super) fn regions(&self) -> [usize; REGIONS] {
        let mut places = [0; REGIONS];
        for (player, moves) in [self.moves, self.replies].into_iter().enumerate() {
            for (direction, moves) in [moves, transposed(moves)].into_iter().enumerate() {
                let lines = moves.to_le_bytes();
                for (number, line) in [0, 7, 1, 6].into_iter().enumerate() {
                    let class = LINE_CLASSES * player + number / 2;
                    places[LINES * player + 4 * direction + number] =
                        class * LINE_SETS + usize::from(lines[line]);
                }
            }
        }
        let mut odd = QUARTERS_FIRST;
        for (number, quarter) in QUARTERS.into_iter().enumerate() {
            odd += ((self.empty & quarter).count_ones() as usize & 1) << number;
        }
        places[REGIONS - 1] = odd;
        places
    }
}

/// Returns the number of the first region that a symmetry of the board takes this one to.
fn canonical(region: usize) -> usize {
    let set = region % LINE_SETS;
    if region < QUARTERS_FIRST {
        return region - set + set.min(usize::from((set as u8).reverse_bits()));
    }
    let like = match (set.count_ones(), set) {
        (2, 0b0110 | 0b1001) => 0b0110,
        (odd, _) => (1 << odd) - 1,
    };
    QUARTERS_FIRST + like
}

/// Returns a set of squares with columns and rows exchanged.
#[inline(always)]
fn transposed(mut squares: u64) -> u64 {
    // In blocks of 2×2 squares, then of 4×4 and of 8×8, two quarters that are opposite each other are exchanged.
    let steps =
        [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)];
    for (mask, distance) in steps {
        let exchanged = (squares ^ squares >> distance) & mask;
        squares ^= exchanged | exchanged << distance;
    }
    squares
}

/// The features of the evaluation: patterns with their numbers, counts and regions. Each but the regions has a weight,
/// and the value of a position is the sum of the weights of its features, corrected by a network, which has a
/// row for each feature.
pub struct Features {
    /// For each kind of pattern, the place of each number.
    pub(super) of_patterns: Vec<Vec<u32>>,
    /// The first place after the patterns: that of the counts.
    pub(super) of_counts: usize,
    /// The place of each region.
    pub(super) of_regions: Vec<u32>,
}

impl Features {
    /// How many features with a weight a position has.
    pub const PER_POSITION: usize = COUNT + COUNTS;
    /// How many features a position has, those first that have a weight.
    pub const OF_NETWORK: usize = Self::PER_POSITION + REGIONS;

    /// Returns all features with their places in a file of [weights](super::Weights).
    pub fn all() -> Self {
        let mut first = 0;
        let of_patterns: Vec<_> = (0..KIND_COUNT)
            .map(|kind| {
                let (mut numbers, count) = weight_numbers(kind);
                numbers.iter_mut().for_each(|number| *number += first);
                first += count;
                numbers
            })
            .collect();
        let of_counts = first as usize;
        first += COUNT_PLACES as u32;
        let mut of_regions = vec![0; REGIONS_ALL];
        for region in 0..REGIONS_ALL {
            let like = canonical(region);
            of_regions[region] = if like < region { of_regions[like] } else { first };
            first += u32::from(like == region);
        }
        Self { of_patterns, of_counts, of_regions }
    }

    /// Returns the number of features with a weight, and so of the weights of a stage.
    pub const fn count(&self) -> usize {
        self.of_counts + COUNT_PLACES
    }

    /// Returns the number of features, and so of the rows of the network.
    pub fn network_count(&self) -> usize {
        self.of_regions.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// Returns the features of a position that have a weight, as places of these among those of a stage. `own`
    /// are the discs of the player to move, bit `8 · column + row` from 0.
    pub fn of(&self, own: u64, other: u64) -> [u32; Self::PER_POSITION] {
        let features = self.of_network(own, other);
        std::array::from_fn(|number| features[number])
    }

    /// Returns the features of a position, as places of their rows; see [`Features::of`].
    pub fn of_network(&self, own: u64, other: u64) -> [u32; Self::OF_NETWORK] {
        let inputs = Inputs::new(own, other);
        let numbers = KIND_OF.into_iter().zip(inputs.indices.numbers());
        let patterns = numbers.map(|(kind, &number)| self.of_patterns[kind][usize::from(number)]);
        let counts = inputs.counts().map(|place| (self.of_counts + place) as u32);
        let regions = inputs.regions().map(|region| self.of_regions[region]);
        let all = patterns.chain(counts).chain(regions);
        let mut features = [0; Self::OF_NETWORK];
        features.iter_mut().zip(all).for_each(|(feature, place)| *feature = place);
        features
    }
}
