//! Replies by many mail programs, collected by other projects. They are not part of this repository;
//! without them, these tests are skipped.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use outflank::app::{Line, guess};
use outflank_model::Moment;
use outflank_model::log::GameId;

use super::{STYLES, files, marked, our_mails, written};

/// Returns the texts of the corpus in the folder `OUTFLANK_CORPUS`, or else in `shared/corpus`
/// beside this repository, or `None` without one.
fn replies(test: &str) -> Option<Vec<(PathBuf, String)>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = env::var_os("OUTFLANK_CORPUS").map_or_else(beside, PathBuf::from).join("replies");
    if !folder.is_dir() {
        // Unlike `eprintln!`, this is shown even if the test passes.
        let reason = format!("no corpus in {}; set OUTFLANK_CORPUS", folder.display());
        let _ = writeln!(io::stderr(), "skipped {test}: {reason}");
        return None;
    }
    let paths = files(&folder).into_iter().filter(|path| path.is_dir());
    let paths = paths.flat_map(|folder| files(&folder));
    let texts = paths.filter(|path| path.extension() == Some("txt".as_ref()));
    let read = |path: PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        (path, text)
    };
    let texts: Vec<_> = texts.map(read).collect();
    assert!(texts.len() > 100, "only {} replies in {}", texts.len(), folder.display());
    Some(texts)
}

/// Checks that the typed lines of an answer, which consists of `reply` and mails of ours, are its
/// first line and lines of the reply.
fn check(path: &Path, reply: &str, answer: &str) {
    let around = |c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}');
    let own: HashSet<_> = reply.lines().map(|line| line.trim_matches(around)).collect();
    for first in ["d3\n\n", ""] {
        let text = format!("{first}{answer}");
        let mut fresh = written(&text);
        if !first.is_empty() {
            assert_eq!(fresh.remove(0), "d3", "{}", path.display());
        }
        for line in fresh {
            assert!(own.contains(line), "{}: {line} in\n{text}", path.display());
            assert_ne!(line, "d3", "{}", path.display());
        }
    }
}

/// Returns the reply with our mail in place of the original that it quotes, or `None` if it quotes
/// nothing.
fn requoted(reply: &str, mail: &str) -> Option<String> {
    let lines: Vec<_> = reply.lines().collect();
    if let Some(first) = lines.iter().position(|line| line.trim_start().starts_with('>')) {
        return Some(lines.get(..first)?.join("\n") + "\n" + &marked("> ", mail));
    }
    let fresh = written(reply);
    let last = fresh.last()?;
    let below = lines.iter().rposition(|line| line.trim() == *last)? + 1;
    // The quote begins with an attribution or a block of headers, perhaps below a rule.
    let mut divider = lines.iter().enumerate().skip(below).skip_while(|(_, line)| {
        line.trim_matches(|c: char| c.is_whitespace() || "-_=".contains(c)).is_empty()
    });
    let (end, _) = divider.find(|(_, line)| line.trim().is_empty())?;
    Some(lines.get(..end)?.join("\n") + "\n\n" + mail)
}

#[test]
fn an_answer_above_a_reply_with_our_mail_below_it() {
    let Some(replies) = replies("an_answer_above_a_reply") else { return };
    let mails = our_mails();
    for (number, (path, reply)) in replies.iter().enumerate() {
        for (style, quote) in STYLES.iter().enumerate() {
            let mail = mails.get((number + style) % mails.len()).unwrap();
            check(path, reply, &format!("{reply}\n\n{}", quote(mail)));
        }
    }
}

/// In real mails between people, no line is a command about a game or looks like one.
#[test]
fn no_line_that_people_wrote_makes_a_move() {
    let Some(replies) = replies("no_line_that_people_wrote") else { return };
    let mut lines = 0;
    for (path, reply) in &replies {
        for line in written(reply) {
            lines += 1;
            for at in [None, Some(Moment { game: GameId(12), ply: 3, events: 3 })] {
                let is_move = match Line::parse(line, at) {
                    Line::Command(command) => command.concerns().game().is_some(),
                    _ => false,
                };
                assert!(!is_move, "{}: {line}", path.display());
                assert_eq!(guess(line, at), None, "{}", path.display());
            }
        }
    }
    assert!(lines > 500, "only {lines} lines");
}

#[test]
fn our_mail_in_place_of_the_mail_that_a_reply_quotes() {
    let Some(replies) = replies("our_mail_in_the_place_of_a_quote") else { return };
    let mut requotes = 0;
    for (path, reply) in &replies {
        for mail in our_mails() {
            if let Some(answer) = requoted(reply, &mail) {
                check(path, reply, &answer);
                requotes += 1;
            }
        }
    }
    assert!(requotes > 500, "only {requotes} replies quote something");
}
