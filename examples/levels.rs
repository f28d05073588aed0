//! Plays levels of the computer player against each other.
//!
//! `cargo run --release --example levels -- othello 5 0`
//! `cargo run --release --example levels -- othello --games 200 --scale 0.01`
//!
//! With two levels, it plays a match between them; without, each level plays the one below. Games
//! come in pairs: both begin with the same random moves, with colours swapped. A win counts 1, a
//! draw ½. The error is that of a 95 % confidence interval, estimated from the pairs.

mod pairs;

use std::fmt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use fastrand::Rng;
use outflank::command::RuleOptions;
use outflank_engine::Engine;
use outflank_engine::Level;
use outflank_rules::{Color, Position, Rules, State};
use pairs::Score;

/// Play levels of the computer player against each other
#[derive(Parser)]
#[command(name = "levels")]
struct Arguments {
    /// The variant
    variant: String,
    /// The first level; without it, each level plays the one below
    #[arg(value_parser = level, requires = "second")]
    first: Option<Level>,
    /// The second level
    #[arg(value_parser = level)]
    second: Option<Level>,
    /// The number of games of each match
    #[arg(long, default_value_t = 100)]
    games: u32,
    /// The part of a level's nodes that it may use
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// The number of random moves at the start of a game
    #[arg(long, default_value_t = 4)]
    random: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The memory of each engine in megabytes
    #[arg(long, default_value_t = 16)]
    memory: usize,
    #[command(flatten)]
    options: RuleOptions,
}

fn level(text: &str) -> Result<Level, String> {
    let level = text.parse().ok().and_then(Level::new);
    level.ok_or_else(|| "a level is a number from 0 to 10".to_owned())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("levels: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let rules = pairs::rules(&arguments.variant, &arguments.options)?;
    println!("first  second  games  won  drawn  lost  score           first/move  second/move");
    let matches = match (arguments.first, arguments.second) {
        (Some(first), Some(second)) => vec![(first, second)],
        _ => Level::all().zip(Level::all().skip(1)).map(|(below, level)| (level, below)).collect(),
    };
    for (first, second) in matches {
        let result = Match::played(arguments, rules, [first, second])?;
        println!("{first:>5}  {second:>6}  {result}");
    }
    Ok(())
}

/// The result of a match between two levels.
#[derive(Default)]
struct Match {
    score: Score,
    /// The time and the moves of both levels.
    spent: [(Duration, u32); 2],
}

impl Match {
    fn played(arguments: &Arguments, rules: Rules, levels: [Level; 2]) -> Result<Self, String> {
        let mut rng = Rng::with_seed(arguments.seed);
        let Self { mut score, mut spent } = Self::default();
        for _ in 0..arguments.games.div_ceil(2) {
            let opening = pairs::opening(rules, arguments.random, &mut rng);
            score.play_pair(|first| {
                Ok(play(arguments, opening.position(), levels, first, &mut rng, &mut spent))
            })?;
        }
        Ok(Self { score, spent })
    }
}

/// Plays a game and returns the winner. The first level has this colour.
fn play(
    arguments: &Arguments,
    opening: &Position,
    levels: [Level; 2],
    first: Color,
    rng: &mut Rng,
    spent: &mut [(Duration, u32); 2],
) -> Option<Color> {
    let mut position = opening.clone();
    let mut engines = [(); 2].map(|()| Engine::new(arguments.memory << 20, 1));
    loop {
        if let State::Over(outcome) = position.state() {
            return outcome.winner;
        }
        let side = usize::from(position.turn() != first);
        let (engine, level) = (&mut engines[side], levels[side]);
        let begun = Instant::now();
        let played = engine.play_scaled(&position, level, arguments.scale, rng.u64(..), &|| false);
        let (time, moves) = &mut spent[side];
        *time += begun.elapsed();
        *moves += 1;
        let mv = played.expect("a move in a game that is not over").mv();
        position.play(mv).expect("a legal move");
    }
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Score { wins, draws, losses, .. } = self.score;
        let games = wins + draws + losses;
        write!(f, "{games:>5}  {wins:>3}  {draws:>5}  {losses:>4}  ")?;
        let (mean, error) = (self.score.mean(), self.score.error());
        write!(f, "{:>5.1} % ± {:>4.1} %", 100.0 * mean, 100.0 * error)?;
        for (time, moves) in self.spent {
            write!(f, "  {:>7.2} ms", 1000.0 * time.as_secs_f64() / f64::from(moves).max(1.0))?;
        }
        Ok(())
    }
}
