//! A folder with a database. The binary runs there, sealed off from the rest of the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use outflank::store::Store;
use outflank_model::StoredGame;
use outflank_model::log::GameId;
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

/// A transport that stores each mail with its envelope sender in the Maildir `$0`.
const KEEPER: &str = r#"new=$(mktemp "$0/tmp/XXXXXXXX") &&
{ printf "Return-Path: <%s>\n" "$2"; cat; } >"$new" && mv "$new" "$0/new/""#;

/// A database, its Maildir and configuration, and the clock of the binary.
pub struct TestEnvironment {
    folder: tempfile::TempDir,
    program: PathBuf,
    /// The user and group of all commands, if not those of the test.
    user: Option<(u32, u32)>,
    /// Whether the clock is the machine's.
    is_ticking: bool,
    /// The seconds by which the clock is ahead.
    ahead: AtomicI64,
    /// The number of commands so far, which is the seed of the next one.
    commands: AtomicU64,
    /// The mails that `mails` has returned.
    seen: Mutex<BTreeSet<PathBuf>>,
    checks_tokens: AtomicBool,
}

impl TestEnvironment {
    /// Returns an environment without a database, configured with the server's address and to
    /// receive mail. Its clock stands still.
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

    /// Adds settings to the server's address.
    pub fn config(self, settings: &str) -> Self {
        self.configure(settings);
        self
    }

    /// Adds game 1: othello, alice (black) against bob. Its mails count as seen. Environments with the same
    /// configuration get copies of the first one's files, which equal the command's result.
    pub fn with_game(self) -> Self {
        static MADE: Mutex<BTreeMap<String, Vec<MadeFile>>> = Mutex::new(BTreeMap::new());
        let is_like_others = !self.is_ticking
            && self.user.is_none()
            && self.ahead.load(Ordering::Relaxed) == 0
            && !self.database().exists();
        let seed = self.commands.load(Ordering::Relaxed);
        let config = fs::read_to_string(self.config_file()).unwrap();
        let config = config.replace(self.folder().to_str().unwrap(), "~");
        let key = format!("{seed} {config}");
        let made = MADE.lock().unwrap().get(&key).filter(|_| is_like_others).cloned();
        if let Some(made) = made {
            made.iter().for_each(|file| file.write(self.folder()));
            self.commands.store(seed + 1, Ordering::Relaxed);
        } else {
            self.ok(&format!("new othello {ALICE} {BOB}"));
            if is_like_others {
                let files = MadeFile::all(self.folder());
                MADE.lock().unwrap().insert(key, files);
            }
        }
        self.seen.lock().unwrap().extend(self.mail_files());
        self
    }

    /// Adds a transport that stores the envelope sender as Return-Path.
    pub fn with_envelopes(self) -> Self {
        let maildir = self.path("outflank.maildir");
        for folder in ["new", "cur", "tmp"] {
            fs::create_dir_all(maildir.join(folder)).unwrap();
        }
        let command = format!("['sh', '-c', '''{KEEPER}''', '{}']", maildir.display());
        let config = fs::read_to_string(self.config_file()).unwrap();
        let transport = format!("[transport]\nkind = 'sendmail'\ncommand = {command}");
        self.write_config(&format!("{config}\n{transport}\n"));
        self
    }

    /// Uses the machine's clock.
    pub fn with_ticking_clock(mut self) -> Self {
        self.is_ticking = true;
        self
    }

    /// Runs commands with this copy of the binary, as this user and group.
    pub fn run_as(mut self, program: PathBuf, user: (u32, u32)) -> Self {
        (self.program, self.user) = (program, Some(user));
        self
    }

    /// Replaces all settings except the server's address. Incoming mail stays enabled.
    pub fn configure(&self, settings: &str) {
        let receive = if settings.contains("[receive]") { "" } else { "[receive]" };
        let mail = format!("[mail]\nfrom = 'Outflank <{SERVER}>'");
        self.write_config(&format!("{mail}\n{settings}\n{receive}\n"));
    }

