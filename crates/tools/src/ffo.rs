//! Solves positions 40 to 49 of the FFO collection of endings, checks them, and prints the time.
//!
//! ```sh
//! cargo run --release -p outflank-tools -- ffo [FIRST [LAST [THREADS]]]
//! ```

use std::time::Instant;

use clap::Args;
use outflank_engine::{Engine, Limits};
use outflank_rules::{Cell, Overrides, Setup, Variant};

use crate::failure::Failure;

/// Solve positions 40 to 49 of the FFO collection of endings
#[derive(Args)]
pub(crate) struct Ffo {
    /// The first position
    #[arg(default_value_t = 40)]
    first: u32,
    /// The last position
    #[arg(default_value_t = 49)]
    last: u32,
    #[arg(default_value_t = 1)]
    /// The number of threads
    threads: usize,
}

/// Number, position, the score for the player to move with the empty squares counted for the winner,
/// and the best moves.
const ENDINGS: &[(u32, &str, i32, &[&str])] = &[
    (
        40,
        "(b w--wwwwb -wwwwwwb wwbbwwwb wwbwwwbb wwwwwwbb ---wwwwb ----w--b --------)",
        38,
        &["a2"],
    ),
    (41, "(b -wwwww-- --wwwwb- -wwwwww- bbbbbww- -bbwwb-- wwbwbb-- --wbbw-- -www--w-)", 0, &["h4"]),
    (42, "(b --www--- ----bb-w wwwwwbww -wwwwbww b-wwwbbw ---wwbww ---wwwbw --wwww--)", 6, &["g2"]),
    (
        43,
        "(w --bbbbb- --bbbb-- -wwwbb-- -wwbbbb- -wwbbbw- wwwwbww- ---bwb-- --bbbbb-)",
        -12,
        &["g3", "c7"],
    ),
    (
        44,
        "(w --w-b-w- --w-bw-w -wwbbbww wwwwbbbw wwwwbb-- bbwwbw-- --bbbb-- ---bbb--)",
        -14,
        &["d2", "b8"],
    ),
    (45, "(b ---bbbb- b-bbbw-- bbwbww-- bbbwbw-- bbwbbw-- -wbbbww- w-wwww-- ----ww--)", 6, &["b2"]),
    (
        46,
        "(b ---bbb-- --wwwb-- --wwwbb- -wwwwbbb --wwwwbb --wbwbbb --bbww-- -bbbb-w-)",
        -8,
        &["b3"],
    ),
    (47, "(w -wwwww-- --wwww-- -wwwwb-- bbbbbb-- -wbwwb-- wwwbwb-- --wwbb-- --bbbb--)", 4, &["g2"]),
    (
        48,
        "(w -----b-- b-bbb--- bbbbww-- bwbwwbb- bwwbbb-- bwwbb--- --wwwb-- -bbbbbb-)",
        28,
        &["f6"],
    ),
    (
        49,
        "(b --wb-w-- --bbww-- wwwwwbb- wwwwwb-- wwwbwbb- wwwwbb-- ---wwb-- --b-w---)",
        16,
        &["e1"],
    ),
];
/// The bytes of the engine's table: the default of `outflank`.
const MAX_BYTES: usize = 64 << 20;

impl Ffo {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let &Self { first, last, threads } = self;
        let rules = Variant::named("othello")?.rules(&Overrides::default())?;
        let (mut nodes, mut seconds) = (0, 0.0);
        for &(number, text, score, moves) in ENDINGS {
            if !(first..=last).contains(&number) {
                continue;
            }
            let position = text.parse::<Setup>()?.position(&rules, Cell::new(0, 1))?;
            let mut engine = Engine::new(MAX_BYTES, threads).winner_takes_empties();
            let start = Instant::now();
            let best = engine.best(&position, &Limits::until(&|| false));
            let time = start.elapsed().as_secs_f64();
            let best = best.ok_or("the game is over")?;
            let line: Vec<_> = best.line.iter().map(|&mv| rules.lattice.move_label(mv)).collect();
            println!(
                "#{number}: {:+} in {time:.2} s, {} nodes, {}",
                best.value,
                engine.nodes(),
                line.join(" "),
            );
            if !best.is_exact() || best.value != score || !moves.contains(&line[0].as_str()) {
                return Err(format!("#{number} is {score:+} with {}", moves.join(" or ")).into());
            }
            nodes += engine.nodes();
            seconds += time;
        }
        println!("{seconds:.2} s, {:.1} million nodes, {threads} thread(s)", nodes as f64 / 1e6);
        Ok(())
    }
}
