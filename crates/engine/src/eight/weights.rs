use std::borrow::Cow;
use std::sync::OnceLock;

use super::features::{COUNT_PLACES, Features, Inputs};
use super::network::Network;
use super::pattern_table::PatternTable;
use super::stage::{STAGES, stage_of};

/// How many units of a stored weight make a disc.
pub const UNIT: i32 = 256;
/// The number of depths for which a file of weights has deviations, from 0 on.
pub const DEVIATIONS: usize = 9;

/// The growth of the deviation with each ply beyond these depths, in discs.
const DEVIATION_GROWTH: f32 = 0.1;

/// The file of weights that the program was built with.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// The weights of the evaluation.
///
/// A file of weights consists of numbers of 16 bits, little-endian, in parts of a disc ([`UNIT`]):
/// for each of the [`STAGES`], the weights of all [`Features`]; then for each stage [`DEVIATIONS`]
/// deviations; then the network. A deviation is the standard deviation of the difference between
/// the values of a search of this depth and of one of [`shallow_depth`](crate::prob_cut::shallow_depth).
pub struct Weights {
    bytes: Cow<'static, [u8]>,
    deviations: OnceLock<[[f32; DEVIATIONS]; STAGES]>,
    /// Made when a search first needs them.
    stages: [OnceLock<Stage>; STAGES],
    network: OnceLock<Network>,
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
        Self {
            bytes,
            deviations: OnceLock::new(),
            stages: [const { OnceLock::new() }; STAGES],
            network: OnceLock::new(),
        }
    }

    /// Returns the sum of the weights of a position, in parts of a disc.
    #[inline(always)]
    pub(super) fn sum(&self, inputs: &Inputs) -> i32 {
        let stage = inputs.stage();
        self.stages[stage].get_or_init(|| self.load(stage)).sum(inputs)
    }

    /// Returns the network that corrects the sum.
    #[inline(always)]
    pub(super) fn network(&self) -> &Network {
        self.network.get_or_init(|| self.load_network())
    }

    /// Returns the standard deviation, in discs, of the difference between the values of a search of
    /// this depth in plies and of the shallow one that may replace it.
    pub(super) fn deviation(&self, discs: u32, depth: u32) -> f32 {
        let deviations = self.deviations.get_or_init(|| {
            let start = STAGES * features().count();
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
        let weights = read(&self.bytes, stage * features.count());
        let weights: Vec<i16> =
            weights.chain(std::iter::repeat(0)).take(features.count()).collect();
        let counts = &weights[features.of_counts..];
        Stage {
            patterns: PatternTable::new(features, &weights, 0),
            counts: std::array::from_fn(|place| counts[place]),
        }
    }

    #[cold]
    fn load_network(&self) -> Network {
        Network::new(features(), self.bytes.get(network_start()..).unwrap_or_default())
    }
}

/// Returns where the network begins in a file of weights, in bytes.
pub fn network_start() -> usize {
    2 * STAGES * (features().count() + DEVIATIONS)
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

/// The weights of a stage.
struct Stage {
    patterns: PatternTable<i16>,
    counts: [i16; COUNT_PLACES],
}

impl Stage {
    #[inline(always)]
    fn sum(&self, inputs: &Inputs) -> i32 {
        let counts: i32 =
            inputs.counts().into_iter().map(|place| i32::from(self.counts[place])).sum();
        self.patterns.fold(&inputs.indices, counts, |sum, weight| sum + i32::from(weight))
    }
}
