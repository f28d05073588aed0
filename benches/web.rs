//! The time of the page on which a player plays: from the request to the response, on a database file,
//! without a network.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use clap::Parser;
use criterion::{Criterion, criterion_group, criterion_main};
use outflank::app::{Actor, AnyCommand, App, FrontEnd, OpenApp, Rng, Session};
use outflank::clock::SystemClock;
use outflank::config::Config;
use outflank::mail::token::{Claims, Purpose, Secret, Token};
use outflank::web::{Connection, Web};
use rusqlite::Connection as Sqlite;
use tokio::runtime::Builder;
use tower::ServiceExt;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

/// Thirty moves without a pass.
const MOVES: &str = "e6d6c3f3c4c6d7e7f7e8d8g7f8b3h7g8a3b2h8a2d3c2b1a4g2h1g6c7b4a1";
/// How many games are looked at, each by both players: a token may be used only so often.
const GAMES: i64 = 100;

/// Adds the games that are looked at.
fn play(open: &OpenApp) {
    for game in 0..GAMES {
        let (black, white) = (format!("a{game}@example.org"), format!("b{game}@example.org"));
        let words = ["outflank", "new", "othello", &black, &white, "--moves", MOVES];
        let line = Line::parse_from(words);
        let mut open = || open();
        let mut session = Session::new(Actor::Host, FrontEnd::none(), &mut open);
        line.command.run(&mut session).unwrap();
    }
}

/// Adds games of other players.
fn fill(database: &Path, games: i64) {
    let sqlite = Sqlite::open(database).unwrap();
    let players = games / 20;
    sqlite
        .execute_batch(&format!(
            "BEGIN;
             WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {players})
             INSERT INTO player (id, name, address, secret, created_at)
             SELECT i + 1000, 'player' || i, 'player' || i || '@example.org', randomblob(32), 0 FROM n;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {games})
             INSERT INTO game (variant, board_rows, board_columns, misere, anywhere, black, white,
                 thread, created_at, turn, to_move, to_wait, since, black_discs, white_discs, clock)
             SELECT 'othello', 8, 8, 0, 0, black, white, 'game-' || i, unixepoch(), 'black', black,
                 white, unixepoch(), 2, 2, 'none'
             FROM (SELECT i, 1000 + i % {players} AS black, 1000 + (i + 1) % {players} AS white FROM n);
             COMMIT"
        ))
        .unwrap();
}

/// Returns the paths of the pages of both players of each game.
fn paths(database: &Path) -> Vec<String> {
    let sqlite = Sqlite::open(database).unwrap();
    let sql = "SELECT game.id, player.id, secret, game.mark FROM game, player
               WHERE player.id IN (black, white) AND game.id <= ?1";
    let mut select = sqlite.prepare(sql).unwrap();
    let path = |row: &rusqlite::Row| {
        let claims = Claims {
            purpose: Purpose::Page,
            player: row.get(1)?,
            number: row.get(0)?,
            event: 0,
            known: None,
            asks: false,
        };
        let mark: String = row.get(3)?;
        let history = ring::digest::digest(&ring::digest::SHA256, mark.as_bytes());
        Ok(format!("/play/{}", Token::new(claims, &Secret(row.get(2)?), history.as_ref())))
    };
    select.query_map([GAMES], path).unwrap().map(Result::unwrap).collect()
}

fn request(path: &str, number: usize) -> Request<Body> {
    // Each from another peer.
    let peer = format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255);
    let mut request =
        Request::get(path).header("x-forwarded-for", peer).body(Body::empty()).unwrap();
    request.extensions_mut().insert(Connection("127.0.0.1".parse().unwrap()));
    request
}

/// Shows that the page is as fast in a club of thousands as in one of a few players.
fn bench_page(criterion: &mut Criterion) {
    for games in [100, 100_000] {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let database = folder.path().join("club.db");
        let opened = database.clone();
        let open: OpenApp = Arc::new(move || {
            let (config, clock) = (Config::default(), Box::new(SystemClock));
            App::open(&opened, false, config, clock, Rng::seeded(1))
        });
        play(&open);
        if games > GAMES {
            fill(&database, games - GAMES);
        }
        let paths = paths(&database);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let entered = runtime.enter();
        let web = Web::start(&open, Box::new(|problem| panic!("{problem}"))).unwrap();
        drop(entered);
        let router = web.router();
        let mut number = 0;
        let mut group = criterion.benchmark_group(format!("{games} games"));
        group.bench_function("the page of a player", |bencher| {
            bencher.iter(|| {
                let request = request(&paths[number % paths.len()], number);
                number += 1;
                runtime.block_on(async {
                    let response = router.clone().oneshot(request).await.unwrap();
                    assert_eq!(response.status(), StatusCode::OK);
                    to_bytes(response.into_body(), usize::MAX).await.unwrap()
                })
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = bench_page
}
criterion_main!(benches);
