//! The time of commands in the application layer on a database file, without process start and
//! mail delivery.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Parser;
use criterion::{Criterion, criterion_group, criterion_main};
use outflank::app::{Actor, AnyCommand, App, FrontEnd, Reply, Rng, Session};
use outflank::clock::SystemClock;
use outflank::command::PlayerRef;
use outflank::config::Config;
use rusqlite::Connection;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
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
    run_as(Actor::Host, app, line)
}

fn run_as(actor: Actor, app: &mut Option<App>, line: &Line) -> Reply {
    let mut open = || Ok(app.take().unwrap());
    let mut session = Session::new(actor, FrontEnd::none(), &mut open);
    let reply = line.command.run(&mut session);
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

/// Adds players and active games, twenty to a player, each with a deadline that is far away.
fn fill(database: &Path, games: u32) {
    fill_among(database, games, games / 20);
}

/// Adds this many players and active games.
fn fill_among(database: &Path, games: u32, players: u32) {
    let sqlite = Connection::open(database).unwrap();
    sqlite
        .execute_batch(&format!(
            "BEGIN;
             WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {players})
             INSERT INTO player (id, name, address, secret, created_at)
             SELECT i + 3, 'player' || i, 'player' || i || '@example.org', randomblob(32), 0 FROM n;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {games})
             INSERT INTO game (variant, board_rows, board_columns, misere, anywhere, black, white,
                 thread, created_at, turn, to_move, to_wait, since, black_discs, white_discs, clock,
                 deadline, alarm_at)
             SELECT 'othello', 8, 8, 0, 0, black, white, 'game-' || i, unixepoch() - i % 1000,
                 'black', black, white, unixepoch() - i % 1000, 2, 2, 'total=300d',
                 unixepoch() - i % 1000 + 300 * 86400, unixepoch() + 200 * 86400
             FROM (SELECT i, 3 + i % {players} AS black, 3 + (i + 1) % {players} AS white FROM n);
             UPDATE player SET active = 40;
             COMMIT"
        ))
        .unwrap();
}

/// Shows that a club of thousands is as fast as one of a few players.
fn bench_clubs(criterion: &mut Criterion) {
    for games in [100, 100_000] {
        let folder = folder();
        let database = folder.path().join("club.db");
        let mut app = open(&database);
        run(&mut app, &line("new mini a@example.org b@example.org"));
        run(&mut app, &line("send"));
        fill(&database, games);
        let mut group = criterion.benchmark_group(format!("{games} games"));
        for words in ["games player2", "games player2 --next", "send"] {
            let command = line(words);
            group.bench_function(words, |bencher| {
                bencher.iter(|| black_box(run(&mut app, &command)));
            });
        }
        let next = line("next");
        let player = || Actor::Player(PlayerRef::Name("player2".to_owned()));
        group.bench_function("next", |bencher| {
            bencher.iter(|| black_box(run_as(player(), &mut app, &next)));
        });
        group.finish();
    }
}

/// Measures `send` when 10,000 games of 500 players must be reminded of.
fn bench_reminders(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("send");
    group.sample_size(10);
    group.bench_function("10000 reminders", |bencher| {
        bencher.iter_custom(|times| {
            let mut total = Duration::ZERO;
            for _ in 0..times {
                let folder = folder();
                let database = folder.path().join("club.db");
                let mut app = open(&database);
                run(&mut app, &line("new mini a@example.org b@example.org"));
                run(&mut app, &line("send"));
                fill(&database, 10_000);
                let sqlite = Connection::open(&database).unwrap();
                let due = "UPDATE game SET created_at = unixepoch() - 250 * 86400, alarm_at = 0,
                               deadline = unixepoch() + 50 * 86400 WHERE clock <> 'none'";
                sqlite.execute(due, []).unwrap();
                let command = line("send");
                let began = Instant::now();
                black_box(run(&mut app, &command));
                total += began.elapsed();
                let sql = "SELECT count(*) FROM reminder";
                let reminders: i64 = sqlite.query_row(sql, [], |row| row.get(0)).unwrap();
                assert_eq!(reminders, 10_000);
            }
            total
        });
    });
    group.finish();
}

/// Turns the games of [`fill`] into finished ones that were rated with wrong numbers.
fn finish_rated(database: &Path) {
    let sqlite = Connection::open(database).unwrap();
    sqlite
        .execute_batch(
            "BEGIN;
             UPDATE game SET turn = NULL, to_move = NULL, to_wait = NULL, reason = 'discs', rated = 1,
                 winner = iif(id % 3, 'black', 'white'), alarm_at = NULL,
                 since = unixepoch() - 400 * id WHERE clock <> 'none';
             UPDATE player SET active = 0, won = 20, lost = 20;
             INSERT INTO record (player, kind, about, won) SELECT id, 'black', '8x8', 20 FROM player;
             INSERT INTO rating (list, player, ended_at, game, opponent, score, rating, deviation,
                 volatility, games)
             SELECT '8x8', black, since, id, white, iif(id % 3, 'won', 'lost'), 1500, 350, 0.06, 1
             FROM game WHERE rated
             UNION ALL
             SELECT '8x8', white, since, id, black, iif(id % 3, 'lost', 'won'), 1500, 350, 0.06, 1
             FROM game WHERE rated;
             COMMIT",
        )
        .unwrap();
}

/// Shows that ratings are read as fast after many games of as many players.
fn bench_ratings(criterion: &mut Criterion) {
    for games in [100, 100_000] {
        let folder = folder();
        let database = folder.path().join("club.db");
        let mut app = open(&database);
        run(&mut app, &line("new mini a@example.org b@example.org"));
        fill_among(&database, games, 20);
        finish_rated(&database);
        let mut group = criterion.benchmark_group(format!("{games} rated games"));
        for words in ["standings", "player player2"] {
            let command = line(words);
            group.bench_function(words, |bencher| {
                bencher.iter(|| black_box(run(&mut app, &command)));
            });
        }
        group.finish();
    }
}

/// Measures `send` after the first of 100,000 games was annulled, so that it rates all others again.
fn bench_recalculation(criterion: &mut Criterion) {
    let folder = folder();
    let database = folder.path().join("club.db");
    let mut app = open(&database);
    run(&mut app, &line("new mini a@example.org b@example.org"));
    run(&mut app, &line("send"));
    fill(&database, 100_000);
    finish_rated(&database);
    let sqlite = Connection::open(&database).unwrap();
    let rows = |sql| sqlite.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let mut group = criterion.benchmark_group("send");
    group.sample_size(10);
    let command = line("send");
    group.bench_function("100000 ratings", |bencher| {
        bencher.iter_custom(|times| {
            let mut total = Duration::ZERO;
            for _ in 0..times {
                let sql = "INSERT INTO recalculation VALUES ('8x8', 0, 0)";
                sqlite.execute(sql, []).unwrap();
                let began = Instant::now();
                black_box(run(&mut app, &command));
                total += began.elapsed();
                assert_eq!(rows("SELECT count(*) FROM recalculation"), 0);
                assert_eq!(rows("SELECT max(games) FROM rating"), 40);
            }
            total
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    targets = bench_move, bench_show, bench_clubs, bench_reminders, bench_ratings, bench_recalculation
}
criterion_main!(benches);
