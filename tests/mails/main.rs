//! The mails that players get, as bytes in a Maildir: their headers, and their text as
//! snapshots, which are read before they are accepted.

mod commands;
mod html;
mod written;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Output};

use mail_parser::{HeaderName, MessageParser};

/// A database with its Maildir, and a clock that stands still.
struct Post(tempfile::TempDir);

/// One mail, parsed.
struct Mail {
    to: String,
    subject: String,
    id: String,
    text: String,
    raw: String,
}

impl Mail {
    fn without_html(&self) -> String {
        let (headers, _) = self.raw.split_once("\n\n").unwrap();
        format!("{headers}\n\n{}", self.text)
    }
}

impl Mail {
    fn reply_to(&self) -> String {
        let message = MessageParser::new().parse(self.raw.as_bytes()).unwrap();
        message.reply_to().unwrap().first().unwrap().address().unwrap().to_owned()
    }
}

impl Post {
    fn new() -> Self {
        let post = Self(tempfile::tempdir().unwrap());
        post.configure("");
        post
    }

    fn configure(&self, config: &str) {
        std::fs::write(self.path("config.toml"), config).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &[&str]) -> Output {
        self.run_with(words, "")
    }

    fn run_with(&self, words: &[&str], input: &str) -> Output {
        std::fs::write(self.path("input"), input).unwrap();
        // Two answers with the same seed would have the same Message-ID.
        let seed = if input.is_empty() { 1 } else { self.maildir().len() };
        Command::new(env!("CARGO_BIN_EXE_outflank"))
            .args(words)
            .env_clear()
            .env("OUTFLANK_DB", self.path("outflank.db"))
            .env("OUTFLANK_CONFIG", self.path("config.toml"))
            .env("OUTFLANK_NOW", "2026-11-21T10:00:00Z")
            .env("OUTFLANK_SEED", seed.to_string())
            .stdin(File::open(self.path("input")).unwrap())
            .output()
            .unwrap()
    }

    /// Runs a command that must succeed, and returns the mails it sent in the order in which they
    /// were written.
    fn mails(&self, words: &[&str]) -> Vec<Mail> {
        self.mails_with(words, "")
    }

    /// Processes a mail with this text, and returns the mails that it caused.
    fn receive(&self, from: &str, to: &str, text: &str) -> Vec<Mail> {
        let id = self.maildir().len();
        let mail = format!("From: {from}\nTo: {to}\nMessage-ID: <{id}@{from}>\n\n{text}\n");
        self.mails_with(&["--json", "receive"], &mail)
    }

    fn mails_with(&self, words: &[&str], input: &str) -> Vec<Mail> {
        let before = self.maildir();
        let output = self.run_with(words, input);
        assert!(output.status.success(), "{words:?} {input}: {output:?}");
        let mut mails: Vec<_> = self.maildir().difference(&before).map(read).collect();
        mails.sort_by(|a, b| (&a.id, &a.to).cmp(&(&b.id, &b.to)));
        mails
    }

    fn maildir(&self) -> BTreeSet<PathBuf> {
        let files = std::fs::read_dir(self.path("outflank.maildir/new"));
        files.into_iter().flatten().map(|file| file.unwrap().path()).collect()
    }
}

fn read(path: &PathBuf) -> Mail {
    let bytes = std::fs::read(path).unwrap();
    let message = MessageParser::new().parse(&bytes).unwrap();
    Mail {
        to: message.to().unwrap().first().unwrap().address().unwrap().to_owned(),
        subject: message.subject().unwrap().to_owned(),
        id: message.message_id().unwrap().to_owned(),
        text: message.body_text(0).unwrap().replace("\r\n", "\n"),
        raw: String::from_utf8(bytes).unwrap(),
    }
}

fn to<'a>(mails: &'a [Mail], address: &str) -> &'a Mail {
    mails.iter().find(|mail| mail.to == address).unwrap()
}

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

