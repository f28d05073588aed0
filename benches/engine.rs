//! The speed of the engine for 8×8: game trees beside the crate magpie, flipped discs, the
//! evaluation, and two endings of the FFO collection.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use magpie::othello::{Board, Stone};
use outflank_engine::evaluation::{Evaluator, Weights};
use outflank_engine::{Engine, Limits};
use outflank_rules::{Cell, Overrides, Position, Rules, Setup, State, Variant, perft};

fn rules() -> Rules {
    let othello = Variant::named("othello").expect("a variant");
    othello.rules(&Overrides::default()).expect("rules")
}

fn position(text: &str) -> Position {
    let setup: Setup = text.parse().expect("a position string");
    setup.position(&rules(), Cell::new(0, 1)).expect("a valid position")
}

/// Counts leaves with magpie as [`perft`] does.
fn magpie_perft(board: &Board, stone: Stone, depth: u32) -> u64 {
    let moves = board.moves_for(stone);
    if depth == 1 {
        return u64::from(moves.count_set()).max(1);
    }
    if moves.is_empty() {
        let is_over = board.moves_for(stone.flip()).is_empty();
        return if is_over { 1 } else { magpie_perft(board, stone.flip(), depth - 1) };
    }
    let leaves = moves.hot_bits().map(|cell| {
        let mut next = board.clone();
        next.play(stone, cell);
        magpie_perft(&next, stone.flip(), depth - 1)
    });
    leaves.sum()
}

fn counting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft 11");
    group.sample_size(10).measurement_time(Duration::from_secs(15));
    let start = Position::start(rules());
    group.throughput(Throughput::Elements(212_258_800));
    group.bench_function("outflank", |bencher| {
        bencher.iter(|| assert_eq!(perft(black_box(&start), 11), 212_258_800));
    });
    group.bench_function("magpie", |bencher| {
        let start = Board::standard();
        bencher.iter(|| {
            assert_eq!(magpie_perft(black_box(&start), Stone::Black, 11), 212_258_800);
        });
    });
    group.finish();
}

/// A position in the middle of a game.
const MIDDLE: &str = "(b --wwwww- ---bbbw- --bbbwbw -bbbwbww -wbwbbw- -bwbbb-- --w-bb-- ----b---)";

fn flipping(criterion: &mut Criterion) {
    let position = position(MIDDLE);
    let cells: Vec<_> = position.placements().iter().collect();
    let mut group = criterion.benchmark_group("flips");
    group.throughput(Throughput::Elements(cells.len() as u64));
    group.bench_function("all moves of a position", |bencher| {
        bencher.iter(|| {
            cells.iter().map(|&cell| black_box(&position).flips(cell).len()).sum::<usize>()
        });
    });
    group.finish();
}

fn evaluating(criterion: &mut Criterion) {
    let mut position = Position::start(rules());
    let mut positions = Vec::new();
    while position.state() == State::Placing {
        positions.push(position.bitboards().expect("a board of 8x8"));
        let cell = position.placements().iter().next().expect("a placement");
        position.play(outflank_rules::Move::Place(cell)).expect("a legal move");
    }
    let evaluator = Evaluator::new(Weights::embedded(), 0);
    let mut group = criterion.benchmark_group("evaluation");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("positions of a game, from nothing", |bencher| {
        let evaluate = |&(own, other): &(u64, u64)| evaluator.evaluate(own, other);
        bencher.iter(|| black_box(&positions).iter().map(evaluate).sum::<i32>());
    });
    group.finish();
}

/// FFO #40 and #42.
const ENDINGS: [(&str, &str); 2] = [
    ("#40", "(b w--wwwwb -wwwwwwb wwbbwwwb wwbwwwbb wwwwwwbb ---wwwwb ----w--b --------)"),
    ("#42", "(b --www--- ----bb-w wwwwwbww -wwwwbww b-wwwbbw ---wwbww ---wwwbw --wwww--)"),
];

fn ending(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("FFO");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    for (name, text) in ENDINGS {
        let position = position(text);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut engine = Engine::new(64 << 20, 1).winner_takes_empties();
                engine.best(&position, &Limits::until(&|| false))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, counting, flipping, evaluating, ending);
criterion_main!(benches);
