//! Trains the network that corrects the sum of weights, by stochastic gradient descent with steps that
//! become smaller where the gradients were large (Adagrad).

use outflank_engine::evaluation::{
    Features, LAYER_UNIT, NEURONS, ROW, ROW_UNIT, STAGES, UNIT, stage_of,
};

use super::random::Random;
use super::sample::Sample;

/// How many discs a correction of 1 is.
const DISCS: f32 = 16.0;
/// The steps of the first epoch for rows, and for everything else.
const STEPS: (f32, f32) = (0.2, 0.03);
/// What the steps of the last epoch are to those of the first.
const DECAY: f32 = 0.03;
/// The sum of squared gradients that a row begins with. It is large, so that the rows of rare features move
/// little, and are not learnt by heart.
const ROW_START: f32 = 200.0;
/// The same for all other numbers.
const START: f32 = 1e-4;
/// The gradient of a neuron that is not between 0 and 1, as a part of what it would be there: one that never is
/// learns again.
const LEAK: f32 = 0.02;
/// The largest random numbers to begin with, of rows and of layers.
const SPREADS: (f32, f32) = (0.02, 0.3);

/// The outputs of the first layer: each sum, then the opposite of each.
const OUTPUTS: usize = 2 * ROW;

/// Returns the bytes of a network that corrects the sums of the weights with these bytes, after this many epochs of
/// these samples. It also puts the samples into another order; the seed decides into which.
pub(super) fn train(weights: &[u8], samples: &mut [Sample], epochs: u32, seed: u64) -> Vec<u8> {
    let features = Features::all();
    let weights: Vec<_> =
        weights.as_chunks().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
    let mut random = Random::new(seed | 1);
    let mut network = Network::new(&features, &mut random);
    for epoch in 0..epochs {
        random.shuffle(samples);
        let decay = DECAY.powf(epoch as f32 / (epochs - 1).max(1) as f32);
        for sample in &*samples {
            let found = features.of_network(sample.own, sample.other);
            let number = stage_of(sample.discs());
            let of_stage = &weights[number * features.count()..];
            let with_weight = &found[..Features::PER_POSITION];
            let sum: i32 = with_weight.iter().map(|&at| i32::from(of_stage[at as usize])).sum();
            let missing = f32::from(sample.value) - sum as f32 / UNIT as f32;
            network.learn(number, &found, missing / DISCS, decay);
        }
    }
    network.bytes()
}

/// Numbers with the sums of the squares of their gradients.
#[derive(Clone)]
struct Numbers<const COUNT: usize> {
    values: [f32; COUNT],
    squares: [f32; COUNT],
}

impl<const COUNT: usize> Numbers<COUNT> {
    fn new(mut value: impl FnMut() -> f32) -> Self {
        Self { values: std::array::from_fn(|_| value()), squares: [START; COUNT] }
    }

    fn step(&mut self, gradients: &[f32; COUNT], step: f32) {
        for ((value, squares), gradient) in
            self.values.iter_mut().zip(&mut self.squares).zip(gradients)
        {
            *squares += gradient * gradient;
            *value -= step * gradient / squares.sqrt();
        }
    }
}

/// A row, whose numbers share the sum of squares.
#[derive(Clone)]
struct Row {
    values: [f32; ROW],
    squares: f32,
}

#[derive(Clone)]
struct Stage {
    first_biases: Numbers<ROW>,
    /// For each output of the first layer, its weights.
    second: [Numbers<NEURONS>; OUTPUTS],
    second_biases: Numbers<NEURONS>,
    correction: Numbers<NEURONS>,
}

struct Network {
    rows: Vec<Row>,
    stages: Vec<Stage>,
}

impl Network {
    fn new(features: &Features, random: &mut Random) -> Self {
        let mut row = || std::array::from_fn(|_| SPREADS.0 * random.signed());
        let rows = (0..features.network_count())
            .map(|_| Row { values: row(), squares: ROW_START })
            .collect();
        let mut spread = || SPREADS.1 * random.signed();
        let stage = Stage {
            first_biases: Numbers::new(|| 0.0),
            second: std::array::from_fn(|_| Numbers::new(&mut spread)),
            second_biases: Numbers::new(|| 0.1),
            correction: Numbers::new(&mut spread),
        };
        Self { rows, stages: vec![stage; STAGES] }
    }

