//! A house where people play by mail: what they write, and what they get.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::house::{House, Ran};

pub const ALICE: &str = "alice@example.org";
pub const BOB: &str = "bob@example.org";
pub const OUTFLANK: &str = "outflank@club.example";

/// A transport that keeps each mail in a folder of its own: `from`, `to`, `message`.
const KEEPER: &str = r#"new=$(mktemp -d "$0/.XXXXXX") && printf %s "$2" >"$new/from" &&
printf %s "$4" >"$new/to" && cat >"$new/message" && mv "$new" "$0/$(basename "$new" | tr . k)""#;

/// Game 1 is Othello, alice (black) against bob.
pub struct Club {
    pub house: House,
}

/// A mail that comes in.
#[derive(Clone)]
pub struct Mail {
    pub fields: Vec<(String, String)>,
    pub text: String,
    /// The envelope.
    pub recipient: String,
    pub sender: String,
}

/// A mail that went out.
#[derive(Debug, Clone)]
pub struct Letter {
    pub text: String,
    /// The envelope, where it is known.
    pub return_path: String,
}

impl Club {
    pub fn new() -> Self {
        Self::configured("")
    }

    /// With settings besides the address of the house.
    pub fn configured(settings: &str) -> Self {
        let club = Self { house: House::new() };
        club.configure(settings);
        club.house.done(&["new", "othello", ALICE, BOB]);
        club
    }

    /// With a transport that keeps the envelopes, too.
    pub fn with_envelopes() -> Self {
        let club = Self { house: House::new() };
        fs::create_dir(club.house.path("kept")).unwrap();
        let folder = club.house.path("kept");
        let command = format!("['sh', '-c', '''{KEEPER}''', '{}']", folder.display());
        club.configure(&format!("[transport]\nkind = 'sendmail'\ncommand = {command}"));
        club.house.done(&["new", "othello", ALICE, BOB]);
        club
    }

    pub fn configure(&self, settings: &str) {
        fs::create_dir_all(self.house.path(".config/outflank")).unwrap();
        let config = format!("{settings}\n[mail]\nfrom = 'Outflank <{OUTFLANK}>'\n");
        fs::write(self.house.path(".config/outflank/config.toml"), config).unwrap();
    }

    /// `receive` as a mail server runs it for this mail, with options before the envelope.
    pub fn command(&self, mail: &Mail, options: &[&str]) -> Command {
        let mut arguments: Vec<OsString> = vec!["receive".into()];
        arguments.extend(options.iter().map(OsString::from));
        let extension = mail.recipient.split('@').next().unwrap().split_once('+');
        let extension = extension.map_or("", |(_, extension)| extension);
        arguments.extend([&mail.recipient, &mail.sender, extension].map(OsString::from));
        self.house.command(&arguments)
    }

    /// Pipes a mail in. What becomes of it.
    #[track_caller]
    pub fn receive(&self, mail: &Mail) -> String {
        let ran = feed(self.command(mail, &["--json"]), &mail.bytes());
        assert_eq!((ran.status, &*ran.err), (Some(0), ""), "{ran:?}");
        let said: Value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
        said["fate"].as_str().unwrap().to_owned()
    }

