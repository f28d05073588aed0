//! Makes the weights of the evaluation: from records of tournaments in WTHOR format, and from games
//! that the program plays against itself. The same seed and records give the same weights.
//!
//! ```sh
//! cargo run --release --example train -- FOLDER [GAMES [THREADS]]
//! ```
//!
//! FOLDER holds `WTH_YEAR.wtb` files. The records from 2009 on are held out: the weights
//! are not fitted to them. What is printed is the error on these.

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io};

use outflank::ai::training::{Sample, Teacher, fit, in_parallel, write_deviations};
use outflank::game::{Cell, Move, Overrides, Position, State, Variant};

const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ai/eight/weights.bin");
const SEED: u64 = 20;
/// The positions of a game in which a disc was placed: the discs of the player to move, and of the
/// other.
type Positions = Vec<(u64, u64)>;

/// The first year that is held out.
const HELD_OUT: u32 = 2009;
/// From how many empty squares on positions get their exact value, for the first weights and for
/// the last.
const EMPTIES: [u32; 2] = [10, 14];
const EPOCHS: [u32; 2] = [6, 20];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: train FOLDER [GAMES [THREADS]]")?);
    let games = arguments.next().map_or(Ok(40_000), |games| games.parse())?;
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

    let labelled = |teacher: &Teacher, games: &[Positions], empties| -> Vec<Sample> {
        let label = |number: usize| teacher.label(&games[number], empties);
        in_parallel(games.len(), threads, label).into_iter().flatten().collect()
    };
    let teacher = Teacher::new(Vec::new());
    let samples = labelled(&teacher, &known, EMPTIES[0]);
    report("records labelled");
    let weights = fit(&samples, EPOCHS[0], SEED, threads);
    report("first weights");
    let teacher = Teacher::new(weights);
    let mut samples = labelled(&teacher, &known, EMPTIES[1]);
    report("records labelled again");
    let play = |number| teacher.play(EMPTIES[1], SEED + number as u64);
    samples.extend(in_parallel(games, threads, play).into_iter().flatten());
    report(&format!("{games} games played"));
    let mut weights = fit(&samples, EPOCHS[1], SEED, threads);
    report("weights");
    let positions: Vec<_> = held_out.iter().step_by(200).flatten().copied().collect();
    write_deviations(&mut weights, &positions, threads);
    report("deviations");
    fs::write(WEIGHTS, &weights)?;

    print_errors(weights, &held_out, threads);
    report("done");
    Ok(())
}

fn print_errors(weights: Vec<u8>, held_out: &[Positions], threads: usize) {
    println!("empty squares | positions | mean absolute error in discs");
    let teacher = Teacher::new(weights);
    for empties in [20, 18, 16, 14, 12, 10, 8] {
        let step = (held_out.len() / 1000).max(1);
        let of_game = |number: usize| {
            let wanted = |&&(own, other): &&(u64, u64)| (!(own | other)).count_ones() == empties;
            let position = held_out[number * step].iter().find(wanted)?;
            teacher.label(&[*position], empties).into_iter().next()
        };
        let samples = in_parallel(held_out.len() / step, threads, of_game);
        let samples: Vec<_> = samples.into_iter().flatten().collect();
        println!("{empties} | {} | {:.2}", samples.len(), teacher.error(&samples));
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