    /// Learns from a position of this stage with these features, whose value is the sum of weights and this.
    fn learn(&mut self, stage: usize, features: &[u32], missing: f32, decay: f32) {
        let stage = &mut self.stages[stage];
        let mut sums = stage.first_biases.values;
        for &feature in features {
            let row = &self.rows[feature as usize].values;
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        let gradients = stage.learn(&sums, missing, decay * STEPS.1);
        let squares =
            gradients.iter().map(|gradient| gradient * gradient).sum::<f32>() / ROW as f32;
        for &feature in features {
            let row = &mut self.rows[feature as usize];
            row.squares += squares;
            let step = decay * STEPS.0 / row.squares.sqrt();
            for (value, gradient) in row.values.iter_mut().zip(&gradients) {
                *value -= step * gradient;
            }
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let stored = |value: f32, unit: i16| (value * f32::from(unit)).round();
        let rows = self.rows.iter().flat_map(|row| row.values);
        // Conversions to smaller numbers keep within their range.
        let mut bytes: Vec<_> =
            rows.map(|value| (stored(value, ROW_UNIT) as i8).cast_unsigned()).collect();
        for stage in &self.stages {
            let biases = stage.first_biases.values.map(|bias| stored(bias, ROW_UNIT));
            let layer = stage.second.iter().chain([&stage.second_biases]);
            let layer = layer.flat_map(|numbers| numbers.values);
            let layer = layer.map(|value| stored(value, LAYER_UNIT));
            let correction =
                stage.correction.values.map(|weight| (weight * DISCS * UNIT as f32).round());
            let numbers = biases.into_iter().chain(layer).chain(correction);
            bytes.extend(numbers.flat_map(|number| (number as i16).to_le_bytes()));
        }
        bytes
    }
}

impl Stage {
    /// Learns from a position with these sums. Returns the gradients of the sums.
    fn learn(&mut self, sums: &[f32; ROW], missing: f32, step: f32) -> [f32; ROW] {
        let outputs: [f32; OUTPUTS] = std::array::from_fn(|i| {
            let sum = if i < ROW { sums[i] } else { -sums[i - ROW] };
            sum.clamp(0.0, 1.0)
        });
        let mut neurons = self.second_biases.values;
        for (output, weights) in outputs.iter().zip(&self.second) {
            for (neuron, weight) in neurons.iter_mut().zip(&weights.values) {
                *neuron += output * weight;
            }
        }
        let kept = neurons.map(|neuron| neuron.clamp(0.0, 1.0));
        let correction: f32 =
            kept.iter().zip(&self.correction.values).map(|(neuron, weight)| neuron * weight).sum();
        let error = correction - missing;

        let of_neurons: [f32; NEURONS] = std::array::from_fn(|n| {
            let inside = 0.0 < neurons[n] && neurons[n] < 1.0;
            error * self.correction.values[n] * if inside { 1.0 } else { LEAK }
        });
        let mut of_sums = [0.0; ROW];
        for (i, &output) in outputs.iter().enumerate().filter(|&(_, &output)| output > 0.0) {
            if output < 1.0 {
                let weights = self.second[i].values.iter();
                let of_output: f32 = weights.zip(&of_neurons).map(|(weight, of)| weight * of).sum();
                of_sums[i % ROW] = if i < ROW { of_output } else { -of_output };
            }
            self.second[i].step(&of_neurons.map(|of| of * output), step);
        }
        self.correction.step(&kept.map(|neuron| error * neuron), step);
        self.second_biases.step(&of_neurons, step);
        self.first_biases.step(&of_sums, step);
        of_sums
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::evaluation::{Weights, network_start};

    use super::*;
    use crate::train::sample;

    #[test]
    fn the_engine_computes_what_the_network_has_learnt() {
        // Having most of the corners is worth twelve discs.
        let mut samples = sample::samples(|own, other| if own > other { 12 } else { -12 });
        let mut error = |epochs| {
            let mut bytes = vec![0; network_start()];
            bytes.extend(train(&bytes, &mut samples, epochs, 1));
            sample::error(&Weights::from_bytes(bytes), &samples)
        };
        let (before, after) = (error(0), error(60));
        assert!(after < 0.3 * before, "{before} {after}");
    }
}
