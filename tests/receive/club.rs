//! A club of players, the mails that they write to it, and those that they get.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use chrono::{DateTime, TimeDelta, Utc};
use mail_parser::{HeaderName, Message, MessageParser};
use outflank::mail::token::{Claims, Purpose, Secret, Token};
use rusqlite::{Connection, Params};
use serde_json::Value;

pub const ALICE: &str = "alice@example.org";
pub const BOB: &str = "bob@example.org";
pub const CAROL: &str = "carol@example.org";
pub const STRANGER: &str = "mallory@evil.example";
pub const CLUB: &str = "outflank@club.example";

/// A database, its Maildir, and a clock that moves only when it is told to. When it is left, no
/// mail may have shown anybody a code of somebody else.
pub struct Club {
    folder: tempfile::TempDir,
    clock: Cell<DateTime<Utc>>,
    read: RefCell<BTreeSet<PathBuf>>,
    written: Cell<u32>,
}

impl Club {
    /// Alice (black) and bob play game 1, and have read that it has begun.
    pub fn new() -> Self {
        Self::configured("")
    }

    /// The same with these lines in `[receive]`.
    pub fn configured(receive: &str) -> Self {
        let club = Self::empty(receive);
        club.host("new othello alice@example.org bob@example.org");
        club.mails();
        club
    }

    /// Nobody plays here.
    pub fn empty(receive: &str) -> Self {
        let club = Self {
            folder: tempfile::tempdir().unwrap(),
            clock: Cell::new("2026-11-21T10:00:00Z".parse().unwrap()),
            read: RefCell::default(),
            written: Cell::new(0),
        };
        let config = format!("[mail]\nfrom = \"Outflank <{CLUB}>\"\n[receive]\n{receive}\n");
        std::fs::write(club.path("config.toml"), config).unwrap();
        club
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lets so many minutes pass.
    pub fn later(&self, minutes: i64) {
        self.clock.set(self.clock.get() + TimeDelta::minutes(minutes));
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        command
            .args(words)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("OUTFLANK_DB", self.path("outflank.db"))
            .env("OUTFLANK_CONFIG", self.path("config.toml"))
            .env("OUTFLANK_NOW", self.clock.get().to_rfc3339())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What the host does in a shell.
    #[track_caller]
    pub fn host(&self, words: &str) -> String {
        self.hosts(&words.split(' ').collect::<Vec<_>>())
    }

    /// The same in words that may have blanks in them.
    #[track_caller]
    pub fn hosts(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(codes_in(&said), [], "a code is shown: {said}");
        said
    }

    /// What a command of the host's says that fails.
    pub fn fails(&self, command: &str) -> String {
        let output = self.command(&[command]).output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    }

    /// Game 1 as `show --json` tells of it.
    pub fn game(&self) -> Value {
        serde_json::from_str(&self.host("--json show 1")).unwrap()
    }

    /// The moves of game 1.
    pub fn moves(&self) -> Vec<String> {
        let history: Value = serde_json::from_str(&self.host("--json history 1")).unwrap();
        let moves = history["moves"].as_array().unwrap().iter();
        moves.map(|made| made["move"].as_str().unwrap().to_owned()).collect()
    }

    fn start(&self, words: &[&str], letter: &Letter) -> Child {
        let mut child = self.command(&[&["--json", "receive"], words].concat()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(letter.bytes(self).as_bytes()).unwrap();
        child
    }

    /// Hands a letter in as a mail server does, and returns what became of it.
    #[track_caller]
    pub fn takes(&self, letter: &Letter) -> String {
        self.takes_with(&[], letter)
    }

    /// The same, with what the mail server knows of the envelope.
    #[track_caller]
    pub fn takes_with(&self, envelope: &[&str], letter: &Letter) -> String {
        fate(self.start(envelope, letter))
    }

    /// Hands a letter in that cannot be dealt with: the exit status, and what is said.
    pub fn comes_again(&self, letter: &Letter) -> (Option<i32>, String) {
        let output = self.start(&[], letter).wait_with_output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), said)
    }

    /// Hands letters in at the same moment.
    pub fn takes_at_once(&self, letters: &[Letter]) -> Vec<String> {
        let all: Vec<_> = letters.iter().map(|letter| self.start(&[], letter)).collect();
        thread::scope(|scope| {
            let fates: Vec<_> =
                all.into_iter().map(|child| scope.spawn(move || fate(child))).collect();
            fates.into_iter().map(|fate| fate.join().unwrap()).collect()
        })
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.path("outflank.maildir/new")).into_iter().flatten();
        files.map(|file| file.unwrap().path()).collect()
    }

