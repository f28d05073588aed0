//! The weights of the evaluation, embedded in the program.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::pattern::{Indices, KIND_COUNT, RANGES, weight_numbers};

/// How many stages of the game have weights of their own.
pub(super) const STAGES: usize = 12;
/// The weights of one disc.
pub(super) const UNIT: i32 = 256;
/// The kinds of pattern with more than eight squares; they come first.
const LARGE: usize = 4;
/// The most moves that a player of the evaluation has; more count as these.
const MOBILITY: usize = 32;

/// The number of depths whose deviations are measured, from 0 on.
pub(super) const DEPTHS: usize = 9;
/// What a ply more adds to the deviation beyond these depths, in discs.
const GROWTH: f32 = 0.1;

/// Returns the stage of a game with this many discs on the board.
pub(super) const fn stage_of(discs: u32) -> usize {
    let stage = (discs.saturating_sub(10) / 4) as usize;
    if stage < STAGES { stage } else { STAGES - 1 }
}

/// The file of weights that the program was built with.
pub(super) static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// The weights of all stages.
pub(super) struct Weights {
    /// The weights of one stage after another, 16 bits each, little-endian.
    bytes: Cow<'static, [u8]>,
    /// After the weights, for each stage: how far a search of each depth is from a shallower one.
    deviations: OnceLock<[[f32; DEPTHS]; STAGES]>,
    /// Made when a search first needs them.
    stages: [OnceLock<Stage>; STAGES],
}

impl Weights {
    /// Returns the weights that the program was built with.
    pub(super) fn embedded() -> &'static Self {
        static WEIGHTS: Weights = Weights::new(Cow::Borrowed(EMBEDDED));
        &WEIGHTS
    }

    /// Returns weights from the bytes of a file. Missing bytes count as zero.
    pub(super) const fn new(bytes: Cow<'static, [u8]>) -> Self {
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
            let start = STAGES * numbers().per_stage;
            let mut weights = read(&self.bytes, start);
            std::array::from_fn(|_| {
                std::array::from_fn(|_| f32::from(weights.next().unwrap_or(0)) / UNIT as f32)
            })
        });
        let deepest = DEPTHS as u32 - 1;
        // Deeper searches are compared with deeper ones, and differ a little more.
        let measured =
            deviations[stage_of(discs)][depth.min(deepest - (depth ^ deepest) % 2) as usize];
        measured + GROWTH * depth.saturating_sub(deepest) as f32
    }

    #[cold]
    fn load(&self, stage: usize) -> Stage {
        let numbers = numbers();
        let weights = read(&self.bytes, stage * numbers.per_stage);
        let weights: Vec<i16> =
            weights.chain(std::iter::repeat(0)).take(numbers.per_stage).collect();
        let mut large = vec![[0; 1 << 16]; LARGE];
        let mut small = vec![[0; 1 << 13]; KIND_COUNT - LARGE];
        for (kind, numbers) in numbers.of_kinds.iter().enumerate() {
            let table = match kind {
                0..LARGE => &mut large[kind][..],
                _ => &mut small[kind - LARGE][..],
            };
            for (weight, &number) in table.iter_mut().zip(numbers) {
                *weight = weights[number as usize];
            }
        }
        let rest = &weights[numbers.of_mobility..];
        let mobility = |from: usize| std::array::from_fn(|moves| rest[from + moves]);
        Stage {
            large: large.into_boxed_slice(),
            small: small.into_boxed_slice(),
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

fn numbers() -> &'static Numbers {
    static NUMBERS: OnceLock<Numbers> = OnceLock::new();
    NUMBERS.get_or_init(Numbers::new)
}

/// Where each weight of a stage stands in the file.
pub(super) struct Numbers {
    /// For each kind of pattern, the place of the weight of each number.
    pub(super) of_kinds: Vec<Vec<u32>>,
    /// The first place after the patterns: own moves, then the other player's, then parity.
    pub(super) of_mobility: usize,
    /// The number of weights of a stage.
    pub(super) per_stage: usize,
}

impl Numbers {
    /// Returns the places of all weights.
    pub(super) fn new() -> Self {
        let mut first = 0;
        let of_kinds = (0..KIND_COUNT)
            .map(|kind| {
                let (mut numbers, count) = weight_numbers(kind);
                numbers.iter_mut().for_each(|number| *number += first);
                first += count;
                numbers
            })
            .collect();
        let of_mobility = first as usize;
        Self { of_kinds, of_mobility, per_stage: of_mobility + 2 * MOBILITY + 2 }
    }

    /// Returns the places of the weights that the value of a position is the sum of.
    pub(super) fn of(
        &self,
        indices: &Indices,
        moves: u32,
        replies: u32,
        empties: u32,
    ) -> impl Iterator<Item = u32> {
        let patterns = RANGES.into_iter().zip(&self.of_kinds).flat_map(|(range, numbers)| {
            (range.0..range.1).map(|pattern| numbers[usize::from(indices.numbers()[pattern])])
        });
        let clamp = |moves: u32| (moves as usize).min(MOBILITY - 1);
        let rest = [clamp(moves), MOBILITY + clamp(replies), 2 * MOBILITY + (empties & 1) as usize];
        let rest = rest.map(|place| u32::try_from(self.of_mobility + place).unwrap_or(0));
        patterns.chain(rest)
    }
}

/// The weights of a stage, so laid out that a number of a pattern needs no check.
pub(super) struct Stage {
    large: Box<[[i16; 1 << 16]]>,
    small: Box<[[i16; 1 << 13]]>,
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
        // Loops over numbers, because they become straight code that way.
        #[expect(clippy::needless_range_loop)]
        for kind in 0..KIND_COUNT {
            for pattern in RANGES[kind].0..RANGES[kind].1 {
                let number = numbers[pattern];
                let weight = if kind < LARGE {
                    self.large[kind][usize::from(number)]
                } else {
                    self.small[kind - LARGE][usize::from(number & 0x1fff)]
                };
                sum += i32::from(weight);
            }
        }
        (sum + UNIT / 2).div_euclid(UNIT)
    }
}
