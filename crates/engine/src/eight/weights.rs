use std::borrow::Cow;
use std::sync::OnceLock;

use super::features::{Features, MOBILITY};
use super::pattern::{COUNT, Indices, KIND_COUNT, KIND_OF};

/// How many stages of the game have weights of their own.
pub const STAGES: usize = 12;
/// How many units of a stored weight make a disc.
pub const UNIT: i32 = 256;
/// The number of depths for which a file of weights has deviations, from 0 on.
pub const DEVIATIONS: usize = 9;

/// The kinds of pattern with more than eight squares; they come first.
const LARGE: usize = 4;
/// The number of patterns of these kinds.
const LARGE_COUNT: usize = {
    let mut count = 0;
    while KIND_OF[count] < LARGE {
        count += 1;
    }
    count
};
/// The growth of the deviation with each ply beyond these depths, in discs.
const DEVIATION_GROWTH: f32 = 0.1;

/// Returns the stage of a game with this many discs on the board.
pub const fn stage_of(discs: u32) -> usize {
    let stage = (discs.saturating_sub(10) / 4) as usize;
    if stage < STAGES { stage } else { STAGES - 1 }
}

/// The file of weights that the program was built with.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// The weights of the evaluation.
///
/// A file of weights consists of numbers of 16 bits, little-endian, in parts of a disc ([`UNIT`]):
/// for each of the [`STAGES`], the weights of all [`Features`]; then for each stage [`DEVIATIONS`]
/// deviations. A deviation is the standard deviation of the difference between
/// the values of a search of this depth and of one of [`shallow_depth`](crate::prob_cut::shallow_depth).
pub struct Weights {
    bytes: Cow<'static, [u8]>,
    deviations: OnceLock<[[f32; DEVIATIONS]; STAGES]>,
    /// Made when a search first needs them.
    stages: [OnceLock<Stage>; STAGES],
}

impl Weights {
    /// Returns the weights that the program was built with.
    pub fn embedded() -> &'static Self {
        static WEIGHTS: Weights = Weights::new(Cow::Borrowed(EMBEDDED));
        &WEIGHTS
    }

    /// Returns the weights of a file with these bytes. Missing bytes count as zero.
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self::new(Cow::Owned(bytes))
    }

    const fn new(bytes: Cow<'static, [u8]>) -> Self {
        Self { bytes, deviations: OnceLock::new(), stages: [const { OnceLock::new() }; STAGES] }
    }

    /// Returns the weights for a position with this many discs.
    #[inline(always)]
    pub(super) fn stage(&self, discs: u32) -> &Stage {
        let stage = stage_of(discs);
        self.stages[stage].get_or_init(|| self.load(stage))
    }

    /// Returns the standard deviation, in discs, of the difference between the values of a search of
    /// this depth in plies and of the shallow one that may replace it.
    pub(super) fn deviation(&self, discs: u32, depth: u32) -> f32 {
        let deviations = self.deviations.get_or_init(|| {
            let start = STAGES * features().per_stage;
            let mut weights = read(&self.bytes, start);
            std::array::from_fn(|_| {
                std::array::from_fn(|_| f32::from(weights.next().unwrap_or(0)) / UNIT as f32)
            })
        });
        let deepest = DEVIATIONS as u32 - 1;
        // Deeper searches are compared with deeper ones, and differ a little more.
        let measured =
            deviations[stage_of(discs)][depth.min(deepest - (depth ^ deepest) % 2) as usize];
        measured + DEVIATION_GROWTH * depth.saturating_sub(deepest) as f32
    }

    #[cold]
    fn load(&self, stage: usize) -> Stage {
        let features = features();
        let weights = read(&self.bytes, stage * features.per_stage);
        let weights: Vec<i16> =
            weights.chain(std::iter::repeat(0)).take(features.per_stage).collect();
        let mut large = Box::new([[0; 1 << 16]; LARGE]);
        let mut small = Box::new([[0; 1 << 13]; KIND_COUNT - LARGE]);
        for (kind, numbers) in features.of_patterns.iter().enumerate() {
            let table = match kind {
                0..LARGE => &mut large[kind][..],
                _ => &mut small[kind - LARGE][..],
            };
            for (weight, &number) in table.iter_mut().zip(numbers) {
                *weight = weights[number as usize];
            }
        }
        let rest = &weights[features.of_mobility..];
        let mobility = |from: usize| std::array::from_fn(|moves| rest[from + moves]);
        Stage {
            large,
            small,
            own_moves: mobility(0),
            other_moves: mobility(MOBILITY),
            parity: std::array::from_fn(|odd| rest[2 * MOBILITY + odd]),
        }
    }
}

/// Iterates over the numbers of a file from this one on.
fn read(bytes: &[u8], first: usize) -> impl Iterator<Item = i16> {
    let pairs = bytes.as_chunks().0;
    pairs.get(first..).unwrap_or_default().iter().map(|&pair| i16::from_le_bytes(pair))
}

fn features() -> &'static Features {
    static FEATURES: OnceLock<Features> = OnceLock::new();
    FEATURES.get_or_init(Features::all)
}

/// The weights of a stage, so laid out that a number of a pattern needs no check.
pub(super) struct Stage {
    large: Box<[[i16; 1 << 16]; LARGE]>,
    small: Box<[[i16; 1 << 13]; KIND_COUNT - LARGE]>,
    own_moves: [i16; MOBILITY],
    other_moves: [i16; MOBILITY],
    /// For an even and for an odd number of empty squares.
    parity: [i16; 2],
}

impl Stage {
    /// Returns the value of a position for the player to move, in discs.
    #[inline(always)]
    pub(super) fn value(&self, indices: &Indices, moves: u32, replies: u32, empties: u32) -> i32 {
        let numbers = indices.numbers();
        let mut sum = i32::from(self.parity[(empties & 1) as usize]);
        sum += i32::from(self.own_moves[(moves as usize).min(MOBILITY - 1)]);
        sum += i32::from(self.other_moves[(replies as usize).min(MOBILITY - 1)]);
        // Two loops of fixed length over arrays of fixed length, because they become straight code that way.
        for pattern in 0..LARGE_COUNT {
            sum += i32::from(self.large[KIND_OF[pattern]][usize::from(numbers[pattern])]);
        }
        for pattern in LARGE_COUNT..COUNT {
            let number = usize::from(numbers[pattern] & 0x1fff);
            sum += i32::from(self.small[KIND_OF[pattern] - LARGE][number]);
        }
        (sum + UNIT / 2).div_euclid(UNIT)
    }
}
