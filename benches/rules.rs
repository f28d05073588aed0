//! The speed of counting and replaying games, on the 8×8 bitboard and on the general board.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use outflank_model::log::Game;
use outflank_rules::{Overrides, Position, Transcript, Variant, perft};

/// Sixty moves without a pass, until the board is full.
const GAME: &str = "e6d6c3f3c4c6d7e7f7e8d8g7f8b3h7g8a3b2h8a2d3c2b1a4g2h1g6c7b4a1\
                    f5c5f6h6b5f4g4g5c8d2h4b8e2g3d1e1f2a5b6c1h3e3a8a6f1h5a7h2g1b7";

/// Returns the start of Othello on each board.
fn starts() -> [(&'static str, Position); 2] {
    let othello = Variant::named("othello").expect("a variant");
    let start = Position::start(othello.rules(&Overrides::default()).expect("rules"));
    [("general", start.on_general_board()), ("bitboard", start)]
}

/// Measures the leaves of the game tree per second.
fn counting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    group.sample_size(30).measurement_time(Duration::from_secs(8));
    for ((board, start), depth) in starts().into_iter().zip([6, 9]) {
        group.throughput(Throughput::Elements(perft(&start, depth)));
        group.bench_function(format!("{board} to depth {depth}"), |bencher| {
            bencher.iter(|| perft(black_box(&start), black_box(depth)));
        });
    }
    group.finish();
}

fn replaying(criterion: &mut Criterion) {
    let moves = GAME.parse::<Transcript>().expect("a transcript").0;
    let mut group = criterion.benchmark_group("replay");
    group.throughput(Throughput::Elements(moves.len() as u64));
    for (board, start) in starts() {
        group.bench_function(format!("60 moves, {board}"), |bencher| {
            bencher.iter(|| {
                let mut game = Game::new(black_box(&start).clone());
                for &mv in &moves {
                    game.play(mv).expect("a legal move");
                }
                game
            });
        });
    }
    group.finish();
}

criterion_group!(benches, counting, replaying);
criterion_main!(benches);
