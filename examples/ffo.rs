//! Solves positions 40 to 49 of the FFO collection of endings, checks them, and prints the time.
//!
//! ```sh
//! cargo run --release --example ffo -- [FIRST [LAST [THREADS]]]
//! ```

use std::env;
use std::time::Instant;

use outflank_engine::{Engine, Limits};
use outflank_rules::{Cell, Overrides, Setup, Variant};

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
/// The memory of the engine in bytes: what `outflank` uses if nothing else is set.
const MEMORY: usize = 64 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let mut number = |default| arguments.next().map_or(Ok(default), |text| text.parse());
    let (first, last, threads) = (number(40)?, number(49)?, number(1)?);
    let rules = Variant::named("othello")?.rules(&Overrides::default())?;
    let (mut nodes, mut seconds) = (0, 0.0);
    for &(number, text, score, moves) in ENDINGS {
        if !(first..=last).contains(&number) {
            continue;
        }
        let position = text.parse::<Setup>()?.position(&rules, Cell::new(0, 1))?;
        let mut engine = Engine::new(MEMORY, threads as usize);
        let start = Instant::now();
        let found = engine.best_in_tournament(&position, &Limits::until(&|| false));
        let time = start.elapsed().as_secs_f64();
        let (best, count) = found.ok_or("the game is over")?;
        let line: Vec<_> = best.line.iter().map(|&mv| rules.lattice.move_label(mv)).collect();
        println!(
            "#{number}: {:+} in {time:.2} s, {:.1} million nodes, {}",
            best.value,
            count as f64 / 1e6,
            line.join(" "),
        );
        let is_right = best.exact && best.value == score && moves.contains(&line[0].as_str());
        assert!(is_right, "#{number} is {score:+} with {}", moves.join(" or "));
        nodes += count;
        seconds += time;
    }
    println!("{seconds:.2} s, {:.1} million nodes, {threads} thread(s)", nodes as f64 / 1e6);
    Ok(())
}
