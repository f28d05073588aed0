//! Compares the mails of a game with the program's output about it.

use chrono::{DateTime, Utc};
use mail_parser::{Address, MimeHeaders};
use serde_json::Value;

use crate::harness::{Mail, TestEnvironment};

/// The headers that all mails of a game share, taken from the first one.
pub struct Thread {
    /// The id that all of them refer to.
    id: String,
    subject: String,
}

impl Thread {
    pub fn of(first: &Mail, subject: &str) -> Self {
        Self { id: first.header("In-Reply-To"), subject: subject.to_owned() }
    }

    /// Checks the headers of a mail to this player, written since `since`.
    pub fn check(&self, mail: &Mail, player: &str, since: DateTime<Utc>) {
        let message = &mail.message;
        assert_eq!(only(message.from()), ("Outflank", "outflank@local.test"));
        assert_eq!(only(message.to()), (player, &*format!("{player}@local.test")));
        assert_eq!(mail.header("Subject"), self.subject);
        assert_eq!(mail.header("In-Reply-To"), self.id);
        assert_eq!(mail.header("References"), self.id);
        assert!(
            self.id.starts_with("<game-1.") && self.id.ends_with("@local.test>"),
            "{}",
            self.id
        );
        assert_ne!(mail.id(), self.id);
        let path = mail.header("Return-Path");
        assert!(path.starts_with("<outflank+") && path.ends_with("@local.test>"), "{path}");
        assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
        assert_eq!(mail.header("List-Id"), "Outflank <outflank.local.test>");
        assert_eq!(mail.header("MIME-Version"), "1.0");

        let date = message.date().expect("a Date").to_timestamp();
        assert!((since.timestamp()..=Utc::now().timestamp()).contains(&date), "{date}");

        let kinds: Vec<_> = message
            .parts
            .iter()
            .map(|part| {
                let kind = part.content_type().expect("a Content-Type");
                let charset = kind.attribute("charset").map(str::to_lowercase);
                (format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()), charset)
            })
            .collect();
        let utf_8 = Some("utf-8".to_owned());
        assert_eq!(
            kinds,
            [
                ("multipart/alternative".to_owned(), None),
                ("text/plain".to_owned(), utf_8.clone()),
                ("text/html".to_owned(), utf_8),
            ]
        );
        assert_eq!(message.attachment_count(), 0);

        assert!(!mail.raw.contains(char::REPLACEMENT_CHARACTER), "UTF-8");
        for line in mail.raw.split_inclusive('\n') {
            assert!(line.ends_with("\r\n") && line.len() <= 1000, "{line:?}");
        }
        for line in mail.text.lines() {
            assert!(line.chars().count() <= 78, "{line:?}");
            assert!(!line.contains(char::is_control) && line.trim_end() == line, "{line:?}");
        }
    }
}

fn only<'a>(address: Option<&'a Address>) -> (&'a str, &'a str) {
    let mailboxes = address.expect("an address").as_list().expect("no groups");
    let [mailbox] = mailboxes else { panic!("{mailboxes:?}") };
    (mailbox.name().unwrap_or_default(), mailbox.address().unwrap_or_default())
}

