//! Plays levels of the computer player against each other, or against simple players.
//!
//! `cargo run --release -p outflank-tools -- levels othello 5 0`
//! `cargo run --release -p outflank-tools -- levels othello novice greedy --games 200`
//! `cargo run --release -p outflank-tools -- levels othello --games 200 --scale 0.01`
//!
//! With two players, it plays a match between them; without, each level plays the one below. Games
//! come in pairs: both begin with the same random moves, with colours swapped. A win counts 1, a
//! draw ½. The error is that of a 95 % confidence interval, estimated from the pairs.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::Args;
use fastrand::Rng;
use outflank_engine::{Engine, Level, Limits};
use outflank_rules::{Color, Move, Position, Rules, State};

use crate::failure::Failure;
use crate::pairs::{self, Score};
use crate::rules::RuleOptions;
use crate::simple::Simple;

/// Play levels of the computer player against each other, or against simple players
#[derive(Args)]
pub(crate) struct Levels {
    /// The variant
    variant: String,
    /// The first player: a level, greedy, corners or neighbours; without it, each level plays the one
    /// below
    #[arg(requires = "second")]
    first: Option<Player>,
    /// The second player
    second: Option<Player>,
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

/// A player of a match.
#[derive(Debug, Clone, Copy)]
enum Player {
    Level(Level),
    Simple(Simple),
}

impl FromStr for Player {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(simple) = text.parse() {
            return Ok(Self::Simple(simple));
        }
        let level = text.parse().map(Self::Level);
        level.map_err(|bad| format!("{bad}; the simple players are greedy, corners and neighbours"))
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => level.fmt(f),
            Self::Simple(simple) => simple.fmt(f),
        }
    }
}

impl Levels {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let rules = self.options.rules(&self.variant)?;
        println!(
            "   first      second  games  won  drawn  lost  score           first/move  second/move"
        );
        let neighbours = || {
            let levels = || Level::all().map(Player::Level);
            levels().skip(1).zip(levels())
        };
        let matches = match (self.first, self.second) {
            (Some(first), Some(second)) => vec![(first, second)],
            _ => neighbours().collect(),
        };
        for (first, second) in matches {
            let result = Match::played(self, rules, [first, second])?;
            println!("{first:>8}  {second:>10}  {result}");
        }
        Ok(())
    }
}

/// The result of a match between two players.
#[derive(Default)]
struct Match {
    score: Score,
    /// The time and the moves of both players.
    spent: [(Duration, u32); 2],
}

impl Match {
    fn played(arguments: &Levels, rules: Rules, players: [Player; 2]) -> Result<Self, String> {
        let mut rng = Rng::with_seed(arguments.seed);
        let Self { mut score, mut spent } = Self::default();
        for _ in 0..arguments.games.div_ceil(2) {
            let (_, opening) = pairs::opening(rules, arguments.random, &mut rng);
            score.play_pair(|first| {
                Ok(play(arguments, &opening, players, first, &mut rng, &mut spent))
            })?;
        }
        Ok(Self { score, spent })
    }
}

/// Plays a game and returns the winner. The first player has this colour.
fn play(
    arguments: &Levels,
    opening: &Position,
    players: [Player; 2],
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
        let begun = Instant::now();
        let played = match players[side] {
            Player::Simple(simple) => simple.choose(&position, rng),
            Player::Level(level) => {
                let engine = &mut engines[side];
                play_scaled(engine, &position, level, arguments.scale, rng.u64(..))
            }
        };
        let (time, moves) = &mut spent[side];
        *time += begun.elapsed();
        *moves += 1;
        let mv = played.expect("a move in a game that is not over");
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
) -> Option<Move> {
    let never = || false;
    let played = if level.nodes() == 0 {
        engine.play(position, level, seed, &never)
    } else {
        let nodes = (level.nodes_for(position) as f64 * scale) as u64;
        engine.choose(position, &Limits { nodes, ..Limits::until(&never) }, seed)
    };
    played.map(|played| played.mv())
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

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn each_level_for_beginners_is_as_strong_as_the_simple_player_that_knows_as_much() {
        let arguments = |words: &str| {
            let command = Levels::augment_args(clap::Command::new("levels").no_binary_name(true));
            let matches = command.get_matches_from(words.split(' '));
            Levels::from_arg_matches(&matches).unwrap()
        };
        for (words, expected) in [
            ("othello novice greedy", 0.3..=0.7),
            ("othello beginner greedy", 0.6..=1.0),
            ("othello beginner corners", 0.3..=0.7),
            ("othello learner corners", 0.7..=1.0),
            ("othello learner neighbours", 0.3..=0.7),
            ("othello 1 learner", 0.8..=1.0),
            ("othello --misere beginner novice", 0.6..=1.0),
            ("othello --anywhere beginner novice", 0.6..=1.0),
            ("oddthello novice 0", 0.8..=1.0),
        ] {
            let arguments = arguments(&format!("{words} --games 60 --random 6"));
            let rules = arguments.options.rules(&arguments.variant).unwrap();
            let players = [arguments.first.unwrap(), arguments.second.unwrap()];
            let score = Match::played(&arguments, rules, players).unwrap().score.mean();
            assert!(expected.contains(&score), "{words}: {score}");
        }
    }
}
