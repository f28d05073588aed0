//! A folder with a database, and the program sealed off from the rest of the machine.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use outflank::store::Store;
use rusqlite::Connection;
use serde_json::Value;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");

/// A database, its Maildir, and a clock that moves only when it is told to.
pub struct House {
    folder: tempfile::TempDir,
    clock: AtomicI64,
}

/// What came of a command.
#[derive(Debug)]
pub struct Ran {
    /// `None` when a signal ended it.
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl House {
    pub fn new() -> Self {
        let clock = "2026-11-21T10:00:00Z".parse::<DateTime<Utc>>().unwrap().timestamp();
        Self { folder: tempfile::tempdir().unwrap(), clock: AtomicI64::new(clock) }
    }

    /// A house with one game of alice, who is black, and bob.
    pub fn with_game() -> Self {
        let house = Self::new();
        house.done(&["new", "othello", "alice@example.org", "bob@example.org"]);
        house
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> PathBuf {
        self.path("outflank.db")
    }

    pub fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.clock.load(Ordering::Relaxed), 0).unwrap()
    }

    /// Moves the clock on by so many seconds.
    pub fn wait(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::Relaxed);
    }

    /// The program with these arguments, for this house's database.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(PROGRAM);
        self.seal(&mut command).args(arguments);
        command
    }

    /// Gives a command the environment of this house and no other.
    pub fn seal<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("HOME", self.folder())
            .env("OUTFLANK_DB", self.database())
            .env("OUTFLANK_NOW", self.now().to_rfc3339())
            .current_dir(self.folder())
            .stdin(Stdio::null())
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// Runs a command that works, and returns what it prints.
    pub fn done<S: AsRef<OsStr>>(&self, arguments: &[S]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.out
    }

    /// The same as JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let out = self.done(&[arguments, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// Runs commands at the same moment.
    pub fn at_once(&self, all: &[Vec<String>]) -> Vec<Ran> {
        let barrier = Barrier::new(all.len());
        thread::scope(|scope| {
            let running: Vec<_> = all
                .iter()
                .map(|arguments| {
                    let mut command = self.command(arguments);
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        Ran::of(command.output().unwrap())
                    })
                })
                .collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    pub fn store(&self) -> Store {
        Store::open(&self.database()).unwrap()
    }

    /// The database as SQLite has it, without the program.
    pub fn sqlite(&self) -> Connection {
        let connection = Connection::open(self.database()).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(20)).unwrap();
        connection
    }

    /// The mails of the Maildir by Message-ID.
    pub fn mails(&self) -> BTreeMap<String, String> {
        let mut mails = BTreeMap::new();
        let Ok(folder) = fs::read_dir(self.path("outflank.maildir/new")) else { return mails };
        for entry in folder {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let parsed = mail_parser::MessageParser::new().parse(text.as_bytes()).unwrap();
            let id = parsed.message_id().unwrap_or_else(|| panic!("no Message-ID: {text}"));
            let earlier = mails.insert(id.to_owned(), text.clone());
            assert_eq!(earlier, None, "{id} is there twice");
        }
        mails
    }

    /// Every file of the house with a hash of its bytes, but for SQLite's log and its index, which
    /// come and go with whoever reads.
    pub fn files(&self) -> BTreeMap<PathBuf, u64> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.to_str().unwrap().ends_with("-shm")
                    && !path.to_str().unwrap().ends_with("-wal")
                {
                    let mut hasher = DefaultHasher::new();
                    fs::read(&path).unwrap().hash(&mut hasher);
                    files.insert(path, hasher.finish());
                }
            }
        }
        files
    }
}

impl Ran {
    pub fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks that it failed with this status and one line on standard error, and returns that.
    #[track_caller]
    pub fn failed(&self, status: i32) -> &str {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        let line = self.err.strip_suffix('\n').unwrap_or_else(|| panic!("no line: {self:?}"));
        assert!(!line.is_empty() && !line.contains('\n'), "one line: {self:?}");
        line
    }

    /// The same for a command with `--json`: returns `error` and `hint`.
    #[track_caller]
    pub fn failed_in_json(&self, status: i32) -> (String, String) {
        let line = self.failed(status);
        let said: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let text = |key: &str| said[key].as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
        assert_eq!(said.as_object().unwrap().len(), 2, "{line}");
        (text("error"), text("hint"))
    }
}

/// Words as arguments.
pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Waits until this holds, for at most half a minute.
#[track_caller]
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(30), "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
