//! Makes the weights of the evaluation: from records of tournaments in WTHOR format, and from games
//! that the program plays against itself. The same seed and records give the same weights.
//!
//! `cargo run --release -p outflank-tools -- train FOLDER [GAMES [THREADS]]`

mod deviations;
mod fit;
mod network;
mod random;
mod sample;
mod teacher;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io};

use clap::Args;
use outflank_engine::evaluation::{Evaluator, Weights, network_start};
use outflank_rules::Position;

use self::deviations::deviations;
use self::fit::fit;
use self::sample::Sample;
use self::teacher::{Labels, label, play, values};
use crate::failure::Failure;
use crate::parallel::in_parallel;
use crate::wthor;

/// Make the weights of the evaluation
#[derive(Args)]
pub(crate) struct Train {
    /// The folder with `WTH_YEAR.wtb` files. The weights are not fitted to the records from 2009 on:
    /// what is printed is the error on these
    folder: PathBuf,
    /// How many games to play
    #[arg(default_value_t = 200_000)]
    games: usize,
    /// The number of threads
    #[arg(default_value_t = 2)]
    threads: usize,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = WEIGHTS)]
    output: PathBuf,
}

const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/eight/weights.bin");
const SEED: u64 = 20;
/// The positions of a game where a disc was placed: the discs of the player to move, and of the other.
type Positions = Vec<(u64, u64)>;

/// The first year that is held out.
const HELD_OUT: u32 = 2009;

/// A step of the training. Its weights label the positions of the next one.
struct Round {
    labels: Labels,
    /// How many percent of the games of self-play are played.
    self_play: usize,
    part: Part,
    epochs: u32,
}

/// The part of a file of weights that a round learns.
enum Part {
    /// The weights of the sum and, given these, the deviations.
    Sum,
    /// The network, given the weights of the sum.
    Network,
}

const ROUNDS: [Round; 5] = [
    Round {
        labels: Labels { exact_from: 10, depth: None },
        self_play: 0,
        part: Part::Sum,
        epochs: 6,
    },
    Round { labels: LABELS, self_play: 10, part: Part::Sum, epochs: 10 },
    Round { labels: LABELS, self_play: 100, part: Part::Sum, epochs: 20 },
    Round { labels: LABELS, self_play: 100, part: Part::Network, epochs: 10 },
    Round { labels: LABELS, self_play: 100, part: Part::Network, epochs: 10 },
];
const LABELS: Labels = Labels { exact_from: 14, depth: Some(4) };

/// The numbers of empty squares for which errors are printed.
const STAGES: [u32; 7] = [20, 18, 16, 14, 12, 10, 8];
/// The depths, in plies, of the searches to compare with the evaluation: their errors are printed beside it.
const DEPTHS: [u32; 2] = [2, 4];

/// Of the positions that are held out, one in this many measures the deviations.
const DEVIATION_STEP: usize = 200;

impl Train {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let start = Instant::now();
        let report = |what: &str| eprintln!("{:7.1} s: {what}", start.elapsed().as_secs_f64());
        let (mut known, held_out) = self.records()?;
        report(&format!("{} games, {} held out", known.len(), held_out.len()));

        // Most tournament games begin alike.
        let mut seen = HashSet::new();
        known.iter_mut().for_each(|game| game.retain(|&position| seen.insert(position)));
        report(&format!("{} different positions", seen.len()));

        let positions: Vec<_> =
            held_out.iter().step_by(DEVIATION_STEP).flatten().copied().collect();
        let mut bytes = Vec::new();
        for (number, round) in (1..).zip(ROUNDS) {
            let report = |what: &str| report(&format!("round {number}: {what}"));
            let mut samples = self.samples(&round, &bytes, &known, &report);
            match round.part {
                Part::Sum => {
                    bytes = fit(&samples, round.epochs, SEED, self.threads);
                    let weights = Weights::from_bytes(bytes.clone());
                    bytes.extend(deviations(&weights, &positions, self.threads));
                }
                Part::Network => {
                    bytes.truncate(network_start());
                    bytes.extend(network::train(&bytes, &mut samples, round.epochs, SEED));
                }
            }
            report(&format!("learnt from {} positions", samples.len()));
        }
        fs::write(&self.output, &bytes)?;
        report("weights written");

