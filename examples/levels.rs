//! Plays levels of the computer player against each other.
//!
//! `cargo run --release --example levels -- othello 5 0`
//! `cargo run --release --example levels -- othello --games 200 --scale 0.01`
//!
//! With two levels, it plays a match between them; without, each level plays the one below. Games
//! come in pairs: both begin with the same random moves, with colours swapped. A win counts 1, a
//! draw ½. The error is that of a 95 % confidence interval, estimated from the pairs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use fastrand::Rng;
use outflank::ai::Engine;
use outflank::command::RuleOptions;
use outflank::game::{Color, Level, Move, Overrides, Position, Rules, State, Variant};

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
    random: u32,
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
    let arguments = Arguments::parse();
    match rules(&arguments) {
        Ok(rules) => {
            run(&arguments, rules);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("levels: {error}");
            ExitCode::FAILURE
        }
    }
}

fn rules(arguments: &Arguments) -> Result<Rules, String> {
    let variant = Variant::named(&arguments.variant).map_err(|error| error.to_string())?;
    variant.rules(&Overrides::from(&arguments.options)).map_err(|error| error.to_string())
}

fn run(arguments: &Arguments, rules: Rules) {
    println!("first  second  games  won  drawn  lost  score           first/move  second/move");
    let pairs = match (arguments.first, arguments.second) {
        (Some(first), Some(second)) => vec![(first, second)],
        _ => Level::all().zip(Level::all().skip(1)).map(|(below, level)| (level, below)).collect(),
    };
    for levels in pairs {
        let result = Match::played(arguments, rules, levels);
        println!("{:>5}  {:>6}  {result}", levels.0, levels.1);
    }
}

/// The result of a match for the first level.
#[derive(Default)]
struct Match {
    won: u32,
    drawn: u32,
    lost: u32,
    /// The points of each pair of games.
    pairs: Vec<f64>,
    /// The time and the moves of both levels.
    spent: [(Duration, u32); 2],
}

impl Match {
    fn played(arguments: &Arguments, rules: Rules, (first, second): (Level, Level)) -> Self {
        let mut rng = Rng::with_seed(arguments.seed);
        let mut result = Self::default();
        for _ in 0..arguments.games.div_ceil(2) {
            let opening = opening(rules, arguments.random, &mut rng);
            let mut points = 0.0;
            for first_is in Color::BOTH {
                let winner = result.game(arguments, &opening, (first, second), first_is, &mut rng);
                points += match winner {
                    None => 0.5,
                    Some(winner) if winner == first_is => 1.0,
                    Some(_) => 0.0,
                };
                *match winner {
                    None => &mut result.drawn,
                    Some(winner) if winner == first_is => &mut result.won,
                    Some(_) => &mut result.lost,
                } += 1;
            }
            result.pairs.push(points);
        }
        result
    }

    /// Plays a game and returns the winner.
    fn game(
        &mut self,
        arguments: &Arguments,
        opening: &Position,
        (first, second): (Level, Level),
        first_is: Color,
        rng: &mut Rng,
    ) -> Option<Color> {
        let mut position = opening.clone();
        let mut engines = [(); 2].map(|()| Engine::new(arguments.memory << 20, 1));
        loop {
            if let State::Over(outcome) = position.state() {
                return outcome.winner;
            }
            let is_first = position.turn() == first_is;
            let side = usize::from(!is_first);
            let level = if is_first { first } else { second };
            let begun = Instant::now();
            let seed = rng.u64(..);
            let played =
                engines[side].play_scaled(&position, level, arguments.scale, seed, &|| false);
            let (time, moves) = &mut self.spent[side];
            *time += begun.elapsed();
            *moves += 1;
            let mv = played.expect("a move in a game that is not over").mv();
            position.play(mv).expect("a legal move");
        }
    }
}

impl std::fmt::Display for Match {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let pairs = self.pairs.len() as f64;
        let games = 2.0 * pairs;
        let mean = self.pairs.iter().sum::<f64>() / pairs;
        let squares: f64 = self.pairs.iter().map(|points| (points - mean).powi(2)).sum();
        let error = 1.96 * (squares / (pairs - 1.0).max(1.0) / pairs).sqrt() / 2.0;
        let Self { won, drawn, lost, spent, .. } = self;
        write!(f, "{games:>5}  {won:>3}  {drawn:>5}  {lost:>4}  ")?;
        write!(f, "{:>5.1} % ± {:>4.1} %", 50.0 * mean, 100.0 * error)?;
        for (time, moves) in spent {
            write!(f, "  {:>7.2} ms", 1000.0 * time.as_secs_f64() / f64::from(*moves).max(1.0))?;
        }
        Ok(())
    }
}

/// Plays random moves from the start.
fn opening(rules: Rules, plies: u32, rng: &mut Rng) -> Position {
    loop {
        let mut position = Position::start(rules);
        for _ in 0..plies {
            let mv = match position.state() {
                State::Placing => {
                    let cells: Vec<_> = position.placements().iter().collect();
                    rng.choice(cells).map(Move::Place)
                }
                State::Passing => Some(Move::Pass),
                State::Over(_) => None,
            };
            let Some(mv) = mv else { break };
            position.play(mv).expect("a legal move");
        }
        if !matches!(position.state(), State::Over(_)) {
            return position;
        }
    }
}
