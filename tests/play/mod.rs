//! Games at a board that stays open, which `play` begins and continues.

mod killed;
mod local;
mod possible;
mod seat;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Parser;
use outflank::app::{
    App, Block, Error, LiveGame, NO_PROGRESS, OpenApp, Play, Reply, Rng, Seat, Typed, User,
    load_config,
};
use outflank::clock::FixedClock;
use outflank::command::PlayerRef;
use outflank_model::log::GameId;

use crate::harness::TestEnvironment;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    play: Play,
}

/// The user of the system in most tests.
const USER: (u32, &str) = (1000, "ann");

/// Returns a function that opens the database of an environment.
fn opener(env: &TestEnvironment) -> OpenApp {
    let (database, now, seed) = (env.database(), env.now(), AtomicU64::new(1));
    let config = load_config(Some(&env.config_file())).unwrap();
    Arc::new(move || {
        let rng = Rng::seeded(seed.fetch_add(1, Ordering::Relaxed));
        let clock = Box::new(FixedClock(now));
        App::open(&database, false, config.clone(), clock, rng)
    })
}

/// Takes a seat as `play` with these arguments, as this user and the player of `--as`.
pub fn take(
    env: &TestEnvironment,
    words: &str,
    named: Option<&str>,
    (id, name): (u32, &str),
) -> Result<(Seat, GameId), Error> {
    let words = shlex::split(words).unwrap();
    let Arguments { play } = Arguments::parse_from(["play".to_owned()].into_iter().chain(words));
    let named = named.map(|name| PlayerRef::Name(name.to_owned()));
    Seat::take(opener(env), &play, named.as_ref(), &User { id, name: name.to_owned() })
}

/// Takes a seat as `play` with these arguments, without `--as`.
#[track_caller]
fn play(env: &TestEnvironment, words: &str) -> (Seat, GameId) {
    take(env, words, None, USER).unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// Types a line at the board of a game.
fn run(seat: &mut Seat, game: GameId, line: &str) -> Result<Reply, Error> {
    let Typed::Command(command) = seat.game(game).unwrap().typed(line)? else { panic!("{line}") };
    seat.run(game, &command, &Arc::default(), NO_PROGRESS)
}

/// Types a line at the board of a game, which must not be refused, and returns the reply.
#[track_caller]
fn ok(seat: &mut Seat, game: GameId, line: &str) -> Reply {
    run(seat, game, line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Lets the computer player act, if it must.
fn think(seat: &mut Seat, game: GameId) {
    while seat.game(game).unwrap().bot_is_due {
        seat.think(game, &AtomicBool::new(false)).unwrap();
    }
}

/// Makes the first legal move of a game until it is over, and lets the computer player move.
fn finish(seat: &mut Seat, game: GameId) -> LiveGame {
    loop {
        think(seat, game);
        let live = seat.game(game).unwrap();
        let Some(first) = live.game.legal().first().copied() else { return live };
        ok(seat, game, &live.game.start().rules().lattice.move_label(first));
    }
}

/// Returns the texts of a reply.
fn texts(reply: &Reply) -> String {
    let text = |block: &Block| match block {
        Block::Text(text) => Some(text.clone()),
        _ => None,
    };
    reply.shown().filter_map(text).collect::<Vec<_>>().join("\n")
}
