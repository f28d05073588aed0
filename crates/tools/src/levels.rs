//! Plays levels of the computer player against each other.
//!
//! `cargo run --release -p outflank-tools -- levels othello 5 0`
//! `cargo run --release -p outflank-tools -- levels othello --games 200 --scale 0.01`
//!
//! With two levels, it plays a match between them; without, each level plays the one below. Games
//! come in pairs: both begin with the same random moves, with colours swapped. A win counts 1, a
//! draw ½. The error is that of a 95 % confidence interval, estimated from the pairs.

use std::fmt;
use std::time::{Duration, Instant};

use clap::Args;
use fastrand::Rng;
use outflank_engine::{Engine, Evaluated, Level, Limits};
use outflank_rules::{Color, Position, Rules, State};

use crate::failure::Failure;
use crate::pairs::{self, Score};
use crate::rules::RuleOptions;

/// Play levels of the computer player against each other
#[derive(Args)]
pub(crate) struct Levels {
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
    /// The seed of the random moves
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

impl Levels {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let rules = self.options.rules(&self.variant)?;
        println!("first  second  games  won  drawn  lost  score           first/move  second/move");
        let neighbours = || Level::all().skip(1).zip(Level::all());
        let matches = match (self.first, self.second) {
            (Some(first), Some(second)) => vec![(first, second)],
            _ => neighbours().collect(),
        };
        for (first, second) in matches {
            let result = Match::played(self, rules, [first, second])?;
            println!("{first:>5}  {second:>6}  {result}");
        }
        Ok(())
    }
}

/// The result of a match between two levels.
#[derive(Default)]
struct Match {
    score: Score,
    /// The time and the moves of both levels.
    spent: [(Duration, u32); 2],
}

impl Match {
    fn played(arguments: &Levels, rules: Rules, levels: [Level; 2]) -> Result<Self, String> {
        let mut rng = Rng::with_seed(arguments.seed);
        let Self { mut score, mut spent } = Self::default();
        for _ in 0..arguments.games.div_ceil(2) {
            let (_, opening) = pairs::opening(rules, arguments.random, &mut rng);
            score.play_pair(|first| {
                Ok(play(arguments, &opening, levels, first, &mut rng, &mut spent))
            })?;
        }
        Ok(Self { score, spent })
    }
}

/// Plays a game and returns the winner. The first level has this colour.
fn play(
    arguments: &Levels,
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
        let played = play_scaled(engine, &position, level, arguments.scale, rng.u64(..));
        let (time, moves) = &mut spent[side];
        *time += begun.elapsed();
        *moves += 1;
        let mv = played.expect("a move in a game that is not over").mv();
        position.play(mv).expect("a legal move");
    }
}

/// Plays like [`Engine::play`] with a part of the level's nodes and without the opening book.
fn play_scaled(
    engine: &mut Engine,
    position: &Position,
    level: Level,
    scale: f64,
    seed: u64,
) -> Option<Evaluated> {
    let never = || false;
    if level.nodes() == 0 {
        return engine.play(position, level, seed, &never);
    }
    let nodes = (level.nodes() as f64 * scale) as u64;
    engine.choose(position, &Limits { nodes, ..Limits::until(&never) }, seed)
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
