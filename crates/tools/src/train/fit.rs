//! Fits the weights of the evaluation to positions with known values, by stochastic gradient descent.

use outflank_engine::evaluation::{Features, STAGES, UNIT, stage_of};

use super::random::Random;
use super::sample::Sample;
use crate::parallel::in_parallel;

/// How many discs a stage may lend from its neighbours.
const OVERLAP: u32 = 2;
/// How far a step of the first and the last epoch goes towards the value of a sample.
const STEPS: (f32, f32) = (0.25, 0.01);

/// Returns the bytes of a file of weights that fit these samples, after this many epochs. The samples
/// are taken in an order that the seed decides.
pub(super) fn fit(samples: &[Sample], epochs: u32, seed: u64, threads: usize) -> Vec<u8> {
    let features = Features::all();
    let fit = |stage| {
        let near = |sample: &&Sample| {
            let discs = sample.discs();
            stage_of(discs.saturating_sub(OVERLAP)) <= stage && stage <= stage_of(discs + OVERLAP)
        };
        let of_stage: Vec<_> = samples.iter().filter(near).collect();
        fit_stage(&features, &of_stage, epochs, seed)
    };
    let quantized = |weight: f32| ((weight * UNIT as f32).round() as i16).to_le_bytes();
    let stages = in_parallel(STAGES, threads, fit);
    stages.into_iter().flatten().flat_map(quantized).collect()
}

fn fit_stage(features: &Features, samples: &[&Sample], epochs: u32, seed: u64) -> Vec<f32> {
    let mut weights = vec![0.0; features.count()];
    let mut samples: Vec<_> = samples
        .iter()
        .map(|sample| (features.of(sample.own, sample.other), f32::from(sample.value)))
        .collect();
    let mut random = Random::new(seed | 1);
    for epoch in 0..epochs {
        random.shuffle(&mut samples);
        let progress = epoch as f32 / (epochs - 1).max(1) as f32;
        let step = STEPS.0 * (STEPS.1 / STEPS.0).powf(progress) / Features::PER_POSITION as f32;
        for (features, value) in &samples {
            let sum: f32 = features.iter().map(|&feature| weights[feature as usize]).sum();
            let change = (value - sum) * step;
            for &feature in features {
                weights[feature as usize] += change;
            }
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use outflank_engine::evaluation::Weights;

    use super::*;
    use crate::train::sample;

    #[test]
    fn weights_fit_a_function_that_they_can_express() {
        // A corner is worth nine discs.
        let samples = sample::samples(|own, other| 9 * (own - other));
        let error = |epochs| {
            let weights = Weights::from_bytes(fit(&samples, epochs, 1, 1));
            sample::error(&weights, &samples)
        };
        assert!(error(20) < 0.3 * error(0), "{} {}", error(20), error(0));
        assert_eq!(fit(&samples, 3, 1, 1), fit(&samples, 3, 1, 2), "threads change nothing");
    }
}
