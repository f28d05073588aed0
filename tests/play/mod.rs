//! Games at a board that stays open, which `play` begins and continues.

mod seat;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Parser;
use outflank::app::{
    App, Error, Line, LiveGame, OpenApp, Play, PlayerCommand, Reply, Rng, Seat, User, disarm,
};
use outflank::clock::FixedClock;
use outflank::command::PlayerRef;
use outflank::config::Config;
use outflank::log::GameId;

use crate::harness::TestEnvironment;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    play: Play,
}

/// Returns a function that opens the database of an environment.
fn opener(env: &TestEnvironment) -> OpenApp {
    let (database, now, seed) = (env.database(), env.now(), AtomicU64::new(1));
    Arc::new(move || {
        let rng = Rng::seeded(seed.fetch_add(1, Ordering::Relaxed));
        let clock = Box::new(FixedClock(now));
        App::open(&database, false, Config::default(), clock, rng, disarm)
    })
}

/// Takes a seat as `play` with these arguments, as this user and the player of `--as`.
fn take(
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

/// The user of the system in most tests.
const USER: (u32, &str) = (1000, "ann");

/// Parses a line that is typed at a board.
fn parsed(live: &LiveGame, line: &str) -> PlayerCommand {
    match Line::parse(line, Some(live.moment)) {
        Line::Command(command) => *command,
        other => panic!("{line}: {other:?}"),
    }
}

/// Types a line at a board.
fn run(seat: &mut Seat, live: &LiveGame, line: &str) -> Result<Reply, Error> {
    seat.run(live.id, &parsed(live, line), &Arc::default())
}

/// Lets the computer player act, if it must.
fn think(seat: &mut Seat, game: GameId) {
    while seat.game(game).unwrap().bot_is_due {
        seat.think(game, &AtomicBool::new(false)).unwrap();
    }
}

/// Returns the label of the first legal move.
fn first_legal(live: &LiveGame) -> String {
    live.game.start().rules().lattice.move_label(live.game.legal()[0])
}