    /// Pipes bytes in as a mail server does, which looks at the status only: dealt with, in silence.
    #[track_caller]
    pub fn pipe(&self, bytes: &[u8]) {
        let ran = feed(self.house.command(&["receive", OUTFLANK, ALICE, ""]), bytes);
        assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""));
    }

    /// How many moves a game has.
    pub fn plies(&self, game: i64) -> u64 {
        self.house.json(&["show", &game.to_string()])["ply"].as_u64().unwrap()
    }

    /// Some legal move.
    pub fn legal(&self, game: i64) -> String {
        self.house.json(&["show", &game.to_string()])["legal"][0].as_str().unwrap().to_owned()
    }

    /// What is in the outbox: whom each mail goes to, what it is about, its state.
    pub fn outbox(&self) -> Vec<String> {
        let sqlite = self.house.sqlite();
        let mut select = sqlite
            .prepare(
                "SELECT coalesce(name, address) || ' ' || event || ' ' || state FROM
                 (SELECT outbox.id, name, outbox.address, event, state FROM outbox
                  LEFT JOIN player ON player.id = outbox.player) ORDER BY id",
            )
            .unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// How many mails go to somebody about something, in whatever state.
    pub fn count(&self, what: &str) -> usize {
        self.outbox().iter().filter(|mail| mail.starts_with(what)).count()
    }

    /// What `inbox` tells of the mail that came in.
    pub fn fates(&self) -> BTreeMap<String, u64> {
        let inbox = self.house.json(&["inbox"]);
        let fates = inbox["mails"].as_array().unwrap().iter();
        fates
            .map(|row| (row["fate"].as_str().unwrap().to_owned(), row["mails"].as_u64().unwrap()))
            .collect()
    }

    /// What went out to an address, from the first to the last.
    pub fn letters(&self, address: &str) -> Vec<Letter> {
        let sqlite = self.house.sqlite();
        let mut select =
            sqlite.prepare("SELECT message_id FROM outbox WHERE sent_to = ?1 ORDER BY id").unwrap();
        let ids = select.query_map([address], |row| row.get::<_, String>(0)).unwrap();
        let all = self.house.mails().into_values().map(|text| (String::new(), text));
        let kept = fs::read_dir(self.house.path("kept")).into_iter().flatten();
        let kept = kept.map(|entry| {
            let read =
                |name| fs::read_to_string(entry.as_ref().unwrap().path().join(name)).unwrap();
            (read("from"), read("message"))
        });
        let all: Vec<_> = all.chain(kept).collect();
        ids.filter_map(|id| {
            let id = format!("<{}>", id.unwrap());
            let is = |text: &str| field(text, "Message-ID").as_deref() == Some(&*id);
            let (from, text) = all.iter().find(|(_, text)| is(text))?;
            Some(Letter { text: text.clone(), return_path: from.clone() })
        })
        .collect()
    }

    /// The last mail that went out to an address.
    #[track_caller]
    pub fn letter(&self, address: &str) -> Letter {
        self.letters(address).pop().unwrap_or_else(|| panic!("nothing for {address}"))
    }

    /// An answer to the last mail that went out to an address.
    #[track_caller]
    pub fn reply(&self, address: &str, text: &str) -> Mail {
        self.letter(address).reply(address, text)
    }

    /// What is kept of mail that cannot be processed.
    pub fn quarantine(&self) -> Vec<Vec<u8>> {
        let Ok(folder) = fs::read_dir(self.house.path("outflank.quarantine")) else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
    }
}

impl Mail {
    pub fn new(from: &str, to: &str, text: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mail = Self {
            fields: Vec::new(),
            text: text.to_owned(),
            recipient: to.to_owned(),
            sender: from.to_owned(),
        };
        mail.with("From", from)
            .with("To", to)
            .with("Subject", "Othello")
            .with("Date", "Sat, 21 Nov 2026 10:00:00 +0000")
            .with("Message-ID", &format!("<{number}@mailer.example>"))
    }

    /// With one more field.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// With this field and no other of its name.
    pub fn but(self, name: &str, value: &str) -> Self {
        self.without(name).with(name, value)
    }

    /// With another envelope sender.
    pub fn sent_by(mut self, sender: &str) -> Self {
        sender.clone_into(&mut self.sender);
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = String::new();
        for (name, value) in &self.fields {
            bytes.push_str(&format!("{name}: {value}\r\n"));
        }
        bytes.push_str("\r\n");
        bytes.push_str(&self.text.replace('\n', "\r\n"));
        bytes.into_bytes()
    }
}

impl Letter {
    /// The value of a field.
    #[track_caller]
    pub fn field(&self, name: &str) -> String {
        field(&self.text, name).unwrap_or_else(|| panic!("no {name}: {}", self.text))
    }

    /// Where it wants to be answered.
    pub fn answer_to(&self) -> String {
        let field = self.field("Reply-To");
        let bare = field.rsplit_once('<').map_or(&*field, |(_, rest)| rest);
        bare.trim_end_matches('>').to_owned()
    }

    /// An answer to it, in which it is not quoted.
    pub fn reply(&self, from: &str, text: &str) -> Mail {
        Mail::new(from, &self.answer_to(), &format!("{text}\n"))
            .with("In-Reply-To", &self.field("Message-ID"))
            .but("Subject", &format!("Re: {}", self.field("Subject")))
    }
}

/// The value of a field, unfolded.
fn field(text: &str, name: &str) -> Option<String> {
    let header = text.replace("\r\n", "\n");
    let header = header.split("\n\n").next()?.replace("\n ", " ").replace("\n\t", " ");
    header.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// Runs a command with something on its standard input.
pub fn feed(mut command: Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A program that has read enough may close it.
            let _ = stdin.write_all(input);
        });
        Ran::of(child.wait_with_output().unwrap())
    })
}