    /// The mails that came since they were last looked at.
    pub fn mails(&self) -> Vec<Mail> {
        let mut read = self.read.borrow_mut();
        let new = self.files().into_iter().filter(|path| read.insert(path.clone()));
        let mut mails: Vec<_> = new.map(Mail::read).collect();
        mails.sort_by(|a, b| a.to.cmp(&b.to));
        mails
    }

    /// The only mail that came since.
    #[track_caller]
    pub fn mail(&self) -> Mail {
        let mut mails = self.mails();
        assert_eq!(mails.len(), 1, "{mails:#?}");
        mails.remove(0)
    }

    /// The only mail that came since, which is to this address.
    #[track_caller]
    pub fn mail_to(&self, address: &str) -> Mail {
        let mail = self.mail();
        assert_eq!(mail.to, address, "{mail:#?}");
        mail
    }

    #[track_caller]
    pub fn no_mail(&self) {
        assert_eq!(self.mails().iter().map(|mail| &mail.raw).collect::<Vec<_>>(), [""; 0]);
    }

    /// The host makes moves in game 1; returns the mail that tells whose turn it is.
    #[track_caller]
    pub fn turn_after(&self, moves: &str) -> Mail {
        self.host(&format!("move 1 {moves}"));
        self.mail()
    }

    /// Removes the mails to an address that is nobody's any more.
    pub fn forgets_mail_to(&self, address: &str) {
        for path in self.files() {
            if Mail::read(path.clone()).to == address {
                std::fs::remove_file(path).unwrap();
            }
        }
    }

    pub fn sqlite(&self) -> Connection {
        Connection::open(self.path("outflank.db")).unwrap()
    }

    fn ask<T: rusqlite::types::FromSql>(&self, sql: &str, params: impl Params) -> T {
        self.sqlite().query_row(sql, params, |row| row.get(0)).unwrap()
    }

    /// The code for a purpose that this player would be given.
    pub fn code(&self, purpose: Purpose, player: &str, number: i64, ply: usize) -> String {
        let id = self.ask("SELECT id FROM player WHERE name = ?1", [player]);
        let secret = Secret(self.ask("SELECT secret FROM player WHERE name = ?1", [player]));
        Token::new(Claims { purpose, player: Some(id), number, ply }, &secret).to_string()
    }

    /// The address that a code was given to.
    fn owner(&self, claims: &Claims) -> String {
        match (claims.player, claims.purpose) {
            (Some(id), _) => self.ask("SELECT address FROM player WHERE id = ?1", [id]),
            (None, Purpose::Confirm) => {
                self.ask("SELECT address FROM held WHERE id = ?1", [claims.number])
            }
            (None, _) => self.ask("SELECT address FROM outbox WHERE id = ?1", [claims.number]),
        }
    }
}

impl Drop for Club {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        self.read.borrow_mut().clear();
        for mail in self.mails() {
            for code in codes_in(&mail.everything) {
                let owner = self.owner(code.claims());
                assert_eq!(owner, mail.to, "a code of {owner} in {}", mail.raw);
            }
        }
        if self.path("outflank.db").exists() {
            self.host("mail");
            self.host("--json mail");
        }
    }
}

/// Whatever looks like a code, also where an escape stands right before it.
pub fn codes_in(text: &str) -> Vec<Token> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let ends = words.flat_map(|word| (0..word.len()).map(move |at| &word[at..]));
    ends.filter(|end| end.len() >= Token::MIN_LEN).filter_map(|end| end.parse().ok()).collect()
}

#[track_caller]
fn fate(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{out}");
    assert_eq!(codes_in(&out), []);
    let said: Value = serde_json::from_str(&out).unwrap();
    said["fate"].as_str().unwrap().to_owned()
}

