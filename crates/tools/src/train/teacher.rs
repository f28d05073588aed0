//! Gives positions the values that weights are fitted to.

use outflank_engine::book::children;
use outflank_engine::evaluation::{Evaluator, Weights};

use super::random::Random;
use super::sample::Sample;

/// How positions of a game get their values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Labels {
    /// From how many empty squares on the value is exact.
    pub(super) exact_from: u32,
    /// How deep a position before that is searched, in plies. Without it, the position gets the value
    /// of the next one of the game.
    pub(super) depth: Option<u32>,
}

/// The number of random moves at the start of a game of self-play, at least and at most.
const RANDOM_MOVES: (u64, u64) = (6, 20);
/// A later move is random once in this many.
const RANDOM_LATER: u64 = 40;
/// How deep self-play searches, in plies.
const DEPTH: u32 = 3;
/// The bytes of the table for a game.
const MAX_BYTES: usize = 1 << 20;

/// Returns an evaluator for the positions of one game.
pub(super) fn evaluator(weights: &Weights) -> Evaluator<'_> {
    Evaluator::new(weights, MAX_BYTES)
}

/// Returns the positions of a game with their values, the last first, from those where a disc was placed. A
/// position without a value is left out.
pub(super) fn label(weights: &Weights, positions: &[(u64, u64)], labels: Labels) -> Vec<Sample> {
    // Before the tables, which leave no gaps in the memory then.
    let mut samples: Vec<Sample> = Vec::with_capacity(positions.len());
    let mut evaluator = evaluator(weights);
    let Labels { exact_from, depth } = labels;
    // From the end, so that the table's entries of later positions help with earlier ones.
    for &(own, other) in positions.iter().rev() {
        let is_next = |later: &&Sample| later.discs() == (own | other).count_ones() + 1;
        let later = samples.last().filter(is_next).map(|later| {
            // The discs of a player who moves are still the player's after the move.
            let same = own & !later.own == 0;
            if same { i32::from(later.value) } else { -i32::from(later.value) }
        });
        let empties = (own | other).count_zeros();
        let depth = if empties <= exact_from { Some(empties) } else { depth };
        let value = match (depth, later) {
            (Some(depth), _) => evaluator.value_near(own, other, depth, later.unwrap_or(0)),
            (None, Some(value)) => value,
            (None, None) => continue,
        };
        samples.push(Sample { own, other, value: i8::try_from(value).unwrap_or(0) });
    }
    samples
}

/// Plays a game against itself from a random opening and returns its positions as [`label`] does.
pub(super) fn play(weights: &Weights, labels: Labels, seed: u64) -> Vec<Sample> {
    let mut evaluator = evaluator(weights);
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let opening = RANDOM_MOVES.0 + random.below(RANDOM_MOVES.1 - RANDOM_MOVES.0 + 1);
    let (mut own, mut other) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);
    let mut positions = Vec::new();
    loop {
        let mut moves = children(own, other);
        if moves.is_empty() {
            (own, other) = (other, own);
            moves = children(own, other);
            if moves.is_empty() {
                break;
            }
        }
        positions.push((own, other));
        let is_random = positions.len() as u64 <= opening || random.below(RANDOM_LATER) == 0;
        let chosen = if is_random {
            moves.get(random.below(moves.len() as u64) as usize)
        } else {
            let best = evaluator.best_move(own, other, DEPTH);
            moves.iter().find(|&&(square, ..)| square == best)
        };
        let Some(&(_, next_own, next_other)) = chosen else { break };
        (own, other) = (next_own, next_other);
    }
    label(weights, &positions, labels)
}

/// Returns the values of a position by searches of these depths, in plies.
pub(super) fn values(weights: &Weights, own: u64, other: u64, depths: &[u32]) -> Vec<i32> {
    let mut evaluator = evaluator(weights);
    depths.iter().map(|&depth| evaluator.value(own, other, depth)).collect()
}