    /// Replaces the configuration. The next `send` makes it the club's.
    pub fn write_config(&self, config: &str) {
        let file = self.config_file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, config).unwrap();
        self.forget_club();
    }

    /// Lets the next `send` record its configuration as the club's, as if it were the first.
    pub fn forget_club(&self) {
        if self.database().exists() {
            // Some tests damage or lock the database, or have one of an older schema.
            let _ = self.sqlite().execute("DELETE FROM club", []);
        }
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

    /// Opens the database directly.
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

    /// Moves the clock forward by `minutes`. See [`Self::later_seconds`].
    pub fn later(&self, minutes: i64) {
        self.later_seconds(60 * minutes);
    }

    /// Moves the clock forward by `seconds` without an outage: if `send` ever ran, it counts as having
    /// checked deadlines until then.
    pub fn later_seconds(&self, seconds: i64) {
        self.outage_seconds(seconds);
        if self.database().exists() {
            let sql = "UPDATE installation SET deadlines_checked_at = ?1
                       WHERE deadlines_checked_at IS NOT NULL";
            // Some tests damage or lock the database.
            let _ = self.sqlite().execute(sql, [self.now().timestamp()]);
        }
    }

    /// Moves the clock forward by `seconds` while no `send` runs.
    pub fn outage_seconds(&self, seconds: i64) {
        let ahead = self.ahead.fetch_add(seconds, Ordering::Relaxed) + seconds;
        if self.is_ticking {
            // Programs that other programs start read the clock from this file.
            fs::write(self.path("ahead"), ahead.to_string()).unwrap();
        }
    }

    /// Returns a command of the binary; `words` are quoted as in a shell.
    pub fn command(&self, words: &str) -> Command {
        self.command_of(&shlex::split(words).unwrap_or_else(|| panic!("{words}")))
    }

    /// Returns a command of the binary with these arguments.
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
            // Tests of the log remove it.
            .env("OUTFLANK_LOG", "warn")
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

    /// Runs a command that succeeds without a warning, and returns its output.
    #[track_caller]
    pub fn ok(&self, words: &str) -> String {
        let stdout = self.run(words).ok();
        assert_eq!(tokens_in(&stdout), [], "a token is shown: {stdout}");
        stdout
    }

    /// Runs a command that fails with this status, and returns its error line.
    #[track_caller]
    pub fn fails(&self, status: i32, words: &str) -> String {
        self.run(words).failed(status).to_owned()
    }

    /// Runs a command that succeeds, and parses its JSON output.
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

    /// Returns the JSON of `show`.
    #[track_caller]
    pub fn game(&self, game: i64) -> Value {
        self.json(&format!("show {game}"))
    }

    /// Returns a game as it is stored.
    #[track_caller]
    pub fn stored(&self, game: i64) -> StoredGame {
        let store = Store::open(&self.database(), false).unwrap();
        store.read(|db| db.game(GameId(game))).unwrap().unwrap()
    }

    /// Returns the number of moves in a game.
    #[track_caller]
    pub fn plies(&self, game: i64) -> u64 {
        self.stored(game).game.plies().len() as u64
    }

    /// Returns a legal move.
    pub fn legal(&self, game: i64) -> String {
        let game = self.stored(game).game;
        game.start().rules().lattice.move_label(game.legal()[0])
    }

    /// Returns the moves of a game.
    #[track_caller]
    pub fn moves(&self, game: i64) -> Vec<String> {
        let game = self.stored(game).game;
        let lattice = game.start().rules().lattice;
        game.plies().iter().map(|ply| lattice.move_label(ply.mv)).collect()
    }

    /// Returns the outbox: the player, the kind and the state of each mail.
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

    /// Returns the number of lines of the outbox with this beginning.
    pub fn count(&self, beginning: &str) -> usize {
        self.outbox().iter().filter(|mail| mail.starts_with(beginning)).count()
    }

    fn mail_files(&self) -> impl Iterator<Item = PathBuf> {
        let files = fs::read_dir(self.path("outflank.maildir/new")).into_iter().flatten();
        files.map(|file| file.unwrap().path())
    }

    /// Returns the mails since the last call, by recipient.
    pub fn mails(&self) -> Vec<Mail> {
        self.check_tokens_at_the_end();
        let mut seen = self.seen.lock().unwrap();
        let new = self.mail_files().filter(|path| seen.insert(path.clone()));
        let mut mails: Vec<_> = new.map(|path| Mail::parse(fs::read(path).unwrap())).collect();
        mails.sort_by(|a, b| a.to.cmp(&b.to));
        mails
    }

    /// Returns the only mail since the last call of `mails`.
    #[track_caller]
    pub fn mail(&self) -> Mail {
        let mut mails = self.mails();
        assert_eq!(mails.len(), 1, "{mails:#?}");
        mails.remove(0)
    }

    /// Returns the only mail since the last call of `mails`, which must be to this address.
    #[track_caller]
    pub fn mail_to(&self, address: &str) -> Mail {
        let mail = self.mail();
        assert_eq!(mail.to, address, "{mail:#?}");
        mail
    }

    /// Checks that no mail was sent since the last call of `mails`.
    #[track_caller]
    pub fn no_mail(&self) {
        assert_eq!(self.mails().iter().map(|mail| &mail.raw).collect::<Vec<_>>(), [""; 0]);
    }

    /// Makes moves in game 1, and returns the turn mail of the last one.
    #[track_caller]
    pub fn turn_after(&self, moves: &str) -> Mail {
        self.ok(&format!("move 1 {moves}"));
        self.mail()
    }

    /// Returns all mails by Message-ID, which must be unique.
    pub fn all_mails(&self) -> BTreeMap<String, Mail> {
        let mut mails = BTreeMap::new();
        for path in self.mail_files() {
            let mail = Mail::parse(fs::read(path).unwrap());
            let id = mail.id().trim_matches(['<', '>']).to_owned();
            assert!(mails.insert(id, mail).is_none(), "a Message-ID is repeated");
        }
        mails
    }

    /// Returns the raw mails to an address, oldest first. Parsing all other mails would take long.
    fn raw_mails_to(&self, address: &str) -> Vec<Vec<u8>> {
        let sqlite = self.sqlite();
        let mut select =
            sqlite.prepare("SELECT message_id FROM outbox WHERE sent_to = ?1 ORDER BY id").unwrap();
        let ids = select.query_map([address], |row| row.get::<_, String>(0)).unwrap();
        let raw = self.mail_files().map(|path| fs::read(path).unwrap());
        let mut all: BTreeMap<_, _> = raw.map(|raw| (message_id(&raw), raw)).collect();
        ids.filter_map(|id| all.remove(&id.unwrap())).collect()
    }

    /// Returns all mails to an address, oldest first.
    pub fn mails_to(&self, address: &str) -> Vec<Mail> {
        self.raw_mails_to(address).into_iter().map(Mail::parse).collect()
    }

    /// Returns the last mail to an address.
    #[track_caller]
    pub fn last_mail_to(&self, address: &str) -> Mail {
        let last = self.raw_mails_to(address).pop();
        Mail::parse(last.unwrap_or_else(|| panic!("no mail to {address}")))
    }

    /// Returns a hash of each file, except SQLite's log and its index, which readers may create and
    /// remove.
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

    /// Checks at the end that each mail shows tokens of its reader only.
    pub fn check_tokens_at_the_end(&self) {
        self.checks_tokens.store(true, Ordering::Relaxed);
    }
}

