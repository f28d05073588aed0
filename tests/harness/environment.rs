//! A folder with a database, and the binary sealed off from the rest of the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rusqlite::Connection;
use serde_json::Value;
use similar_asserts::assert_eq;

use super::{Mail, Run, Running, run, tokens_in};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");

pub const ALICE: &str = "alice@example.org";
pub const BOB: &str = "bob@example.org";
pub const CAROL: &str = "carol@example.org";
pub const STRANGER: &str = "mallory@evil.example";
/// The server's own address.
pub const SERVER: &str = "outflank@club.example";

/// A transport that adds to each mail its envelope sender, and puts it into the Maildir `$0`.
const KEEPER: &str = r#"new=$(mktemp "$0/tmp/XXXXXXXX") &&
{ printf "Return-Path: <%s>\n" "$2"; cat; } >"$new" && mv "$new" "$0/new/""#;

/// A database with its Maildir and configuration, and the clock that the binary is shown.
pub struct TestEnvironment {
    folder: tempfile::TempDir,
    program: PathBuf,
    /// User and group of all commands, if not those of the test.
    user: Option<(u32, u32)>,
    /// Whether time passes by itself.
    is_ticking: bool,
    /// How far the clock is ahead, in seconds.
    ahead: AtomicI64,
    /// How many commands there were; each has its number as its seed.
    commands: AtomicU64,
    /// The mails that a test has looked at.
    seen: Mutex<BTreeSet<PathBuf>>,
    checks_tokens: AtomicBool,
}

impl TestEnvironment {
    /// An empty one, configured with the server's address and to receive mail. Its clock stands
    /// still.
    pub fn new() -> Self {
        let environment = Self {
            folder: tempfile::tempdir().unwrap(),
            program: PROGRAM.into(),
            user: None,
            is_ticking: false,
            ahead: AtomicI64::new(0),
            commands: AtomicU64::new(0),
            seen: Mutex::default(),
            checks_tokens: AtomicBool::new(false),
        };
        environment.configure("");
        environment
    }

    /// With settings besides the server's address.
    pub fn config(self, settings: &str) -> Self {
        self.configure(settings);
        self
    }

    /// With game 1: othello, alice (black) against bob. Their mails count as looked at.
    pub fn with_game(self) -> Self {
        self.ok(&format!("new othello {ALICE} {BOB}"));
        self.seen.lock().unwrap().extend(self.mail_files());
        self
    }

    /// With a transport that keeps the envelope sender in the Maildir, as Return-Path.
    pub fn with_envelopes(self) -> Self {
        let maildir = self.path("outflank.maildir");
        for folder in ["new", "cur", "tmp"] {
            fs::create_dir_all(maildir.join(folder)).unwrap();
        }
        let command = format!("['sh', '-c', '''{KEEPER}''', '{}']", maildir.display());
        self.config(&format!("[transport]\nkind = 'sendmail'\ncommand = {command}"))
    }

    /// With the clock of the machine.
    pub fn with_ticking_clock(mut self) -> Self {
        self.is_ticking = true;
        self
    }

    /// Run by this program, which is a copy, and as this user and group.
    pub fn run_as(mut self, program: PathBuf, user: (u32, u32)) -> Self {
        (self.program, self.user) = (program, Some(user));
        self
    }

    /// Replaces all settings but the server's address. Incoming mail stays enabled.
    pub fn configure(&self, settings: &str) {
        let receive = if settings.contains("[receive]") { "" } else { "[receive]" };
        let mail = format!("[mail]\nfrom = 'Outflank <{SERVER}>'");
        self.write_config(&format!("{mail}\n{settings}\n{receive}\n"));
    }

