//! Replies to our mails as mail programs send them. The reader finds the typed text and leaves out
//! the quotes.

mod corpus;
mod lines;
mod ours;
mod properties;
mod quoted;

use std::fs;
use std::path::{Path, PathBuf};

use outflank::mail::read::quote::{Gap, MARKER, fresh, own_text};

/// The replies in this folder, named after their mail program and language, and their typed lines.
const ANSWERS: &[(&str, &[&str])] = &[
    ("apple-mail-en", &["a3"]),
    ("blackberry", &["a3"]),
    ("gmail-de-below", &["a3", "Viele Grüße", "Bob"]),
    ("gmail-en", &["a3"]),
    ("gmail-fr-signature", &["Salut,", "a3"]),
    ("gmail-hy", &["a3"]),
    ("gmail-ja", &["a3"]),
    ("gmail-torn", &["a3"]),
    ("groupwise-de-wrapped", &["a3"]),
    ("groupwise-en", &["a3", "Bob"]),
    ("iphone-es", &["a3"]),
    ("iphone-unmarked", &["a3"]),
    ("large-board-narrow", &["d4"]),
    ("mutt-inline-pgp", &["a3"]),
    ("no-colon-torn-below", &["a3"]),
    ("no-colon-torn", &["a3"]),
    ("no-colon", &["a3"]),
    ("nothing-forwarded", &[]),
    ("nothing-gmail", &[]),
    ("nothing-outlook", &[]),
    ("nothing-phone", &[]),
    ("outlook-ca", &["a3"]),
    ("outlook-de", &["a3", "Mit freundlichen Grüßen", "Bob"]),
    ("outlook-en", &["a3"]),
    ("outlook-eu", &["a3"]),
    ("outlook-fa", &["a3"]),
    ("outlook-hi", &["a3"]),
    ("outlook-ios", &["a3"]),
    ("outlook-kk", &["a3"]),
    ("outlook-lt", &["a3"]),
    ("outlook-lv", &["a3"]),
    ("outlook-old-marked", &["a3"]),
    ("outlook-sr-cyrl", &["a3"]),
    ("outlook-sr-latn", &["a3"]),
    ("proton-en", &["a3"]),
    ("qq-en", &["a3"]),
    ("qq-zh-new", &["a3"]),
    ("qq-zh", &["a3"]),
    ("samsung-pl", &["a3"]),
    ("spark-en", &["a3"]),
    ("thunderbird-inline", &["Nicely done!", "a3"]),
    ("thunderbird-ko-unmarked", &["a3"]),
    ("thunderbird-ko", &["a3"]),
    ("thunderbird-nl", &["a3"]),
    ("unknown-program", &["a3"]),
    ("webde", &["a3"]),
    ("yahoo-en", &["a3"]),
    ("yahoo-it", &["a3"]),
    ("yandex-ru", &["a3"]),
];

/// The quoting styles of mail programs, with and without a mark before each line.
const STYLES: &[fn(&str) -> String] = &[
    |mail| marked("> ", mail),
    |mail| marked(">", mail),
    |mail| marked("    > > ", mail),
    |mail| marked("| ", mail),
    |mail| format!("On Sat, 21 Nov 2026 at 18:00, Outflank <o@example.org> wrote:\n\n{mail}"),
    |mail| {
        let quote = marked("> ", mail);
        format!("On Sat, 21 Nov 2026 at 18:00, Outflank <\no@example.org> wrote:\n\n{quote}")
    },
    |mail| format!("Le 21/11/2026 à 18:00, Outflank a\nécrit :\n{mail}"),
    |mail| format!("Am 21.11.26 um 18:00 schrieb Outflank:\n{}", marked("> ", mail)),
    |mail| format!("2026年11月21日(土) 18:00 Outflank <o@example.org>:\n\n{mail}"),
    |mail| format!("From: Outflank\nSent: Saturday\nTo: bob\nSubject: #1\n\n{mail}"),
    |mail| format!("*Von:* Outflank\n*Gesendet:* Samstag\n*An:* bob\n*Betreff:* #1\n\n{mail}"),
    |mail| format!("________________________________\nFrom: Outflank\nSent: today\n\n{mail}"),
    |mail| format!("-----Original Message-----\n\n{mail}"),
    |mail| format!("-------- Ursprüngliche Nachricht --------\n{mail}"),
    |mail| format!("---------- Forwarded message ---------\nFrom: Outflank\n\n{mail}"),
    |mail| format!("Sent from my iPhone\n\n{mail}"),
    |mail| format!("{MARKER}\n\n{mail}"),
    |mail| marked("> ", &format!("{MARKER}\n\n{mail}")),
];

fn marked(mark: &str, mail: &str) -> String {
    mail.lines().map(|line| format!("{mark}{line}").trim_end().to_owned() + "\n").collect()
}

/// Returns the typed lines of a text that are not blank.
fn written(text: &str) -> Vec<&str> {
    fresh(text).into_iter().filter(|line| !line.is_empty()).collect()
}

/// Returns the texts of all mails in the snapshots of other tests.
fn our_mails() -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = ["mails/snapshots", "outgoing/snapshots", "preferences/snapshots"]
        .map(|folder| tests.join(folder));
    // The other snapshots of tournaments have tables.
    let swiss = files(&tests.join("tournaments/snapshots")).into_iter();
    let swiss = swiss.filter(|path| path.to_string_lossy().ends_with("swiss_started.snap"));
    let paths = folders.iter().flat_map(|folder| files(folder)).chain(swiss);
    let mails: Vec<_> = paths.map(|path| text_of(&path)).collect();
    assert!(mails.len() >= 16, "{} mails", mails.len());
    mails
}

