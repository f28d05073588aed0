//! Solves small boards and compares the margins with known values.
//!
//! `cargo run --release -p outflank-tools -- small-boards`
//!
//! It takes a bit more than a minute, most of it for 6x6, where only the margin is proved: the number of
//! plies takes much longer.

use std::io::{self, Write};
use std::thread;
use std::time::Instant;

use clap::Args;
use outflank_engine::{Resources, Wanted, solve};
use outflank_rules::{Overrides, Position, Size, Variant};

use crate::failure::Failure;

/// Solve small boards and compare the margins with known values
#[derive(Args)]
pub(crate) struct SmallBoards {
    /// The memory in megabytes
    #[arg(long, default_value_t = 1024)]
    memory: usize,
    /// The number of threads [default: one for each processor]
    #[arg(long)]
    threads: Option<usize>,
}

/// Boards with their margins for Black: the rules' own, and in misère, where a positive number
/// means that Black wins.
const BOARDS: [((usize, usize), i32, Option<i32>); 10] = [
    ((3, 3), -9, Some(7)),
    ((3, 4), 12, Some(2)),
    ((4, 3), 12, Some(2)),
    ((4, 4), -8, Some(3)),
    ((4, 5), 16, Some(4)),
    ((5, 4), 16, Some(4)),
    ((4, 6), 16, Some(0)),
    ((6, 4), 16, Some(0)),
    ((5, 5), 13, Some(1)),
    // The misère takes 20 minutes, and its value is not known from elsewhere.
    ((6, 6), -4, None),
];

/// Boards where discs may be placed anywhere.
const ANYWHERE: [((usize, usize), i32, Option<i32>); 3] =
    [((3, 3), -1, Some(-3)), ((3, 4), 2, Some(0)), ((4, 4), 0, Some(0))];

impl SmallBoards {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        println!("board                  margin  known  plies     positions      seconds");
        let mut is_right = true;
        for (boards, anywhere) in [(&BOARDS[..], false), (&ANYWHERE[..], true)] {
            for &(size, normal, misere) in boards {
                is_right &= check(self, size, (false, anywhere), normal);
                if let Some(misere) = misere {
                    is_right &= check(self, size, (true, anywhere), misere);
                }
            }
        }
        if is_right { Ok(()) } else { Err("a margin is not the known one".into()) }
    }
}

fn check(
    arguments: &SmallBoards,
    (rows, columns): (usize, usize),
    (misere, anywhere): (bool, bool),
    known: i32,
) -> bool {
    let size = Some(Size::new(rows, columns).expect("a valid size"));
    let overrides = Overrides { size, misere, anywhere, ..Overrides::default() };
    let variant = Variant::named("othello").expect("a known variant");
    let position = Position::start(variant.rules(&overrides).expect("a rectangle"));
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let resources = Resources {
        counter: None,
        memory: arguments.memory << 20,
        threads: arguments.threads.unwrap_or(processors),
        stop: &|| false,
        progress: &|_| {},
    };
    let name = format!("{rows}x{columns}");
    let options =
        [(misere, " misere"), (anywhere, " anywhere")].map(|(is, word)| if is { word } else { "" });
    print!("{:<22}", name + &options.concat());
    // A long search begins.
    let _ = io::stdout().flush();
    let begun = Instant::now();
    let wanted = Wanted { all: false, remoteness: rows * columns < 36 };
    let solution = solve(&position, wanted, &resources);
    let Some(value) = solution.value else { return false };
    let time = begun.elapsed().as_secs_f64();
    let plies = value.remoteness.map_or("-".to_owned(), |plies| plies.to_string());
    let (margin, nodes) = (value.margin, solution.nodes);
    println!("{margin:>+7}{known:>+7}{plies:>7}{nodes:>14}{time:>13.3}");
    margin == known
}
