//! Replies of many programs, collected by others. They stay where they are: the tests are skipped
//! where the folder is missing.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{STYLES, files, marked, our_mails, written};

/// The texts of the corpus that `OUTFLANK_CORPUS` names or that lies beside this repository.
fn replies() -> Option<Vec<(PathBuf, String)>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = env::var_os("OUTFLANK_CORPUS").map_or_else(beside, PathBuf::from).join("replies");
    if !folder.is_dir() {
        let _ = writeln!(io::stderr(), "skipped: there are no replies in {}", folder.display());
        return None;
    }
    let paths = files(&folder).into_iter().filter(|path| path.is_dir());
    let paths = paths.flat_map(|folder| files(&folder));
    let texts = paths.filter(|path| path.extension() == Some("txt".as_ref()));
    let read = |path: PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        (path, text)
    };
    Some(texts.map(read).collect())
}

/// Checks that of this answer, which is made of `reply` and mails of ours, only the first line and
/// lines of the reply come out.
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

/// Our mail in the place of the original that this reply quotes, in the style of the reply; none
/// if it quotes nothing.
fn requoted(reply: &str, mail: &str) -> Option<String> {
    let lines: Vec<_> = reply.lines().collect();
    if let Some(first) = lines.iter().position(|line| line.trim_start().starts_with('>')) {
        return Some(lines.get(..first)?.join("\n") + "\n" + &marked("> ", mail));
    }
    let fresh = written(reply);
    let last = fresh.last()?;
    let below = lines.iter().rposition(|line| line.trim() == *last)? + 1;
    // What is quoted begins with an attribution or a block of headers, perhaps below a rule.
    let mut divider = lines.iter().enumerate().skip(below).skip_while(|(_, line)| {
        line.trim_matches(|c: char| c.is_whitespace() || "-_=".contains(c)).is_empty()
    });
    let (end, _) = divider.find(|(_, line)| line.trim().is_empty())?;
    Some(lines.get(..end)?.join("\n") + "\n\n" + mail)
}

#[test]
fn an_answer_above_a_reply_and_our_mail_below_it() {
    let mails = our_mails();
    for (number, (path, reply)) in replies().unwrap_or_default().iter().enumerate() {
        for (style, quote) in STYLES.iter().enumerate() {
            let mail = mails.get((number + style) % mails.len()).unwrap();
            check(path, reply, &format!("{reply}\n\n{}", quote(mail)));
        }
    }
}

#[test]
fn our_mail_in_the_place_of_what_a_reply_quotes() {
    let Some(replies) = replies() else { return };
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
