//! Fits the weights of the evaluation to positions with known values.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::crew::Crew;
use super::pattern::Indices;
use super::prob_cut;
use super::search::{Node, Search};
use super::weights::{DEPTHS, EMBEDDED, Numbers, STAGES, UNIT, Weights, stage_of};
use crate::ending::Table;
use outflank_rules::kernel::{self, Kernel, Portable, Task};

/// A position of the 8×8 board with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The discs of the player to move, bit `8 · column + row` from 0.
    pub own: u64,
    /// The discs of the other player.
    pub other: u64,
    /// By how many discs the player to move wins.
    pub value: i8,
}

impl Sample {
    fn discs(&self) -> u32 {
        (self.own | self.other).count_ones()
    }

    fn weights(&self, numbers: &Numbers) -> [u32; TERMS] {
        let moves = Portable::placements(self.own, self.other).count_ones();
        let replies = Portable::placements(self.other, self.own).count_ones();
        let indices = Indices::new(self.own, self.other);
        let mut terms = [0; TERMS];
        let found = numbers.of(&indices, moves, replies, 64 - self.discs());
        terms.iter_mut().zip(found).for_each(|(term, found)| *term = found);
        terms
    }
}

/// How many weights the value of a position is the sum of.
const TERMS: usize = super::pattern::COUNT + 3;
/// How many discs a stage may lend from its neighbours.
const OVERLAP: u32 = 2;
/// How far a step of the first and the last epoch goes towards the value of a sample.
const STEPS: (f32, f32) = (0.25, 0.01);

/// Returns the bytes of a file of weights that fit these samples, by stochastic gradient descent
/// over this many epochs. The samples are taken in an order that the seed decides.
pub fn fit(samples: &[Sample], epochs: u32, seed: u64, threads: usize) -> Vec<u8> {
    let numbers = Numbers::new();
    let fit = |stage| {
        let near = |sample: &&Sample| {
            let discs = sample.discs();
            stage_of(discs.saturating_sub(OVERLAP)) <= stage && stage <= stage_of(discs + OVERLAP)
        };
        let of_stage: Vec<_> = samples.iter().filter(near).collect();
        fit_stage(&numbers, &of_stage, epochs, seed)
    };
    let quantized = |weight: f32| ((weight * UNIT as f32).round() as i16).to_le_bytes();
    let stages = in_parallel(STAGES, threads, fit);
    stages.into_iter().flatten().flat_map(quantized).collect()
}

/// Calls a function for each number below `count` and returns the results in order.
pub fn in_parallel<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push((number, work(number)));
        }
    };
    let mut done: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

fn fit_stage(numbers: &Numbers, samples: &[&Sample], epochs: u32, seed: u64) -> Vec<f32> {
    let mut weights = vec![0.0; numbers.per_stage];
    let mut terms: Vec<_> =
        samples.iter().map(|sample| (sample.weights(numbers), f32::from(sample.value))).collect();
    let mut random = seed | 1;
    for epoch in 0..epochs {
        shuffle(&mut terms, &mut random);
        let progress = epoch as f32 / (epochs - 1).max(1) as f32;
        let step = STEPS.0 * (STEPS.1 / STEPS.0).powf(progress) / TERMS as f32;
        for (terms, value) in &terms {
            let sum: f32 = terms.iter().map(|&term| weights[term as usize]).sum();
            let change = (value - sum) * step;
            for &term in terms {
                weights[term as usize] += change;
            }
        }
    }
    weights
}

/// Puts items into an order that depends on the state of a xorshift generator.
fn shuffle<T>(items: &mut [T], random: &mut u64) {
    for last in (1..items.len()).rev() {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        let other = (u128::from(*random) * (last as u128 + 1)) >> 64;
        items.swap(last, other as usize);
    }
}

/// How positions of a game get their values.
#[derive(Debug, Clone, Copy)]
pub struct Labels {
    /// From how many empty squares on the value is exact.
    pub exact_from: u32,
    /// How deep a position before that is searched, in plies. Without it, the position gets the value
    /// of the next one of the game.
    pub depth: Option<u32>,
}

/// Evaluates and solves positions with weights that are not embedded.
pub struct Teacher {
    weights: Weights,
}

/// How many random moves begin a game of self-play, at least and at most.
const RANDOM_MOVES: (u64, u64) = (6, 20);
/// How often a later move is random, too: once in so many.
const RANDOM_LATER: u64 = 40;
/// How deep self-play searches, in plies.
const DEPTH: u32 = 3;

