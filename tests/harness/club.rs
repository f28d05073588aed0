use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use chrono::{DateTime, TimeDelta, Utc};
use clap::{CommandFactory, FromArgMatches, Parser};
use outflank::app::{Actor, AnyCommand, App, Error, FrontEnd, Json, Reply, Rng, Session};
use outflank::clock::Clock;
use outflank::command::PlayerRef;
use outflank::config::Config;
use outflank::store::Store;
use outflank_model::StoredGame;
use outflank_model::log::GameId;
use serde_json::Value;

/// A clock that the test sets.
#[derive(Clone)]
struct TestClock(Arc<AtomicI64>);

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0.load(Ordering::Relaxed), 0).unwrap()
    }
}

#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

/// Parses the words of a command. The parser is built only once, since that takes longer than most commands.
fn parse(words: impl Iterator<Item = String>) -> Result<Line, clap::Error> {
    static PARSER: LazyLock<clap::Command> = LazyLock::new(Line::command);
    Line::from_arg_matches(&PARSER.clone().try_get_matches_from(words)?)
}

/// An installation in this process, without a front end. Its clock stands still.
pub struct Club {
    pub folder: tempfile::TempDir,
    clock: TestClock,
    app: Option<App>,
    /// How often each command succeeded.
    pub done: BTreeMap<String, usize>,
}

impl Club {
    pub fn new(seed: u64, begin: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let begin = begin.parse::<DateTime<Utc>>().unwrap();
        let clock = TestClock(Arc::new(AtomicI64::new(begin.timestamp())));
        let database = folder.path().join("club.db");
        let rng = Rng::seeded(seed);
        let app = App::open(&database, false, Config::default(), Box::new(clock.clone()), rng);
        Self { folder, clock, app: Some(app.unwrap()), done: BTreeMap::new() }
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path().join("club.db")
    }

    pub fn store(&self) -> Store {
        Store::open(&self.database(), false).unwrap()
    }

    /// Runs a command, which may be refused but must not fail.
    pub fn run(&mut self, actor: Option<&str>, words: &str) -> Result<Reply, Error> {
        let words_of_line = shlex::split(words).unwrap();
        let arguments = std::iter::once("outflank".to_owned()).chain(words_of_line);
        let line = parse(arguments).unwrap_or_else(|error| panic!("{words}: {error}"));
        let actor = match actor {
            Some(name) => Actor::Player(PlayerRef::Name(name.to_owned())),
            None => Actor::Host,
        };
        let mut app = self.app.take();
        let mut open = || Ok(app.take().expect("the application is opened once"));
        let mut session = Session::new(actor, FrontEnd::none(), &mut open);
        let result = line.command.run(&mut session);
        self.app = session.into_app().or(app);
        match result {
            Ok(reply) => {
                let word = words.split(' ').next().unwrap_or_default();
                *self.done.entry(word.to_owned()).or_default() += 1;
                Ok(reply)
            }
            Err(error) if error.is_fault() => panic!("{words}: {error}"),
            Err(error) => Err(error),
        }
    }

    pub fn ok(&mut self, words: &str) -> Reply {
        self.run(None, words).unwrap_or_else(|error| panic!("{words}: {error}"))
    }

    /// Returns what a command prints for scripts.
    pub fn json(&mut self, words: &str) -> Value {
        match self.ok(words).json {
            Json::Value(json) => serde_json::from_str(&json).unwrap(),
            other => panic!("{words}: {other:?}"),
        }
    }

    pub fn game(&self, store: &Store, id: i64) -> StoredGame {
        store.read(|db| db.game(GameId(id))).unwrap().unwrap()
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub fn later(&self, span: TimeDelta) {
        self.clock.0.fetch_add(span.num_seconds(), Ordering::Relaxed);
    }

    /// Lets `send` count as having looked for deadlines just now: there is no outage.
    pub fn keep_watch(&self) {
        let now = self.now();
        self.store().write(|tx| tx.set_deadlines_checked_at(now)).unwrap();
    }
}
