//! Plays many games of all variants with little time for each move, and reports illegal moves and
//! moves that took too long.
//!
//! `cargo run --release -p outflank-tools -- soak 1000 --time 10`
//!
//! The strongest level plays against level 0, which plays at random. Colours alternate. The score is
//! that of the strongest level; on very small boards, one colour cannot win.

use std::time::{Duration, Instant};

use clap::Args;
use outflank_engine::{Engine, Level};
use outflank_rules::{Color, Lattice, Overrides, Position, Rules, Size, State, Stuck, Variant};

use crate::failure::Failure;

/// Play many games with little time and report illegal moves and time overruns
#[derive(Args)]
pub(crate) struct Soak {
    /// The number of games
    games: u32,
    /// The milliseconds for each move
    #[arg(long, default_value_t = 10)]
    time: u64,
    /// The milliseconds after the end of the time that are not an overrun
    #[arg(long, default_value_t = 10)]
    grace: u64,
    /// The seed of the random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What happened in the games.
#[derive(Default)]
struct Report {
    moves: u32,
    illegal: u32,
    overruns: u32,
    longest: Duration,
    /// Half points of the strongest level.
    points: u32,
}

impl Soak {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let all = all_rules();
        let mut total = Report::default();
        let mut scores = vec![(0, 0); all.len()];
        // The table is taken before the first game.
        let mut engine = Engine::new(16 << 20, 1);
        engine.play(&Position::start(all[0]), Level::STRONGEST, 0, &|| true);
        let mut rng = fastrand::Rng::with_seed(self.seed);
        for game in 0..self.games {
            let index = (game / 2) as usize % all.len();
            let rules = all[index];
            let side = Color::BOTH[game as usize % 2];
            let before = total.points;
            play(self, &mut engine, rules, side, &mut rng, &mut total);
            scores[index].0 += total.points - before;
            scores[index].1 += 2;
        }
        let Report { moves, illegal, overruns, longest, points } = total;
        for (rules, &(points, of)) in all.iter().zip(&scores).filter(|(_, score)| score.1 > 0) {
            println!("{:>5.1} %  {}", 100.0 * f64::from(points) / f64::from(of), described(rules));
        }
        let longest = longest.as_secs_f64() * 1000.0;
        let score = 50.0 * f64::from(points) / f64::from(self.games.max(1));
        println!("{} games, {moves} moves, score {score:.1} %", self.games);
        println!("{illegal} illegal moves, {overruns} time overruns, longest move {longest:.1} ms");
        if illegal == 0 { Ok(()) } else { Err("illegal moves were made".into()) }
    }
}

/// Returns the rules of every variant, and of Othello with every option on boards of many sizes.
fn all_rules() -> Vec<Rules> {
    let named = |name| Variant::named(name).expect("a known variant");
    let plain = |name| named(name).rules(&Overrides::default()).expect("the rules as they are");
    let mut all: Vec<_> = ["othello", "mini", "twente", "oddthello"].map(plain).into();
    let sizes = [(3, 3), (4, 4), (5, 7), (6, 6), (8, 8), (10, 10), (3, 26), (16, 16), (14, 20)];
    for (rows, columns) in sizes {
        let size = Some(Size::new(rows, columns).expect("a valid size"));
        for misere in [false, true] {
            for anywhere in [false, true] {
                for stuck in [None, Some(Stuck::MustPass)] {
                    let overrides = Overrides { size, misere, anywhere, stuck };
                    all.push(named("othello").rules(&overrides).expect("a rectangle"));
                }
            }
        }
    }
    all
}

fn described(rules: &Rules) -> String {
    match rules.lattice {
        Lattice::Rectangle(size) => {
            format!("{size} {:?} {:?} {:?}", rules.goal, rules.placement, rules.stuck)
        }
        Lattice::Hex => "hex".to_owned(),
    }
}

fn play(
    arguments: &Soak,
    engine: &mut Engine,
    rules: Rules,
    side: Color,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) {
    let random = Level::new(0).expect("the lowest level");
    let mut position = Position::start(rules);
    let (time, grace) =
        (Duration::from_millis(arguments.time), Duration::from_millis(arguments.grace));
    loop {
        if let State::Over(outcome) = position.state() {
            report.points += match outcome.winner {
                None => 1,
                Some(winner) => 2 * u32::from(winner == side),
            };
            return;
        }
        let seed = rng.u64(..);
        let played = if position.turn() == side {
            let begun = Instant::now();
            let stop = || begun.elapsed() >= time;
            let played = engine.play(&position, Level::STRONGEST, seed, &stop);
            let spent = begun.elapsed();
            report.moves += 1;
            report.longest = report.longest.max(spent);
            report.overruns += u32::from(spent > time + grace);
            played
        } else {
            engine.play(&position, random, seed, &|| false)
        };
        let mv = played.map(|played| played.mv());
        if mv.is_none_or(|mv| position.play(mv).is_err()) {
            report.illegal += 1;
            println!("illegal: {mv:?} in {position} {rules:?}");
            return;
        }
    }
}
