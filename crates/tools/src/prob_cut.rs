//! Measures how far the values of shallow searches are from those of deep ones, which is what ProbCut needs
//! to know on boards other than 8x8: see `Kind` in `crates/engine/src/general/evaluation.rs`.
//!
//! `cargo run --release -p outflank-tools -- prob-cut othello --size 10x10`

use clap::Args;
use fastrand::Rng;
use outflank_engine::evaluation::shallow_depth;
use outflank_engine::{Engine, Limits};
use outflank_rules::{Color, Move, Position, Rules};

use crate::failure::Failure;
use crate::pairs;
use crate::parallel::in_parallel;
use crate::rules::RuleOptions;

/// Measure how far the values of shallow searches are from those of deep ones
#[derive(Args)]
pub(crate) struct ProbCut {
    /// The variant
    variant: String,
    /// The number of games from which positions are taken
    #[arg(long, default_value_t = 40)]
    games: usize,
    /// The depth of the deepest searches, in plies
    #[arg(long, default_value_t = 7)]
    depth: u32,
    /// The number of threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    #[command(flatten)]
    options: RuleOptions,
}

/// The number of random moves at the start of a game.
const RANDOM: usize = 8;
/// The nodes for each of the other moves.
const NODES: u64 = 2_000;
/// Of the positions of a game, one in this many is searched.
const STEP: usize = 5;
/// The memory of an engine in bytes.
const MEMORY: usize = 16 << 20;

impl ProbCut {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let rules = self.options.rules(&self.variant)?;
        let games = in_parallel(self.games, self.threads, |game| {
            let positions = positions(rules, game as u64);
            let is_middle = |position: &&Position| !ends_within(position, self.depth);
            let middle = positions.iter().step_by(STEP).filter(is_middle);
            middle.map(|position| self.values(position)).collect::<Vec<_>>()
        });
        let values = games.concat();
        println!(
            "depth | shallow depth | positions | mean difference in discs | standard deviation"
        );
        for depth in 1..=self.depth {
            let Some(shallow) = shallow_depth(depth) else { continue };
            let difference = |of: &Vec<i32>| f64::from(of[depth as usize] - of[shallow as usize]);
            let differences: Vec<f64> = values.iter().map(difference).collect();
            let count = differences.len();
            let mean = differences.iter().sum::<f64>() / count as f64;
            let squares = differences.iter().map(|difference| (difference - mean).powi(2));
            let deviation = (squares.sum::<f64>() / count as f64).sqrt();
            println!("{depth} | {shallow} | {count} | {mean:+.1} | {deviation:.1}");
        }
        Ok(())
    }

    /// Returns the values of a position in discs, by the depth of the search. The first is not used.
    fn values(&self, position: &Position) -> Vec<i32> {
        let value = |depth: u32| {
            let limits = Limits { depth, ..Limits::until(&|| false) };
            let found = Engine::new(MEMORY, 1).best(position, &limits);
            found.map_or(0, |found| found.value)
        };
        [0].into_iter().chain((1..=self.depth).map(value)).collect()
    }
}

/// Returns the positions of a game of the engine with itself in which it has a choice.
fn positions(rules: Rules, seed: u64) -> Vec<Position> {
    let (_, mut position) = pairs::opening(rules, RANDOM, &mut Rng::with_seed(seed));
    let mut engine = Engine::new(MEMORY, 1);
    let mut positions = Vec::new();
    let limits = Limits { nodes: NODES, ..Limits::until(&|| false) };
    while let Some(found) = engine.choose(&position, &limits, seed) {
        if position.legal().len() > 1 {
            positions.push(position.clone());
        }
        position.play(found.mv()).expect("a legal move");
        if position.passes_automatically() {
            position.play(Move::Pass).expect("a legal pass");
        }
    }
    positions
}

/// Returns whether the last disc can be placed within this number of plies.
fn ends_within(position: &Position, plies: u32) -> bool {
    let discs: u32 = Color::BOTH.iter().map(|&color| position.count(color)).sum();
    let places = match position.rules().supply {
        Some(each) => 2 * each,
        None => position.cells().count() as u32,
    };
    places.saturating_sub(discs) <= plies
}