    /// Replaces the configuration.
    pub fn write_config(&self, config: &str) {
        let file = self.config_file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, config).unwrap();
    }

    pub fn config_file(&self) -> PathBuf {
        self.path(".config/outflank/config.toml")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub fn database(&self) -> PathBuf {
        self.path("outflank.db")
    }

    /// The database as SQLite has it, without the program.
    pub fn sqlite(&self) -> Connection {
        let connection = Connection::open(self.database()).unwrap();
        connection.busy_timeout(Duration::from_secs(20)).unwrap();
        connection
    }

    pub fn now(&self) -> DateTime<Utc> {
        let start =
            if self.is_ticking { Utc::now() } else { "2026-11-21T10:00:00Z".parse().unwrap() };
        start + TimeDelta::seconds(self.ahead.load(Ordering::Relaxed))
    }

    /// Moves the clock on by so many minutes. See [`Self::later_seconds`].
    pub fn later(&self, minutes: i64) {
        self.later_seconds(60 * minutes);
    }

    /// Moves the clock on by so many seconds. If `send` ever ran, it counts as having looked for
    /// deadlines until then: there is no outage.
    pub fn later_seconds(&self, seconds: i64) {
        self.outage_seconds(seconds);
        if self.database().exists() {
            let sql = "UPDATE installation SET deadlines_checked_at = ?1
                       WHERE deadlines_checked_at IS NOT NULL";
            // Some tests damage or lock the database.
            let _ = self.sqlite().execute(sql, [self.now().timestamp()]);
        }
    }

    /// Moves the clock on by so many seconds in which no `send` runs.
    pub fn outage_seconds(&self, seconds: i64) {
        let ahead = self.ahead.fetch_add(seconds, Ordering::Relaxed) + seconds;
        if self.is_ticking {
            // For programs that others start.
            fs::write(self.path("ahead"), ahead.to_string()).unwrap();
        }
    }

    /// The binary with these words, quoted as in a shell.
    pub fn command(&self, words: &str) -> Command {
        self.command_of(&shlex::split(words).unwrap_or_else(|| panic!("{words}")))
    }

    /// The binary with these arguments.
    pub fn command_of<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(&self.program);
        self.seal(&mut command).args(arguments);
        command
    }

    /// Gives a command this environment and no other.
    pub fn seal<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("HOME", self.folder())
            .env("OUTFLANK_DB", self.database())
            .current_dir(self.folder())
            .stdin(Stdio::null());
        if !self.is_ticking || self.ahead.load(Ordering::Relaxed) != 0 {
            command.env("OUTFLANK_NOW", self.now().to_rfc3339_opts(SecondsFormat::Secs, true));
        }
        if !self.is_ticking {
            let number = self.commands.fetch_add(1, Ordering::Relaxed) + 1;
            command.env("OUTFLANK_SEED", number.to_string());
        }
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    /// Starts a command.
    pub fn start(&self, words: &str) -> Running {
        Running::start(self.command(words))
    }

    /// Runs a command.
    pub fn run(&self, words: &str) -> Run {
        run(self.command(words))
    }

    /// Runs a command that succeeds without a warning, and returns what it prints.
    #[track_caller]
    pub fn ok(&self, words: &str) -> String {
        let stdout = self.run(words).ok();
        assert_eq!(tokens_in(&stdout), [], "a token is shown: {stdout}");
        stdout
    }

    /// Runs a command that fails with this status, and returns the line that says why.
    #[track_caller]
    pub fn fails(&self, status: i32, words: &str) -> String {
        self.run(words).failed(status).to_owned()
    }

    /// Runs a command that succeeds, and returns what it prints as JSON.
    #[track_caller]
    pub fn json(&self, words: &str) -> Value {
        self.run(&format!("--json {words}")).json()
    }

    /// Runs commands at the same moment.
    pub fn run_at_once(&self, all: &[String]) -> Vec<Run> {
        let barrier = Barrier::new(all.len());
        thread::scope(|scope| {
            let start = |words| {
                let (command, barrier) = (self.command(words), &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    run(command)
                })
            };
            let running: Vec<_> = all.iter().map(|words| start(words)).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    /// A game as `show --json` has it.
    #[track_caller]
    pub fn game(&self, game: i64) -> Value {
        self.json(&format!("show {game}"))
    }

    /// How many moves a game has.
    #[track_caller]
    pub fn plies(&self, game: i64) -> u64 {
        self.game(game)["ply"].as_u64().unwrap()
    }

    /// Some legal move.
    pub fn legal(&self, game: i64) -> String {
        self.game(game)["legal"][0].as_str().unwrap().to_owned()
    }

    /// The moves of a game.
    #[track_caller]
    pub fn moves(&self, game: i64) -> Vec<String> {
        let history = self.json(&format!("history {game}"));
        let moves = history["moves"].as_array().unwrap().iter();
        moves.map(|made| made["move"].as_str().unwrap().to_owned()).collect()
    }

    /// The outbox: whom each mail goes to, what it is about, its state.
    pub fn outbox(&self) -> Vec<String> {
        let sqlite = self.sqlite();
        let mut select = sqlite
            .prepare(
                "SELECT coalesce(name, outbox.address) || ' ' || kind || ' ' || state FROM outbox
                 LEFT JOIN player ON player.id = player ORDER BY outbox.id",
            )
            .unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// How many lines of the outbox begin so.
    pub fn count(&self, beginning: &str) -> usize {
        self.outbox().iter().filter(|mail| mail.starts_with(beginning)).count()
    }

    fn mail_files(&self) -> impl Iterator<Item = PathBuf> {
        let files = fs::read_dir(self.path("outflank.maildir/new")).into_iter().flatten();
        files.map(|file| file.unwrap().path())
    }

    /// The mails that came since the last look, by recipient.
    pub fn mails(&self) -> Vec<Mail> {
        self.check_tokens_at_the_end();
        let mut seen = self.seen.lock().unwrap();
        let new = self.mail_files().filter(|path| seen.insert(path.clone()));
        let mut mails: Vec<_> = new.map(|path| Mail::parse(fs::read(path).unwrap())).collect();
        mails.sort_by(|a, b| a.to.cmp(&b.to));
        mails
    }

    /// The only mail that came since the last look.
    #[track_caller]
    pub fn mail(&self) -> Mail {
        let mut mails = self.mails();
        assert_eq!(mails.len(), 1, "{mails:#?}");
        mails.remove(0)
    }

    /// The only mail that came since the last look, which is to this address.
    #[track_caller]
    pub fn mail_to(&self, address: &str) -> Mail {
        let mail = self.mail();
        assert_eq!(mail.to, address, "{mail:#?}");
        mail
    }

    /// Checks that no mail came since the last look.
    #[track_caller]
    pub fn no_mail(&self) {
        assert_eq!(self.mails().iter().map(|mail| &mail.raw).collect::<Vec<_>>(), [""; 0]);
    }

    /// Makes moves in game 1, and returns the mail about whose turn it is then.
    #[track_caller]
    pub fn turn_after(&self, moves: &str) -> Mail {
        self.ok(&format!("move 1 {moves}"));
        self.mail()
    }

    /// All mails by Message-ID, of which each must have its own.
    pub fn all_mails(&self) -> BTreeMap<String, Mail> {
        let mut mails = BTreeMap::new();
        for path in self.mail_files() {
            let mail = Mail::parse(fs::read(path).unwrap());
            let id = mail.id().trim_matches(['<', '>']).to_owned();
            assert!(mails.insert(id, mail).is_none(), "a Message-ID is there twice");
        }
        mails
    }

    /// All mails that were sent to an address, from the first to the last.
    pub fn mails_to(&self, address: &str) -> Vec<Mail> {
        let sqlite = self.sqlite();
        let mut select =
            sqlite.prepare("SELECT message_id FROM outbox WHERE sent_to = ?1 ORDER BY id").unwrap();
        let ids = select.query_map([address], |row| row.get::<_, String>(0)).unwrap();
        let mut all = self.all_mails();
        ids.filter_map(|id| all.remove(&id.unwrap())).collect()
    }

    /// The last mail that was sent to an address.
    #[track_caller]
    pub fn last_mail_to(&self, address: &str) -> Mail {
        self.mails_to(address).pop().unwrap_or_else(|| panic!("nothing for {address}"))
    }

    /// Every file with a hash of its bytes, except SQLite's log and its index, which readers may
    /// create and remove.
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

    /// Checks at the end that no mail shows a token of anybody but its reader.
    pub fn check_tokens_at_the_end(&self) {
        self.checks_tokens.store(true, Ordering::Relaxed);
    }
}

impl Drop for TestEnvironment {
    fn drop(&mut self) {
        if self.checks_tokens.load(Ordering::Relaxed) && !thread::panicking() {
            self.check_tokens();
            self.ok("mail");
            self.ok("--json mail");
        }
    }
}

/// Waits until this holds, for at most two minutes.
#[track_caller]
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(120), "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
