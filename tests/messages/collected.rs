//! Mails and bounces collected by other projects. They are not part of this repository, but in the
//! folder OUTFLANK_CORPUS, or else in `shared/corpus` beside the repository.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use outflank::mail::read::{Body, read};

use super::read_fast;

/// Returns the mails in this folder of the collection. Without it, reports a skipped test.
fn collected(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("shared/corpus");
    let folder = env::var_os("OUTFLANK_CORPUS").map_or_else(beside, PathBuf::from).join(name);
    let mut mails = Vec::new();
    let mut pending = vec![folder.clone()];
    while let Some(path) = pending.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            pending.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path.extension() == Some(OsStr::new("eml")) {
            let bytes = fs::read(&path).unwrap();
            mails.push((path, bytes));
        }
    }
    if mails.is_empty() {
        let line = format!("skipped: no mails in {}\n", folder.display());
        io::stderr().write_all(line.as_bytes()).unwrap();
    }
    mails
}

#[test]
fn most_mails_are_readable() {
    let mails = collected("messages");
    let mut unreadable = Vec::new();
    for (path, bytes) in &mails {
        if let Err(why) = read_fast(&path.display().to_string(), bytes) {
            unreadable.push(format!("{}: {why}", path.display()));
        }
    }
    // Some are broken on purpose.
    assert!(unreadable.len() <= mails.len() / 5, "{}", unreadable.join("\n"));
}

/// Returns whether a line looks like a move or another command of one word.
fn looks_like_a_move(line: &str) -> bool {
    let word = line.trim().trim_end_matches('.').to_ascii_lowercase();
    let mut chars = word.chars();
    let is_cell = chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && (1..=2).contains(&chars.as_str().len())
        && chars.all(|c| c.is_ascii_digit());
    is_cell || ["pass", "resign"].contains(&word.as_str())
}

#[test]
fn bounces_contain_no_moves() {
    for (path, bytes) in collected("bounces") {
        let Ok(bounce) = read_fast(&path.display().to_string(), &bytes) else { continue };
        if bounce.automatic.is_some() || bounce.report.is_some() {
            continue;
        }
        if let Body::Lines { fresh, .. } = &bounce.body {
            let moves: Vec<_> = fresh.iter().filter(|line| looks_like_a_move(line)).collect();
            assert!(moves.is_empty(), "{}: {moves:?}", path.display());
        }
    }
}

/// Returns the Message-ID and the author of the mail that a bounce returns. A missing value is
/// replaced by bytes that occur in no mail.
fn returned(body: &str) -> (String, String) {
    let field = |name: &str| {
        let at = body.to_ascii_lowercase().rfind(&format!("\n{name}:"))?;
        let value = body[at + name.len() + 2..].split("\n\n").next()?;
        let end = value.find(['>', '\n'].as_slice()).unwrap_or(value.len());
        // A long value is on the next line.
        let end = if value[..end].trim().is_empty() { value.find('>')? } else { end };
        let value = value[..end].trim();
        let value = value.rsplit_once('<').map_or(value, |(_, bare)| bare);
        (!value.is_empty()).then(|| value.to_owned())
    };
    let missing = || "\0".to_owned();
    (field("message-id").unwrap_or_else(missing), field("from").unwrap_or_else(missing))
}

#[test]
fn bounces_of_all_mail_systems_are_failures() {
    let (mut counted, mut others) = (0, Vec::new());
    for (path, bytes) in collected("bounces") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Some files have the line ends of other systems.
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n");
        let (header, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let Ok(mail) = read(text.as_bytes()) else { continue };
        let (id, author) = returned(body);
        let path = header.lines().find(|line| line.to_lowercase().starts_with("return-path:"));
        let has_null_sender = path.is_none_or(|path| !path.contains('@'));
        let failure = mail.failure(has_null_sender, &id, &author);
        let is_bounce = !["__arf", "rfc3834", "not__"].iter().any(|kind| name.contains(kind));
        let subject = mail.subject.to_lowercase();
        let is_delay = subject.contains("delay") || subject.contains("duplicated");
        let is_anonymous = mail.report.is_none() && id == "\0" && author == "\0";
        assert!(failure.is_none() || is_bounce && !is_delay, "{name}: {failure:?}");
        match failure {
            Some(_) => counted += 1,
            None if is_bounce && !is_delay && !is_anonymous => others.push(name),
            None => {}
        }
    }
    assert!(others.is_empty(), "{counted} count, but not {others:?}");
}

#[test]
fn other_mails_are_not_failures() {
    for (path, bytes) in collected("messages") {
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        let (_, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let (id, author) = returned(body);
        let Ok(mail) = read(&bytes) else { continue };
        let is_bounce =
            path.to_string_lossy().contains("bounce") || path.to_string_lossy().contains("report");
        let failure = mail.failure(false, &id, &author);
        assert!(failure.is_none() || is_bounce, "{}: {failure:?}", path.display());
    }
}
