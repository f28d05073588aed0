//! Measures how far the values of shallow searches are from those of deep ones.

use outflank_engine::evaluation::{DEVIATIONS, STAGES, UNIT, Weights, shallow_depth, stage_of};

use super::teacher::values;
use crate::parallel::in_parallel;

/// The last stage with enough empty squares to compare searches.
const LAST_MIDDLE: usize = 9;

/// Returns the deviations for the end of a file with these weights, measured on these positions.
pub(super) fn deviations(weights: &Weights, positions: &[(u64, u64)], threads: usize) -> Vec<u8> {
    let depths: [u32; DEVIATIONS] = std::array::from_fn(|depth| depth as u32);
    let found = in_parallel(positions.len(), threads, |number| {
        let (own, other) = positions[number];
        // Where the game ends within a search, the value is of another kind.
        let is_middle = (own | other).count_zeros() > depths[DEVIATIONS - 1];
        let stage = stage_of((own | other).count_ones());
        is_middle.then(|| (stage, values(weights, own, other, &depths)))
    });
    let mut bytes = Vec::new();
    for stage in 0..STAGES {
        for depth in depths {
            let (deep, shallow) = (depth as usize, shallow_depth(depth).unwrap_or(depth) as usize);
            let of_stage = found.iter().flatten().filter(|(of, _)| *of == stage.min(LAST_MIDDLE));
            let squares: Vec<f64> = of_stage
                .map(|(_, values)| f64::from(values[deep] - values[shallow]).powi(2))
                .collect();
            let mean = squares.iter().sum::<f64>() / (squares.len().max(1) as f64);
            let deviation = (mean.sqrt() * f64::from(UNIT)).round();
            bytes.extend((deviation as i16).to_le_bytes());
        }
    }
    bytes
}