        print_errors(&Weights::from_bytes(bytes), &held_out, self.threads);
        report("done");
        Ok(())
    }

    /// Returns the games of the records: those to learn from, and those that are held out.
    fn records(&self) -> Result<(Vec<Positions>, Vec<Positions>), Failure> {
        let (mut known, mut held_out) = (Vec::new(), Vec::new());
        let files = fs::read_dir(&self.folder)?.map(|entry| Ok(entry?.path()));
        let mut files: Vec<_> = files.collect::<io::Result<_>>()?;
        files.sort();
        for file in files {
            let Some(year) = year_of(&file) else { continue };
            let games = games_of(&fs::read(&file)?)?;
            if year < HELD_OUT { &mut known } else { &mut held_out }.extend(games);
        }
        Ok((known, held_out))
    }

    /// Returns the positions that a round learns from, with the values that these weights give them.
    fn samples(
        &self,
        &Round { labels, self_play, .. }: &Round,
        bytes: &[u8],
        known: &[Positions],
        report: &dyn Fn(&str),
    ) -> Vec<Sample> {
        let threads = self.threads;
        let weights = Weights::from_bytes(bytes.to_vec());
        let of_game = |number: usize| label(&weights, &known[number], labels);
        let mut samples: Vec<Sample> = flat(in_parallel(known.len(), threads, of_game));
        report("records labelled");
        let games = self.games * self_play / 100;
        let self_play = |number| play(&weights, labels, SEED + number as u64);
        samples.extend(flat(in_parallel(games, threads, self_play)));
        report(&format!("{games} games played"));
        samples
    }
}

fn flat<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    parts.into_iter().flatten().collect()
}

fn print_errors(weights: &Weights, held_out: &[Positions], threads: usize) {
    println!("mean absolute error in discs");
    println!("empty squares | positions | evaluation | search of 2 plies | of 4 plies");
    for empties in STAGES {
        let step = (held_out.len() / 1000).max(1);
        let of_game = |number: usize| {
            let wanted = |&&(own, other): &&(u64, u64)| (!(own | other)).count_ones() == empties;
            let position @ &(own, other) = held_out[number * step].iter().find(wanted)?;
            let labels = Labels { exact_from: empties, depth: None };
            let value = i32::from(label(weights, &[*position], labels).first()?.value);
            let mut found = values(weights, own, other, &DEPTHS);
            found.insert(0, Evaluator::new(weights, 0).evaluate(own, other));
            Some(found.into_iter().map(|found| (found - value).abs()).collect::<Vec<_>>())
        };
        let errors = in_parallel(held_out.len() / step, threads, of_game);
        let errors: Vec<_> = errors.into_iter().flatten().collect();
        let mean = |way: usize| {
            let sum: i32 = errors.iter().map(|errors| errors[way]).sum();
            format!(" | {:.1}", f64::from(sum) / errors.len() as f64)
        };
        let means: String = (0..=DEPTHS.len()).map(mean).collect();
        println!("{empties} | {}{means}", errors.len());
    }
}

fn year_of(file: &Path) -> Option<u32> {
    file.file_name()?.to_str()?.strip_prefix("WTH_")?.strip_suffix(".wtb")?.parse().ok()
}

/// Returns the positions of each game where a disc was placed.
fn games_of(bytes: &[u8]) -> Result<Vec<Positions>, Failure> {
    let bitboards = |game: Vec<Position>| game.iter().filter_map(Position::bitboards).collect();
    Ok(wthor::games(bytes)?.map(bitboards).collect())
}
