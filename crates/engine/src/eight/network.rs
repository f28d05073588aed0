use super::features::{COUNT_PLACES, Features, Inputs, REGIONS_ALL};
use super::pattern_table::PatternTable;
use super::stage::STAGES;
use outflank_rules::kernel::Kernel;

/// The numbers of a row, which each feature of a position has.
pub const ROW: usize = 16;
/// The neurons of the second layer.
pub const NEURONS: usize = 16;
/// How many units of a stored row make one.
pub const ROW_UNIT: i16 = 256;
/// How many units of a stored weight or bias of the second layer make one.
pub const LAYER_UNIT: i16 = 1 << 14;

/// The bytes of a row.
type Row = [i8; ROW];
/// The sum of rows.
type Sums = [i16; ROW];

/// Adding this to a number below 2²² leaves it, rounded, in the low bits. Conversions to integers check their range, and
/// so go through the numbers one by one.
const ROUNDING: f32 = 12_582_912.0;

/// A small neural network that corrects the sum of weights.
///
/// The first layer adds the rows of the features of a position to a bias: [`ROW`] sums. Its outputs are each sum
/// and its opposite, kept between 0 and 1. The [`NEURONS`] of the second layer add weighted outputs to a bias, and
/// are kept between 0 and 1 too. The correction is their weighted sum. All stages share the rows and have the rest for
/// themselves.
///
/// It is stored as the rows of all [`Features`], in bytes ([`ROW_UNIT`]), then for each stage, in numbers of 16 bits,
/// little-endian: the biases of the first layer ([`ROW_UNIT`]), the weights of the second layer, those of an output
/// together, and its biases ([`LAYER_UNIT`]), and the weights of the correction in parts of a disc
/// ([`UNIT`](super::UNIT)).
pub(super) struct Network {
    patterns: PatternTable<Row>,
    counts: [Row; COUNT_PLACES],
    regions: Box<[Row; REGIONS_ALL]>,
    stages: Box<[Stage; STAGES]>,
}

/// What a stage has for itself.
struct Stage {
    first_biases: Sums,
    /// By output of the first layer, for sums in [`ROW_UNIT`].
    second: [[f32; NEURONS]; 2 * ROW],
    second_biases: [f32; NEURONS],
    correction: [f32; NEURONS],
}

impl Network {
    /// Returns the network with these bytes. Missing bytes count as zero.
    pub(super) fn new(features: &Features, bytes: &[u8]) -> Self {
        let stored =
            bytes.chunks_exact(ROW).map(|row| std::array::from_fn(|i| row[i].cast_signed()));
        let stored = stored.chain(std::iter::repeat([0; ROW])).take(features.network_count());
        let rows: Vec<Row> = stored.collect();
        let counts = &rows[features.of_counts..];
        let regions = &features.of_regions;
        let rest = bytes.get(ROW * rows.len()..).unwrap_or_default().as_chunks().0;
        let rest = rest.iter().map(|&pair| i16::from_le_bytes(pair));
        let mut numbers = rest.chain(std::iter::repeat(0));
        Self {
            patterns: PatternTable::new(features, &rows, [0; ROW]),
            counts: std::array::from_fn(|place| counts[place]),
            regions: Box::new(std::array::from_fn(|region| rows[regions[region] as usize])),
            stages: Box::new(std::array::from_fn(|_| Stage::new(&mut numbers))),
        }
    }

    /// Returns the correction of the sum of a position, in parts of a disc.
    #[inline(never)]
    pub(super) fn correction<K: Kernel>(&self, inputs: &Inputs) -> i32 {
        K::run(
            #[inline(always)]
            || {
                let stage = &self.stages[inputs.stage()];
                stage.correction(&self.sums(inputs, stage.first_biases))
            },
        )
    }

    /// Adds the rows of a position.
    #[inline(always)]
    fn sums(&self, inputs: &Inputs, biases: Sums) -> Sums {
        let mut sums = self.patterns.fold(&inputs.indices, biases, plus);
        for place in inputs.counts() {
            sums = plus(sums, self.counts[place]);
        }
        for region in inputs.regions() {
            sums = plus(sums, self.regions[region]);
        }
        sums
    }
}

#[inline(always)]
fn plus(mut sums: Sums, row: Row) -> Sums {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum += i16::from(number);
    }
    sums
}

impl Stage {
    fn new(numbers: &mut impl Iterator<Item = i16>) -> Self {
        let mut next = || numbers.next().unwrap_or(0);
        let first_biases = std::array::from_fn(|_| next());
        let mut next = |unit: f32| f32::from(next()) / unit;
        let layer = f32::from(LAYER_UNIT);
        Self {
            first_biases,
            second: std::array::from_fn(|_| {
                std::array::from_fn(|_| next(layer * f32::from(ROW_UNIT)))
            }),
            second_biases: std::array::from_fn(|_| next(layer)),
            correction: std::array::from_fn(|_| next(1.0)),
        }
    }

    #[inline(always)]
    fn correction(&self, sums: &Sums) -> i32 {
        let mut outputs = [[0.0; ROW]; 2];
        for i in 0..ROW {
            outputs[0][i] = f32::from(sums[i].clamp(0, ROW_UNIT));
            outputs[1][i] = f32::from(sums[i].saturating_neg().clamp(0, ROW_UNIT));
        }
        // In four parts, because an addition need not wait for the one before then.
        let [mut a, mut b, mut c, mut d] = [[0.0; NEURONS]; 4];
        for i in 0..ROW / 2 {
            let j = i + ROW / 2;
            add_weighted(&mut a, outputs[0][i], &self.second[i]);
            add_weighted(&mut b, outputs[0][j], &self.second[j]);
            add_weighted(&mut c, outputs[1][i], &self.second[ROW + i]);
            add_weighted(&mut d, outputs[1][j], &self.second[ROW + j]);
        }
        let mut sum = 0;
        for (n, (bias, weight)) in self.second_biases.iter().zip(&self.correction).enumerate() {
            let neuron = bias + (a[n] + b[n]) + (c[n] + d[n]);
            let rounded = neuron.clamp(0.0, 1.0) * weight + ROUNDING;
            sum += rounded.to_bits().wrapping_sub(ROUNDING.to_bits()).cast_signed();
        }
        sum
    }
}

#[inline(always)]
fn add_weighted(sums: &mut [f32; NEURONS], output: f32, weights: &[f32; NEURONS]) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += output * weight;
    }
}