impl Teacher {
    /// Returns a teacher with the weights of this file. Missing weights are zero.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { weights: Weights::new(Cow::Owned(bytes)) }
    }

    /// Returns a teacher with the weights that the program was built with.
    pub fn embedded() -> Self {
        Self { weights: Weights::new(Cow::Borrowed(EMBEDDED)) }
    }

    /// Returns the evaluation of a position for the player to move, in discs.
    pub fn evaluate(&self, own: u64, other: u64) -> i32 {
        let moves = Portable::placements(own, other).count_ones();
        let replies = Portable::placements(other, own).count_ones();
        let (discs, indices) = ((own | other).count_ones(), Indices::new(own, other));
        self.weights.stage(discs).value(&indices, moves, replies, 64 - discs)
    }

    /// Returns the positions of a game, given those in which a disc was placed, each with its value,
    /// the last first. A position without one is left out.
    pub fn label(&self, positions: &[(u64, u64)], labels: Labels) -> Vec<Sample> {
        kernel::fastest(Label { teacher: self, positions, labels })
    }

    /// Plays a game against itself from a random opening and returns its positions as
    /// [`Teacher::label`] does.
    pub fn play(&self, labels: Labels, seed: u64) -> Vec<Sample> {
        kernel::fastest(Play { teacher: self, labels, seed })
    }

    /// Returns the values of a position by searches of these depths, in plies.
    pub fn values(&self, own: u64, other: u64, depths: &[u32]) -> Vec<i32> {
        kernel::fastest(Values { teacher: self, own, other, depths })
    }

    fn search<'a>(&'a self, table: &'a Table, crew: &'a Crew) -> Search<'a> {
        Search::new(table, &self.weights, crew, &|| false)
    }
}

/// How much the tables of a teacher remember, in bytes.
const MEMORY: usize = 1 << 20;

struct Label<'a> {
    teacher: &'a Teacher,
    positions: &'a [(u64, u64)],
    labels: Labels,
}

impl Task for Label<'_> {
    type Output = Vec<Sample>;

    fn run<K: Kernel>(self) -> Vec<Sample> {
        // Before the tables, which leave no gaps in the memory then.
        let mut samples: Vec<Sample> = Vec::with_capacity(self.positions.len());
        let (table, crew) = (Table::new(MEMORY), Crew::new(1));
        let mut search = self.teacher.search(&table, &crew);
        let Labels { exact_from, depth } = self.labels;
        // From the end, so that what the table knows of later positions helps with earlier ones.
        for &(own, other) in self.positions.iter().rev() {
            let is_next = |later: &&Sample| later.discs() == (own | other).count_ones() + 1;
            let later = samples.last().filter(is_next).map(|later| {
                // The discs of a player who moves are still the player's after the move.
                let same = own & !later.own == 0;
                if same { i32::from(later.value) } else { -i32::from(later.value) }
            });
            let node = Node::new(own, other);
            let empties = node.empties();
            let depth = if empties <= exact_from { Some(empties) } else { depth };
            let value = match (depth, later) {
                (Some(depth), _) => search.value_near::<K>(&node, depth, later.unwrap_or(0)),
                (None, Some(value)) => value,
                (None, None) => continue,
            };
            samples.push(Sample { own, other, value: i8::try_from(value).unwrap_or(0) });
        }
        samples
    }
}

struct Play<'a> {
    teacher: &'a Teacher,
    labels: Labels,
    seed: u64,
}

impl Task for Play<'_> {
    type Output = Vec<Sample>;

    fn run<K: Kernel>(self) -> Vec<Sample> {
        let (table, crew) = (Table::new(MEMORY), Crew::new(1));
        let mut search = self.teacher.search(&table, &crew);
        let mut random = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            ((u128::from(random) * u128::from(limit)) >> 64) as u64
        };
        let opening = RANDOM_MOVES.0 + below(RANDOM_MOVES.1 - RANDOM_MOVES.0 + 1);
        let (mut own, mut other) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);
        let mut positions = Vec::new();
        loop {
            let mut moves = K::placements(own, other);
            if moves == 0 {
                (own, other) = (other, own);
                moves = K::placements(own, other);
                if moves == 0 {
                    break;
                }
            }
            positions.push((own, other));
            let is_random = positions.len() as u64 <= opening || below(RANDOM_LATER) == 0;
            let square = if is_random {
                for _ in 0..below(moves.count_ones().into()) {
                    moves &= moves - 1;
                }
                moves.trailing_zeros() as usize & 63
            } else {
                search.best::<K>(&Node::new(own, other), DEPTH)
            };
            let flipped = K::flips(own, other, square);
            (own, other) = (other ^ flipped, own ^ flipped ^ 1 << square);
        }
        Label { teacher: self.teacher, positions: &positions, labels: self.labels }.run::<K>()
    }
}

struct Values<'a> {
    teacher: &'a Teacher,
    own: u64,
    other: u64,
    depths: &'a [u32],
}

impl Task for Values<'_> {
    type Output = Vec<i32>;

    fn run<K: Kernel>(self) -> Vec<i32> {
        let (table, crew) = (Table::new(MEMORY), Crew::new(1));
        let mut search = self.teacher.search(&table, &crew);
        let node = Node::new(self.own, self.other);
        let value = |&depth: &u32| search.value::<K>(&node, -64, 64, depth, 0);
        self.depths.iter().map(value).collect()
    }
}