#[test]
fn a_game_in_mails() {
    let post = Post::new();
    let started = post.mails(&["new", "mini", ALICE, BOB]);
    assert_eq!(started.len(), 2);
    insta::assert_snapshot!("started-black", to(&started, ALICE).without_html());
    insta::assert_snapshot!("started-white", to(&started, BOB).without_html());

    let turn = post.mails(&["move", "1", "b1"]);
    assert_eq!(turn.len(), 1, "whoever moves gets no copy");
    insta::assert_snapshot!("turn", to(&turn, BOB).without_html());

    let receipt = post.mails(&["move", "1", "a1", "--receipt"]);
    assert_eq!(receipt.len(), 2);
    insta::assert_snapshot!("receipt", to(&receipt, BOB).text);

    let several = post.mails(&["move", "1", "c4", "d4", "d3", "b4", "a4", "c1", "d1"]);
    assert_eq!(several.len(), 1, "several moves are told in one mail");
    assert_eq!(several[0].to, BOB);

    let again = post.mails(&["move", "1", "d2"]);
    assert_eq!(again.len(), 1);
    insta::assert_snapshot!("turn-again", to(&again, BOB).text);

    post.mails(&["move", "1", "a3"]);
    let over = post.mails(&["move", "1", "a2"]);
    assert_eq!(over.len(), 2);
    insta::assert_snapshot!("over-black", to(&over, ALICE).text);
    assert!(to(&over, BOB).text.contains("\n\nGame 1 is over. bob (white) wins 12-4."));

    let all: Vec<_> = post.maildir().iter().map(read).collect();
    let ids: BTreeSet<_> = all.iter().map(|mail| &mail.id).collect();
    assert_eq!(ids.len(), all.len(), "every mail has a Message-ID of its own");
    for mail in &all {
        let message = MessageParser::new().parse(mail.raw.as_bytes()).unwrap();
        let header = |name| message.header_raw(name).unwrap().trim().to_owned();
        let thread = header(HeaderName::References);
        assert!(thread.starts_with("<game-1.") && thread.ends_with("@localhost>"), "{thread}");
        assert_eq!(header(HeaderName::InReplyTo), thread);
        assert!(!ids.contains(&thread.trim_matches(['<', '>']).to_owned()));
        assert_eq!(mail.subject, "Mini Othello #1: alice - bob");
        assert_eq!(header("Auto-Submitted".into()), "auto-generated");
        assert_eq!(header(HeaderName::From), "outflank@localhost");
        assert!(mail.text.lines().all(|line| line.len() <= 78), "{}", mail.text);
        assert!(!mail.text.contains("\n\n\n"), "no gap is wider than a line:\n{}", mail.text);
    }
}

#[test]
fn a_player_who_must_pass_is_told_so() {
    let post = Post::new();
    let mails = post.mails(&["new", "twente", ALICE, BOB, "--position", "(b wb-- ---- ---- ----)"]);
    insta::assert_snapshot!("must-pass", to(&mails, ALICE).text);
    let mails = post.mails(&["pass", "1#1"]);
    assert!(mails[0].text.contains("Last move: 1. alice (black) passed\n"), "{}", mails[0].text);
}

#[test]
fn a_game_on_the_hex_lattice_ends_in_mails() {
    let post = Post::new();
    let mails = post.mails(&["new", "oddthello", ALICE, BOB, "--moves", "c4"]);
    insta::assert_snapshot!("hex-turn", to(&mails, BOB).text);
    let over = post.mails(&["resign", "1", "--as", "alice"]);
    assert_eq!(over.len(), 2);
    insta::assert_snapshot!("resigned", to(&over, BOB).text);
}

#[test]
fn a_game_that_is_over_at_once_is_told_twice_to_both() {
    let post = Post::new();
    let mails = post.mails(&["new", "othello", ALICE, BOB, "--position", "(b bbb bbb bbw)"]);
    assert_eq!(mails.len(), 4);
    let over = mails.iter().filter(|mail| mail.text.contains("\n\nGame 1 is over."));
    assert_eq!(over.count(), 2);
}

#[test]
fn long_lists_are_wrapped_and_wide_figures_are_not() {
    let post = Post::new();
    let mails = post.mails(&["new", "othello", ALICE, BOB, "--size", "99x26", "--anywhere"]);
    let text = &to(&mails, ALICE).text;
    let grid = |line: &&str| line.starts_with(['|', '+']) || line.starts_with("  a   b");
    assert!(text.lines().filter(|line| !grid(line)).all(|line| line.len() <= 78));
    assert!(text.lines().any(|line| line.ends_with("| 99")));
    assert!(text.contains("Legal moves: a1 / a2 / a3 /"));
}

#[test]
fn the_operators_own_sender_and_templates_are_used() {
    let post = Post::new();
    std::fs::create_dir(post.path("own")).unwrap();
    std::fs::write(post.path("own/turn.txt"), "{{ you.name }}, {{ last_move }}\n").unwrap();
    let config = "[mail]\nfrom = \"Der Wirt <wirt@club.example>\"\ntemplates = \"own\"\n";
    post.configure(config);
    let started = post.mails(&["new", "othello", ALICE, BOB]);
    assert!(started[0].raw.contains("\nFrom: \"Der Wirt\" <wirt@club.example>\n"));
    assert!(started[0].id.ends_with("@club.example"));
    let turn = post.mails(&["move", "1", "f5"]);
    assert_eq!(turn[0].text, "bob, 1. alice (black) f5 (flipped e5)\n");

    // A template that is broken keeps no move from being made; the mail waits until it is mended.
    std::fs::write(post.path("own/turn.txt"), "{{ yuo.name }}").unwrap();
    assert!(post.mails(&["move", "1", "f6"]).is_empty());
    let told = post.run(&["--json", "mail", "1"]).stdout;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains("the template turn.txt line 1 fails: undefined value"), "{told}");
    std::fs::remove_file(post.path("own/turn.txt")).unwrap();
    let mended = post.mails(&["mail", "retry", "4"]);
    assert!(mended[0].text.contains("\n\nIt is your turn, alice: move number 3 of game 1."));
}