/// Compares the text of a mail to this player with the game; it must begin with `opening`. Returns the
/// command that it suggests as the answer; `None` if it suggests none.
pub fn check_text(
    mail: &Mail,
    player: &str,
    opening: &str,
    env: &TestEnvironment,
) -> Option<String> {
    let text = mail.body();
    let game = env.game(1);
    let number = game["ply"].as_u64().unwrap();
    assert!(text.starts_with(opening), "{text}");

    // The figure is the one of `show`, and matches the position.
    let shown = env.ok("show 1");
    let figure = shown.split("\n\n").find(|block| block.starts_with("+-")).expect("a figure");
    assert!(text.contains(&format!("\n\n{figure}\n")), "{figure}\n{text}");
    let position = position(figure);
    assert!(game["position"].as_str().unwrap().ends_with(&format!(" {position})")), "{figure}");

    let discs = |color: &str| game[color]["discs"].as_u64().unwrap();
    let score = format!("black {}, white {}", discs("black"), discs("white"));
    assert_eq!(paragraph(text, "Score: ").as_deref(), Some(&*score));

    // The last disc placed, and the pass after it.
    let history = env.json("history 1");
    let moves = history["moves"].as_array().unwrap();
    let last = moves.iter().rfind(|made| made["auto"] == false);
    let shown = paragraph(text, "Last move: ");
    assert_eq!(shown.is_some(), last.is_some(), "{text}");
    if let (Some(shown), Some(last)) = (shown, last) {
        let passed = moves.last() != Some(last);
        let (placed, pass) = shown.split_once("; ").map_or((&*shown, None), |(a, b)| (a, Some(b)));
        assert_eq!(pass.is_some_and(|pass| pass.ends_with("passed")), passed, "{shown}");
        let (by, flipped) = placed.split_once(" (flipped ").expect("what it flipped");
        let color = last["by"].as_str().unwrap();
        let name = game[color]["player"].as_str().unwrap();
        let made = last["move"].as_str().unwrap();
        assert_eq!(by, format!("{}. {name} ({color}) {made}", last["ply"]));
        assert_eq!(sorted(flipped), labels(&last["flipped"]));
        match paragraph(text, "Last moves: ") {
            Some(line) => {
                assert!(line.ends_with(&format!("{number}.{made}")) || passed, "{line}");
            }
            None => {
                let transcript = paragraph(text, "Transcript: ").expect("the transcript");
                assert!(transcript.ends_with(made), "{transcript}");
            }
        }
    }

    let answer = text.lines().find_map(|line| line.strip_prefix("Reply with your move, such as "));
    if game["turn"].as_str().is_some_and(|color| game[color]["player"] == player) {
        assert!(text.contains(&format!("our turn, {player}")), "{text}");
        let legal = paragraph(text, "Legal moves: ").expect("the legal moves");
        assert_eq!(sorted(&legal), labels(&game["legal"]));
        let (answer, _) = answer.and_then(|it| it.split_once(',')).expect("how to answer");
        Some(format!("move 1 {answer}#{} --as {player}", number + 1))
    } else {
        assert_eq!((paragraph(text, "Legal moves: "), answer), (None, None), "{text}");
        None
    }
}

/// Returns the rest of the line with this beginning, unwrapped.
fn paragraph(text: &str, beginning: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(beginning));
    let mut words = lines.next()?.strip_prefix(beginning)?.to_owned();
    let fresh = |line: &&str| !line.is_empty() && !line.contains(": ");
    for line in lines.take_while(fresh) {
        words.push(' ');
        words.push_str(line);
    }
    Some(words)
}

/// Returns the labels of a list, sorted, without separators and the number of moves.
fn sorted(list: &str) -> Vec<&str> {
    let words = list.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_label = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_word = |word: &&str| ["move", "moves", "nothing"].contains(word);
    let mut labels: Vec<_> = words.filter(|word| is_label(word) && !is_word(word)).collect();
    labels.sort_unstable();
    labels
}

fn labels(json: &Value) -> Vec<&str> {
    json.as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect()
}

/// Returns the rows of a boxed figure, as in a position string.
fn position(figure: &str) -> String {
    let row = |line: &str| -> Option<String> {
        let cells = line.get(1..line.rfind(['|', ')', ']'])?)?;
        let disc = |at: usize| match cells.as_bytes()[at] {
            b'B' => 'b',
            b'W' => 'w',
            _ => '-',
        };
        line.starts_with(['|', '(', '[']).then(|| (1..cells.len()).step_by(4).map(disc).collect())
    };
    figure.lines().filter_map(row).collect::<Vec<_>>().join(" ")
}