impl Drop for TestEnvironment {
    fn drop(&mut self) {
        if self.checks_tokens.load(Ordering::Relaxed) && !thread::panicking() {
            self.check_tokens();
            self.ok("--json mail");
        }
    }
}

/// A file or folder of an environment, relative to its folder, with its permissions.
#[derive(Clone)]
struct MadeFile {
    path: PathBuf,
    /// The content; `None` for a folder.
    content: Option<Arc<[u8]>>,
    permissions: fs::Permissions,
}

impl MadeFile {
    /// Returns all files in this folder but the configuration.
    fn all(folder: &Path) -> Vec<Self> {
        let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(inner) = folders.pop() {
            for entry in fs::read_dir(inner).unwrap() {
                let (path, kind) = entry.map(|it| (it.path(), it.file_type().unwrap())).unwrap();
                let name = path.file_name().unwrap().to_str().unwrap();
                if name == ".config" {
                    continue;
                }
                let content = kind.is_file().then(|| fs::read(&path).unwrap().into());
                files.push(Self {
                    path: path.strip_prefix(folder).unwrap().to_owned(),
                    content,
                    permissions: fs::metadata(&path).unwrap().permissions(),
                });
                if kind.is_dir() {
                    folders.push(path);
                }
            }
        }
        files
    }

    fn write(&self, folder: &Path) {
        let path = folder.join(&self.path);
        match &self.content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::create_dir_all(&path).unwrap(),
        }
        fs::set_permissions(path, self.permissions.clone()).unwrap();
    }
}

/// Waits until `holds` returns true; fails after two minutes.
#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(120), "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the Message-ID of a mail of ours, without angle brackets.
fn message_id(raw: &[u8]) -> String {
    let raw = String::from_utf8_lossy(raw);
    let id = raw.lines().find_map(|line| line.strip_prefix("Message-ID: <"));
    id.expect("a Message-ID").trim_end_matches('>').to_owned()
}
