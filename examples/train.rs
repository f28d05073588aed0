//! Makes the weights of the evaluation: from records of tournaments in WTHOR format, and from games
//! that the program plays against itself. The same seed and records give the same weights.
//!
//! ```sh
//! cargo run --release --example train -- FOLDER [GAMES [THREADS]]
//! ```
//!
//! FOLDER holds `WTH_YEAR.wtb` files. The records from 2009 on are held out: the weights
//! are not fitted to them. What is printed is the error on these.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io};

use outflank_engine::training::{Labels, Sample, Teacher, fit, in_parallel, write_deviations};
use outflank_rules::{Cell, Move, Overrides, Position, State, Variant};

const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ai/eight/weights.bin");
const SEED: u64 = 20;
/// The positions of a game in which a disc was placed: the discs of the player to move, and of the
/// other.
type Positions = Vec<(u64, u64)>;

/// The first year that is held out.
const HELD_OUT: u32 = 2009;

/// A step of the training. Its weights label the positions of the next one.
struct Round {
    labels: Labels,
    /// How many percent of the games of self-play are played.
    self_play: usize,
    epochs: u32,
}

const ROUNDS: [Round; 3] = [
    Round { labels: Labels { exact_from: 10, depth: None }, self_play: 0, epochs: 6 },
    Round { labels: Labels { exact_from: 14, depth: Some(4) }, self_play: 10, epochs: 10 },
    Round { labels: Labels { exact_from: 14, depth: Some(4) }, self_play: 100, epochs: 20 },
];

/// The numbers of empty squares for which errors are printed.
const STAGES: [u32; 7] = [20, 18, 16, 14, 12, 10, 8];
/// The depths of the searches whose errors are printed beside those of the evaluation, in plies.
const DEPTHS: [u32; 2] = [2, 4];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: train FOLDER [GAMES [THREADS]]")?);
    let games = arguments.next().map_or(Ok(200_000), |games| games.parse())?;
    let threads = arguments.next().map_or(Ok(2), |threads| threads.parse())?;
    let start = Instant::now();
    let report = |what: &str| eprintln!("{:7.1} s: {what}", start.elapsed().as_secs_f64());

    let (mut known, mut held_out) = (Vec::new(), Vec::new());
    let mut files: Vec<_> =
        fs::read_dir(&folder)?.map(|e| Ok(e?.path())).collect::<io::Result<_>>()?;
    files.sort();
    for file in files {
        let Some(year) = year_of(&file) else { continue };
        let games = games_of(&fs::read(&file)?)?;
        if year < HELD_OUT { &mut known } else { &mut held_out }.extend(games);
    }
    report(&format!("{} games, {} held out", known.len(), held_out.len()));

    // Most tournament games begin alike.
    let mut seen = HashSet::new();
    known.iter_mut().for_each(|game| game.retain(|&position| seen.insert(position)));
    report(&format!("{} different positions", seen.len()));

    let mut weights = Vec::new();
    for (number, Round { labels, self_play, epochs }) in (1..).zip(ROUNDS) {
        let teacher = Teacher::new(weights);
        let label = |number: usize| teacher.label(&known[number], labels);
        let mut samples: Vec<Sample> = flat(in_parallel(known.len(), threads, label));
        report(&format!("round {number}: records labelled"));
        let games = games * self_play / 100;
        let play = |number| teacher.play(labels, SEED + number as u64);
        samples.extend(flat(in_parallel(games, threads, play)));
        report(&format!("round {number}: {games} games played"));
        weights = fit(&samples, epochs, SEED, threads);
        report(&format!("round {number}: weights fitted to {} positions", samples.len()));
    }
    let positions: Vec<_> = held_out.iter().step_by(200).flatten().copied().collect();
    write_deviations(&mut weights, &positions, threads);
    report("deviations");
    fs::write(WEIGHTS, &weights)?;
    report("weights written");

    print_errors(weights, &held_out, threads);
    report("done");
    Ok(())
}

fn flat<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    parts.into_iter().flatten().collect()
}

fn print_errors(weights: Vec<u8>, held_out: &[Positions], threads: usize) {
    println!("mean absolute error in discs");
    println!("empty squares | positions | evaluation | search of 2 plies | of 4 plies");
    let teacher = Teacher::new(weights);
    for empties in STAGES {
        let step = (held_out.len() / 1000).max(1);
        let of_game = |number: usize| {
            let wanted = |&&(own, other): &&(u64, u64)| (!(own | other)).count_ones() == empties;
            let position @ &(own, other) = held_out[number * step].iter().find(wanted)?;
            let labels = Labels { exact_from: empties, depth: None };
            let value = i32::from(teacher.label(&[*position], labels).first()?.value);
            let mut found = teacher.values(own, other, &DEPTHS);
            found.insert(0, teacher.evaluate(own, other));
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

/// Returns the positions of each game in which a disc was placed.
fn games_of(bytes: &[u8]) -> Result<Vec<Positions>, Box<dyn std::error::Error>> {
    let rules = Variant::named("othello")?.rules(&Overrides::default())?;
    let records = bytes.get(16..).ok_or("a file is too short")?;
    let game = |record: &[u8]| {
        let mut position = Position::start(rules);
        let mut positions = Vec::new();
        // Rows and columns count from 1.
        for &mv in record[8..].iter().take_while(|&&mv| mv != 0) {
            if position.state() == State::Passing && position.play(Move::Pass).is_err() {
                break;
            }
            positions.extend(position.words());
            let cell = Cell::new(i32::from(mv % 10) - 1, i32::from(mv / 10));
            if position.play(Move::Place(cell)).is_err() {
                break;
            }
        }
        positions
    };
    Ok(records.chunks_exact(68).map(game).collect())
}