/// Returns the text of a mail in a snapshot, which may contain the whole message.
fn text_of(path: &Path) -> String {
    let snapshot = fs::read_to_string(path).unwrap();
    let (_, mail) = snapshot.split_once("\n---\n").unwrap();
    match mail.starts_with("Delivered-To:") {
        true => mail.split_once("\n\n").unwrap().1.to_owned(),
        false => mail.to_owned(),
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_program_is_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies");
    let files = files(&folder).into_iter().filter(|path| path.extension() == Some("txt".as_ref()));
    let names: Vec<_> =
        files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, ANSWERS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (name, expected) in ANSWERS {
        let text = fs::read_to_string(folder.join(name).with_extension("txt")).unwrap();
        assert_eq!(written(&text), *expected, "{name}");
        assert_eq!(written(&text.replace('\n', "\r\n")), *expected, "{name} with CRLF");
    }
}

#[test]
fn only_the_answer_above_our_mail_is_typed() {
    for mail in our_mails() {
        for style in STYLES {
            for gap in ["\n", "\n\n"] {
                let quote = style(&mail);
                assert_eq!(written(&format!("d3{gap}{quote}")), ["d3"], "{quote}");
                assert!(written(&format!("{gap}{quote}")).is_empty(), "{quote}");
            }
        }
    }
}

#[test]
fn an_answer_below_our_mail_is_typed_if_the_quote_is_marked() {
    for mail in our_mails().iter().map(|mail| mail.replace(MARKER, "")) {
        for style in STYLES.get(..4).unwrap() {
            let quote = style(&mail);
            assert_eq!(written(&format!("{quote}\nd3\n")), ["d3"], "{quote}");
            assert_eq!(written(&format!("{quote}\nd3\n\n{quote}")), ["d3"], "{quote}");
        }
    }
}

/// Breaks lines at this width, without a mark before the remainder.
fn broken(width: usize, text: &str) -> String {
    let lines = text.lines().flat_map(|line| textwrap::wrap(line, width));
    lines.map(|line| format!("{}\n", line.trim())).collect()
}

#[test]
fn a_line_that_lost_its_mark_is_quoted() {
    for mail in our_mails() {
        for width in 20..=80 {
            let quote = broken(width, &marked("> ", &mail));
            // The last numbers of a table may have been too far from the others.
            let is_number =
                |line: &&str| line.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
            let fresh = written(&quote);
            assert!(fresh.iter().all(is_number), "at {width}: {fresh:?} in\n{quote}");
            // Nothing counts below a marker that may have lost a mark.
            if quote.contains(MARKER) {
                let text = format!("{quote}\nd3\n");
                assert_eq!(written(&text).last(), Some(&"d3"), "at {width}:\n{quote}");
            }
        }
    }
}

/// If this fails because a mail has a new sentence, add its beginning to `phrases.rs` in
/// `mail/read/quote`.
#[test]
fn our_mail_without_any_marks_is_not_typed() {
    for mail in our_mails().iter().map(|mail| mail.replace(MARKER, "")) {
        assert!(written(&mail).is_empty(), "{:?}", written(&mail));
        assert_eq!(written(&format!("d3\n\n{mail}")), ["d3"]);
        let collapsed: String = mail
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
            .collect();
        assert!(written(&collapsed).is_empty(), "{:?}", written(&collapsed));
    }
}

/// The lines of the comment are complete, and clearly not a quote.
#[test]
fn a_comment_below_the_move_is_typed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies");
    let mut unclear = Vec::new();
    for (name, expected) in ANSWERS.iter().filter(|(_, expected)| expected.contains(&"a3")) {
        let text = fs::read_to_string(folder.join(name).with_extension("txt")).unwrap();
        let said = ["say I have thought about this for a long time, and I am still", "not sure."];
        let text = text.replacen("a3\n", &format!("a3\n{}\n", said.join("\n")), 1);
        let (typed, own) = own_text(&text);
        let lines: Vec<_> = typed.iter().copied().filter(|line| !line.is_empty()).collect();
        let at = expected.iter().position(|line| *line == "a3").unwrap() + 1;
        let with_said = [&expected[..at], &said, &expected[at..]].concat();
        assert_eq!(lines, with_said, "{name}");
        let begin = typed.iter().position(|line| line.starts_with("say")).unwrap();
        let mut below = own.gaps.iter().filter(|gap| gap.above > begin);
        let is_end = |gap: &Gap| gap.above == typed.len() && gap.is_introduced;
        if !own.is_clear || !below.all(is_end) {
            unclear.push(*name);
        }
    }
    // In this reply, the text continues below a quote.
    assert_eq!(unclear, ["thunderbird-inline"]);
}

#[test]
fn a_quote_without_an_introduction_makes_a_text_unclear() {
    for mail in our_mails() {
        for above in ["d3\nsay hello", "d3\nsay hello\n\nOutflank qatlho' ghItlhpu':"] {
            assert!(!own_text(&format!("{above}\n\n{mail}")).1.is_clear, "{mail}");
            let text = format!("{above}\n\n{}", marked("> ", &mail));
            assert!(own_text(&text).1.gaps.iter().any(|gap| !gap.is_introduced), "{text}");
        }
        for style in STYLES {
            let text = format!("d3\nsay hello\n\n{}", style(&mail));
            let (lines, own) = own_text(&text);
            let is_clear = own.is_clear && own.gaps.iter().all(|gap| gap.is_introduced);
            assert!(!is_clear || lines == ["d3", "say hello"], "{lines:?} in {text}");
        }
    }
}
