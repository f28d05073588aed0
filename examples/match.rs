//! Lets two engines play a match and says which is stronger.
//!
//! ```sh
//! cargo run --release --example match -- level:6 level:5 --games 200
//! cargo run --release --example match -- time:100 "nboard:/opt/ntest/ntest x" --depth 12 --sprt 0,20
//! ```
//!
//! Each opening is a few random moves or a balanced one, and is played twice with colours swapped.

use std::collections::HashSet;
use std::fmt;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::Parser;
use fastrand::Rng;
use outflank::config::ProgramSettings;
use outflank::program::Program;
use outflank::protocol::Protocol;
use outflank::protocol::Record;
use outflank_engine::{Engine, Level, Limits};
use outflank_model::Opening;
use outflank_model::log::Game;
use outflank_rules::{Color, Move, Position, Rules, Transcript};
use outflank_tools::pairs::{self, Score};
use outflank_tools::rules::RuleOptions;

/// Lets two engines play a match and says which is stronger
#[derive(Parser)]
#[command(name = "match")]
struct Arguments {
    /// level:N, nodes:N, time:MILLISECONDS, or nboard:COMMAND or gtp:COMMAND for a program
    first: Player,
    /// The opponent
    second: Player,
    /// The most games, played in pairs
    #[arg(long, default_value_t = 200)]
    games: u32,
    /// The variant
    #[arg(long, default_value = "othello")]
    variant: String,
    #[command(flatten)]
    options: RuleOptions,
    /// The number of random moves at the beginning
    #[arg(long, default_value_t = 8)]
    opening: usize,
    /// Begin each pair with a balanced opening instead, so that a difference in strength shows sooner
    #[arg(long, conflicts_with = "opening")]
    balanced: bool,
    /// The seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop as soon as one of two differences in Elo is the likelier, such as 0,20
    #[arg(long, value_name = "ELO,ELO")]
    sprt: Option<Hypotheses>,
    /// How deep a program may search, if it speaks nboard
    #[arg(long, default_value_t = 16)]
    depth: u32,
    /// The most seconds of a program for a move
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// The size of our engine's table in megabytes
    #[arg(long, default_value_t = 64)]
    memory: usize,
}

/// One side of the match.
#[derive(Debug, Clone)]
enum Player {
    Level(Level),
    Nodes(u64),
    Time(Duration),
    Program(Protocol, Vec<String>),
}

impl FromStr for Player {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a player; use level:5, nodes:100000 or time:50");
        let (kind, value) = text.split_once(':').ok_or_else(bad)?;
        let number = || value.parse::<u64>().map_err(|_| bad());
        Ok(match kind {
            "level" => Self::Level(value.parse().map_err(|_| bad())?),
            "nodes" => Self::Nodes(number()?),
            "time" => Self::Time(Duration::from_millis(number()?)),
            protocol => {
                let protocol: Protocol = protocol.parse().map_err(|_| bad())?;
                let command = shlex::split(value).filter(|words| !words.is_empty());
                Self::Program(protocol, command.ok_or_else(bad)?)
            }
        })
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(f, "level:{level}"),
            Self::Nodes(nodes) => write!(f, "nodes:{nodes}"),
            Self::Time(time) => write!(f, "time:{}", time.as_millis()),
            Self::Program(protocol, command) => {
                write!(f, "{}:{}", protocol.name, command.join(" "))
            }
        }
    }
}

/// Two differences in Elo between which a test decides.
#[derive(Debug, Clone, Copy)]
struct Hypotheses(f64, f64);

impl FromStr for Hypotheses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed =
            text.split_once(',').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parsed {
            Some((low, high)) if low < high => Ok(Self(low, high)),
            _ => Err("use two numbers, the smaller first, such as 0,20".to_owned()),
        }
    }
}

/// A player at the board.
enum Seat {
    Own(Box<Engine>, Player),
    Program(Box<Program>),
}

impl Seat {
    fn new(player: &Player, arguments: &Arguments) -> Result<Self, String> {
        let Player::Program(protocol, command) = player else {
            return Ok(Self::Own(Box::new(Engine::new(arguments.memory << 20, 1)), player.clone()));
        };
        let settings = ProgramSettings {
            command: command.clone(),
            protocol: toml::Spanned::new(0..0, protocol.name.to_owned()),
            depth: arguments.depth,
            seconds_per_move: arguments.seconds,
            memory_mb: 4096,
            processes: 64,
        };
        let program = Program::start(&settings, 200).map_err(|error| error.to_string())?;
        Ok(Self::Program(Box::new(program)))
    }

    fn choose(&mut self, game: &Game, seed: u64) -> Result<Move, String> {
        let position = game.position();
        let begun = Instant::now();
        let never = || false;
        let found = match self {
            Self::Program(program) => {
                return program
                    .choose(&Record::of(game.start(), game.moves()), &never)
                    .map_err(|error| error.to_string());
            }
            Self::Own(engine, Player::Level(level)) => engine.play(position, *level, seed, &never),
            Self::Own(engine, Player::Nodes(nodes)) => {
                engine.best(position, &Limits { nodes: *nodes, ..Limits::until(&never) })
            }
            Self::Own(engine, Player::Time(time)) => {
                let stop = || begun.elapsed() >= *time;
                engine.best(position, &Limits::until(&stop))
            }
            Self::Own(..) => None,
        };
        found.map(|found| found.mv()).ok_or_else(|| "no move was found".to_owned())
    }
}

