//! The time of commands in the application layer on a database file, without process start and
//! mail delivery.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Parser;
use criterion::{Criterion, criterion_group, criterion_main};
use outflank::app::{
    Actor, App, FrontEnd, HostCommand, PlayerCommand, Reply, Rng, Session, UseCase,
};
use outflank::clock::SystemClock;
use outflank::config::Config;
use rusqlite::Connection;

#[derive(Parser)]
enum Line {
    #[command(flatten)]
    Player(PlayerCommand),
    #[command(flatten)]
    Host(Box<HostCommand>),
}

/// Parses a command line.
fn line(words: &str) -> Line {
    Line::parse_from(std::iter::once("outflank").chain(words.split_whitespace()))
}

fn open(database: &Path) -> Option<App> {
    let rng = Rng::seeded(1);
    App::open(database, false, Config::default(), Box::new(SystemClock), rng).ok()
}

/// Runs a command in the application, which is there again afterwards.
fn run(app: &mut Option<App>, line: &Line) -> Reply {
    let mut open = || Ok(app.take().unwrap());
    let mut session = Session::new(Actor::Host, FrontEnd::none(), &mut open);
    let reply = match line {
        Line::Player(command) => command.run(&mut session),
        Line::Host(command) => command.run(&mut session),
    };
    *app = session.into_app();
    reply.unwrap()
}

/// Returns a folder on the disk of the build, because `/tmp` may be in memory.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Sixty moves without a pass, until the board is full.
const GAME: &str = "e6d6c3f3c4c6d7e7f7e8d8g7f8b3h7g8a3b2h8a2d3c2b1a4g2h1g6c7b4a1\
                    f5c5f6h6b5f4g4g5c8d2h4b8e2g3d1e1f2a5b6c1h3e3a8a6f1h5a7h2g1b7";

/// Returns the command that starts a game with this number of moves.
fn start(moves: usize) -> Line {
    line(&format!("new othello alice@example.org bob@example.org --moves {}", &GAME[..2 * moves]))
}

/// Measures the whole transaction: the move, the state and the mail.
fn bench_move(criterion: &mut Criterion) {
    let folder = folder();
    let mut app = open(&folder.path().join("move.db"));
    let mut games = 0;
    let mut group = criterion.benchmark_group("move");
    for made in [1, 40] {
        let start = start(made);
        group.bench_function(format!("number {}", made + 1), |bencher| {
            bencher.iter_custom(|times| {
                let mut total = Duration::ZERO;
                for _ in 0..times {
                    run(&mut app, &start);
                    games += 1;
                    let next = &GAME[2 * made..2 * made + 2];
                    let command = line(&format!("move {games} {next}"));
                    let began = Instant::now();
                    black_box(run(&mut app, &command));
                    total += began.elapsed();
                }
                total
            });
        });
    }
    group.finish();
}

fn bench_show(criterion: &mut Criterion) {
    let folder = folder();
    let mut app = open(&folder.path().join("show.db"));
    run(&mut app, &start(60));
    let show = line("show 1");
    criterion.bench_function("show of 60 moves", |bencher| {
        bencher.iter(|| black_box(run(&mut app, &show)));
    });
}

/// Adds a hundred players and ten thousand games, a quarter of them active.
fn fill(database: &Path) {
    let sqlite = Connection::open(database).unwrap();
    sqlite
        .execute_batch(
            "BEGIN;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
             INSERT INTO player (id, name, address, secret, created_at)
             SELECT i + 2, 'player' || i, 'player' || i || '@example.org', randomblob(32), 0 FROM n;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
             INSERT INTO game (variant, board_rows, board_columns, misere, anywhere, black,
                 white, thread, created_at, ply, turn, to_move, to_wait, since, black_discs,
                 white_discs, winner, reason)
             SELECT 'othello', 8, 8, 0, 0, black, white, 'game-' || i, i, 1,
                 iif(i % 4, NULL, 'white'), iif(i % 4, NULL, white), iif(i % 4, NULL, black),
                 i * 7919 % 1000000, 4, 1, iif(i % 4, 'black', NULL), iif(i % 4, 'discs', NULL)
             FROM (SELECT i, 3 + i / 4 % 100 AS black, 3 + (i / 4 + 1 + i % 7) % 100 AS white FROM n);
             COMMIT",
        )
        .unwrap();
}

fn bench_games(criterion: &mut Criterion) {
    let folder = folder();
    let database = folder.path().join("games.db");
    let mut app = open(&database);
    run(&mut app, &line("new mini a@example.org b@example.org"));
    fill(&database);
    let mut group = criterion.benchmark_group("10000 games");
    for words in ["games player7", "games player7 --next", "games player7 --finished"] {
        let command = line(words);
        group.bench_function(words, |bencher| {
            bencher.iter(|| black_box(run(&mut app, &command)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    targets = bench_move, bench_show, bench_games
}
criterion_main!(benches);
