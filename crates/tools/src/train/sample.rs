#[cfg(test)]
use outflank_engine::evaluation::{Evaluator, Weights};
#[cfg(test)]
use outflank_engine::mix;

/// A position of the 8×8 board with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sample {
    /// The discs of the player to move, bit `8 · column + row` from 0.
    pub(super) own: u64,
    /// The discs of the other player.
    pub(super) other: u64,
    /// By how many discs the player to move wins.
    pub(super) value: i8,
}

impl Sample {
    pub(super) fn discs(&self) -> u32 {
        (self.own | self.other).count_ones()
    }
}

/// Returns random positions, each with the value that this function gives to its own corners and those of the
/// other player.
#[cfg(test)]
pub(super) fn samples(value: impl Fn(i8, i8) -> i8) -> Vec<Sample> {
    let corners = |discs: u64| (discs & 0x8100_0000_0000_0081).count_ones() as i8;
    let sample = |number: u64| {
        let discs = mix(number, 0) | mix(number, 1);
        let own = discs & mix(number, 2);
        let other = discs & !own;
        Sample { own, other, value: value(corners(own), corners(other)) }
    };
    (0..400).map(sample).collect()
}

/// Returns the mean absolute error of the evaluation with these weights, in discs.
#[cfg(test)]
pub(super) fn error(weights: &Weights, samples: &[Sample]) -> f64 {
    let evaluator = Evaluator::new(weights, 0);
    let errors = samples.iter().map(|sample| {
        (evaluator.evaluate(sample.own, sample.other) - i32::from(sample.value)).abs()
    });
    f64::from(errors.sum::<i32>()) / samples.len() as f64
}
