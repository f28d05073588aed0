//! Sends forms of the page of a game and of a player's own page: no panic, no fault, and a refusal is one line.

#![no_main]

use std::cell::RefCell;

use chrono::DateTime;
use clap::Parser;
use libfuzzer_sys::fuzz_target;
use outflank::app::{Actor, AnyCommand, App, FrontEnd, Link, Rng, Session, Visit};
use outflank::clock::FixedClock;
use outflank::config::Config;
use outflank_model::log::GameId;
use tempfile::TempDir;

#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

/// A club with a game of alice and bob, in a folder that is deleted in the end.
struct Club {
    app: App,
    _folder: TempDir,
}

impl Club {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("club.db");
        let mut open = || {
            let clock = FixedClock(DateTime::from_timestamp(1_800_000_000, 0).expect("a time"));
            let config = Config::default();
            App::open(&database, false, config, Box::new(clock), Rng::seeded(1))
        };
        let words = ["outflank", "new", "othello", "alice@example.org", "bob@example.org"];
        let command = Line::parse_from(words).command;
        command.run(&mut Session::new(Actor::Host, FrontEnd::none(), &mut open)).expect("a game");
        Self { app: open().expect("the database"), _folder: folder }
    }

    fn send(&mut self, visit: &Visit, line: &str, history: &str) {
        if let Err(error) = self.app.run_for(visit, line, history) {
            assert!(!error.is_fault(), "{error:?}");
            assert!(!error.to_string().contains(char::is_control), "{error:?}");
        }
    }
}

thread_local!(static CLUB: RefCell<Club> = RefCell::new(Club::new()));

fuzz_target!(|line: &str| CLUB.with_borrow_mut(|club| {
    let game = GameId(1);
    let history = club.app.stage(game, true).expect("the database").expect("the game").history;
    for player in ["alice", "bob"] {
        let Ok(player) = player.parse();
        let visit = Visit { kind: Link::Play, player, game: Some(game), is_read_only: false };
        club.send(&visit, line, &history);
        club.send(&visit, line, line);
        club.send(&Visit { kind: Link::Me, game: None, ..visit }, line, &history);
    }
}));