/// A mail that a player got.
#[derive(Debug)]
pub struct Mail {
    pub to: String,
    pub text: String,
    pub raw: String,
    /// The header unfolded, and all parts decoded.
    everything: String,
}

impl Mail {
    fn read(path: PathBuf) -> Self {
        let raw = std::fs::read_to_string(path).unwrap();
        let message = MessageParser::new().parse(raw.as_bytes()).unwrap();
        let text = message.body_text(0).unwrap().replace("\r\n", "\n");
        let (head, _) = raw.split_once("\n\n").or_else(|| raw.split_once("\r\n\r\n")).unwrap();
        let head = head.replace('\r', "").replace("\n ", "").replace("\n\t", "");
        let html = message.body_html(0).unwrap_or_default();
        let everything = [&head, &*text, &*html].join("\n");
        let to = message.to().unwrap().first().unwrap().address().unwrap().to_owned();
        Self { to, text, everything, raw }
    }

    fn message(&self) -> Message<'_> {
        MessageParser::new().parse(self.raw.as_bytes()).unwrap()
    }

    pub fn reply_to(&self) -> String {
        let message = self.message();
        message.reply_to().unwrap().first().unwrap().address().unwrap().to_owned()
    }

    pub fn id(&self) -> String {
        self.message().message_id().unwrap().to_owned()
    }

    /// A field of the header as it was written, on one line.
    pub fn header(&self, name: &'static str) -> String {
        let name = HeaderName::parse(name).unwrap();
        let message = self.message();
        let words = message.header_raw(name).unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }

    /// The code of the address that it is answered to.
    pub fn code(&self) -> String {
        let address = self.reply_to();
        let (local, _) = address.split_once('@').unwrap();
        local.split_once('+').unwrap().1.to_owned()
    }

    /// What its reader writes back.
    pub fn answered(&self, text: &str) -> Letter {
        let letter = Letter::from(&self.to).to(&self.reply_to()).says(text);
        let id = format!("<{}>", self.id());
        let thread = format!("{} {id}", self.header("References"));
        letter.with("In-Reply-To", &id).with("References", thread.trim()).with("Subject", "Re: Hi")
    }

    #[track_caller]
    pub fn says(&self, words: &str) -> &Self {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(&self.text).contains(&flat(words)), "no `{words}` in:\n{}", self.text);
        self
    }
}

/// A mail that somebody writes.
#[derive(Debug, Clone)]
pub struct Letter {
    from: String,
    to: String,
    id: Option<String>,
    fields: Vec<(String, String)>,
    text: String,
}

impl Letter {
    pub fn from(from: &str) -> Self {
        let (id, fields, text) = (None, Vec::new(), String::new());
        Self { from: from.to_owned(), to: CLUB.to_owned(), id, fields, text }
    }

    pub fn to(self, to: &str) -> Self {
        Self { to: to.to_owned(), ..self }
    }

    /// The same by another author.
    pub fn by(self, from: &str) -> Self {
        Self { from: from.to_owned(), ..self }
    }

    pub fn says(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    pub fn id(self, id: &str) -> Self {
        Self { id: Some(id.to_owned()), ..self }
    }

    pub fn subject(self, subject: &str) -> Self {
        self.with("Subject", subject)
    }

    /// With this field, and no other of its name.
    pub fn with(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// With this field below those of its name.
    pub fn and(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(other, _)| other != name);
        self
    }

    /// The Message-ID that it has, or gets because nothing was said of it.
    fn known_id(&self, club: &Club) -> String {
        self.id.clone().unwrap_or_else(|| {
            club.written.set(club.written.get() + 1);
            format!("{}@mail.example", club.written.get())
        })
    }

    fn bytes(&self, club: &Club) -> String {
        let Self { from, to, fields, text, .. } = self;
        let mut mail = format!("From: {from}\nTo: {to}\nMessage-ID: <{}>\n", self.known_id(club));
        for (name, value) in fields {
            mail.push_str(&format!("{name}: {value}\n"));
        }
        let kind = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n";
        format!(
            "{mail}Date: {}\nMIME-Version: 1.0\n{kind}\n{text}\n",
            club.clock.get().to_rfc2822()
        )
    }
}