/// The depths of the searches that are compared, in plies.
const COMPARED: [u32; DEPTHS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/// Appends to a file of weights how far the values of shallow searches are from those of deep ones,
/// measured on these positions.
pub fn write_deviations(bytes: &mut Vec<u8>, positions: &[(u64, u64)], threads: usize) {
    let teacher = Teacher::new(bytes.clone());
    let values = in_parallel(positions.len(), threads, |number| {
        let (own, other) = positions[number];
        let discs = (own | other).count_ones();
        // Where the game ends within a search, the value is of another kind.
        let is_middle = 64 - discs > COMPARED[DEPTHS - 1];
        (stage_of(discs), is_middle.then(|| teacher.values(own, other, &COMPARED)))
    });
    for stage in 0..STAGES {
        for deep in 0..DEPTHS {
            let shallow = prob_cut::shallow(deep as u32) as usize;
            let of_stage = |&(found, ref values): &(usize, Option<Vec<i32>>)| {
                let values = values.as_ref().filter(|_| found == stage.min(LAST_MIDDLE))?;
                Some(f64::from(values[deep] - values[shallow]).powi(2))
            };
            let squares: Vec<f64> = values.iter().filter_map(of_stage).collect();
            let mean = squares.iter().sum::<f64>() / (squares.len().max(1) as f64);
            let deviation = (mean.sqrt() * f64::from(UNIT)).round();
            bytes.extend((deviation as i16).to_le_bytes());
        }
    }
}

/// The last stage in which there are enough empty squares to compare searches.
const LAST_MIDDLE: usize = 9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::mixed;
    use outflank_rules::{Cell, Overrides, Setup, Variant};

    /// Returns the image of a word under a symmetry of the board.
    fn image(symmetry: u32, word: u64) -> u64 {
        let squares = (0..64).filter(|square| word >> square & 1 == 1);
        squares.fold(0, |image, square: u32| {
            let (mut column, mut row) = (square / 8, square % 8);
            if symmetry & 1 != 0 {
                column = 7 - column;
            }
            if symmetry & 2 != 0 {
                row = 7 - row;
            }
            image | 1 << if symmetry & 4 != 0 { 8 * row + column } else { 8 * column + row }
        })
    }

    #[test]
    fn images_of_a_position_have_the_same_evaluation() {
        let size = 2 * STAGES * Numbers::new().per_stage;
        // Each weight is below a disc, so that sums stay in range.
        let bytes = (0..size).map(|i| if i % 2 == 0 { mixed(i as u64) as u8 } else { 0 });
        let random = Teacher::new(bytes.collect());
        for number in 1..60 {
            let (a, b, c) = (mixed(3 * number), mixed(3 * number + 1), mixed(3 * number + 2));
            let discs = if number % 2 == 0 { a & b } else { a | b };
            let (own, other) = (discs & c, discs & !c);
            for teacher in [&random, &Teacher::embedded()] {
                let expected = teacher.evaluate(own, other);
                for symmetry in 1..8 {
                    let (own, other) = (image(symmetry, own), image(symmetry, other));
                    assert_eq!(teacher.evaluate(own, other), expected, "{symmetry}");
                }
            }
            // Black's view of a position is White's view of it with the colours exchanged.
            let position = |turn: char, black, white| {
                let rows = (0..8).map(|row| {
                    let letter = |column: u32| match (black >> (8 * column + row) & 1, white) {
                        (1, _) => 'b',
                        (_, white) if white >> (8 * column + row) & 1 == 1 => 'w',
                        _ => '-',
                    };
                    (0..8).map(letter).collect::<String>()
                });
                let text = format!("({turn} {})", rows.collect::<Vec<_>>().join(" "));
                let setup: Setup = text.parse().unwrap();
                let othello = Variant::named("othello").unwrap();
                let rules = othello.rules(&Overrides::default()).unwrap();
                setup.position(&rules, Cell::new(0, 1)).unwrap()
            };
            assert_eq!(position('b', own, other).words(), position('w', other, own).words());
        }
    }

    #[test]
    fn weights_fit_what_they_can_express() {
        let sample = |number: u64| {
            let discs = mixed(number) | mixed(number + 9999);
            let own = discs & mixed(number + 77_777);
            // A corner is worth nine discs.
            let corners = |word: u64| (word & 0x8100_0000_0000_0081).count_ones().cast_signed();
            let value = 9 * (corners(own) - corners(discs & !own));
            Sample { own, other: discs & !own, value: value as i8 }
        };
        let samples: Vec<_> = (0..400).map(sample).collect();
        let error = |epochs| {
            let teacher = Teacher::new(fit(&samples, epochs, 1, 1));
            let error = |&Sample { own, other, value }: &Sample| {
                (teacher.evaluate(own, other) - i32::from(value)).abs()
            };
            f64::from(samples.iter().map(error).sum::<i32>())
        };
        assert!(error(20) < 0.3 * error(0), "{} {}", error(20), error(0));
        assert_eq!(fit(&samples, 3, 1, 1), fit(&samples, 3, 1, 2), "threads change nothing");
    }
}