/// The logarithm of how much likelier the second hypothesis is than the first.
fn log_likelihood(score: &Score, Hypotheses(low, high): Hypotheses) -> f64 {
    let (low, high) = (score_of(low), score_of(high));
    let pairs = score.pairs.len();
    if pairs < MIN_PAIRS {
        return 0.0;
    }
    let variance = score.variance().max(MIN_VARIANCE);
    (high - low) * (2.0 * score.mean() - low - high) * pairs as f64 / (2.0 * variance)
}

/// The expected score of a player who is this much stronger.
fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The difference in Elo that gives this score.
fn elo_of(score: f64) -> f64 {
    let score = score.clamp(1e-6, 1.0 - 1e-6);
    // Not minus zero.
    400.0 * (score / (1.0 - score)).log10() + 0.0
}

/// The bound of the test: wrong in 5 % of the cases on either side.
const BOUND: f64 = 2.944;
/// The pairs before which the test does not decide: their spread says nothing yet.
const MIN_PAIRS: usize = 10;
/// The least variance of a pair's score that the test believes.
const MIN_VARIANCE: f64 = 0.02;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("match: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let rules = arguments.options.rules(&arguments.variant)?;
    let mut rng = Rng::with_seed(arguments.seed);
    let mut score = Score::default();
    let players = [&arguments.first, &arguments.second];
    for pair in 1..=arguments.games.div_ceil(2) {
        let opening = opening(rules, arguments, &mut rng)?;
        let seed = u64::from(pair);
        let results = score.play_pair(|first| play(&opening, first, players, arguments, seed))?;
        println!("pair {pair}: {} {}; {}", results[0], results[1], summary(&score));
        if let Some(hypotheses) = arguments.sprt {
            let likelihood = log_likelihood(&score, hypotheses);
            println!("  log-likelihood ratio {likelihood:.2} of {BOUND}");
            if likelihood.abs() >= BOUND {
                break;
            }
        }
    }
    println!("{} - {}: {}", arguments.first, arguments.second, summary(&score));
    if let Some(hypotheses @ Hypotheses(low, high)) = arguments.sprt {
        let likelihood = log_likelihood(&score, hypotheses);
        println!(
            "{}",
            match likelihood {
                BOUND.. => format!("accepted: {high} Elo rather than {low}"),
                _ if likelihood <= -BOUND => format!("rejected: {low} Elo rather than {high}"),
                _ => "undecided: play more games".to_owned(),
            }
        );
    }
    Ok(())
}

/// Returns a game that begins with random moves or with a balanced opening, and is not over.
fn opening(rules: Rules, arguments: &Arguments, rng: &mut Rng) -> Result<Game, String> {
    let start = Position::start(rules);
    let moves = if !arguments.balanced {
        pairs::opening(rules, arguments.opening, rng).0
    } else if Opening::Balanced.suits(&start) {
        let drawn = Opening::Balanced.draw(rng.u64(..), &HashSet::new());
        drawn.parse::<Transcript>().expect("a line of moves").0
    } else {
        return Err("only Othello on 8x8 has balanced openings; leave out --balanced".to_owned());
    };
    let mut game = Game::new(start);
    for mv in moves {
        game.play(mv).expect("a legal move");
    }
    Ok(game)
}

fn summary(score: &Score) -> String {
    let (mean, error) = (score.mean(), score.error());
    let elo = if mean > 0.0 && mean < 1.0 {
        let spread = (elo_of(mean + error) - elo_of(mean - error)) / 2.0;
        format!("; Elo {:+.0} +- {spread:.0}", elo_of(mean))
    } else {
        // After only wins or only losses, the difference has no bound.
        String::new()
    };
    format!(
        "{} wins, {} draws, {} losses; score {:.1} % +- {:.1}{elo}",
        score.wins,
        score.draws,
        score.losses,
        100.0 * mean,
        100.0 * error,
    )
}

/// Plays a game and returns the winner. The first player has this colour.
fn play(
    opening: &Game,
    first: Color,
    players: [&Player; 2],
    arguments: &Arguments,
    seed: u64,
) -> Result<Option<Color>, String> {
    let mut game = opening.clone();
    let mut seats = Vec::new();
    for player in players {
        seats.push(Seat::new(player, arguments)?);
    }
    while let Some(turn) = game.turn() {
        let seat = usize::from(turn != first);
        let seed = seed * 1000 + game.plies().len() as u64;
        let mv =
            seats[seat].choose(&game, seed).map_err(|why| format!("{}: {why}", players[seat]))?;
        game.play(mv).map_err(|illegal| format!("{}: {illegal}", players[seat]))?;
    }
    Ok(game.outcome().and_then(|outcome| outcome.winner))
}
