//! Mails as mail programs wrap them.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use mail_parser::decoders::html::html_to_text;
use outflank::app::{Line, says_yes};
use outflank_model::Moment;
use outflank_model::log::GameId;

/// Checks that no line is a command, at any width.
#[track_caller]
pub fn check(seen: &mut HashSet<String>, mail: &str) {
    check_at(20..=80, seen, mail);
}

/// Inline elements. All others begin a new line.
const INLINE: [&str; 4] = ["a", "b", "span", "code"];

/// Checks that no text between two tags of the HTML is a command, and neither is any line shown by a mail
/// program that ignores classes and styles.
#[track_caller]
pub fn check_html(seen: &mut HashSet<String>, html: &str) {
    let (_, body) = html.split_once("<body").unwrap();
    let mut line = String::new();
    for piece in body.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap();
        if !INLINE.contains(&name) {
            check_shown(seen, &std::mem::take(&mut line), html);
        }
        check_shown(seen, text, html);
        line.push_str(text);
    }
    check_shown(seen, &line, html);
}

#[track_caller]
fn check_shown(seen: &mut HashSet<String>, text: &str, html: &str) {
    for line in text.lines().chain([text]) {
        let shown = html_to_text(line);
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_new = seen.insert(format!("HTML: {shown}"));
        assert!(!is_new || !is_command(&shown, html), "{shown:?} of:\n{html}");
    }
}

/// Returns whether a line of a mail is a command, in a reply to a mail about a game or in any other mail, or a
/// plain yes or no. Confirmations, which ask for that, are read by rules of their own.
fn is_command(line: &str, mail: &str) -> bool {
    let about = [Some(Moment { game: GameId(12), ply: 3, events: 3 }), None];
    let is_answer = says_yes(line).is_some() && !mail.contains("ignore this mail");
    is_answer
        || about.iter().any(|at| !matches!(Line::parse(line, *at), Line::Blank | Line::Unknown))
}

/// Checks that no line is a command, at these widths.
#[track_caller]
pub fn check_at(widths: RangeInclusive<usize>, seen: &mut HashSet<String>, mail: &str) {
    // Most lines of a mail, such as those of a board, are in other mails, too.
    let is_new = |line: &&str| seen.insert(format!("{widths:?}: {line}"));
    let lines: Vec<_> = mail.lines().filter(is_new).collect();
    for width in widths {
        for line in lines.iter().flat_map(|line| textwrap::wrap(line, width)) {
            if !seen.insert(line.trim().to_owned()) {
                continue;
            }
            assert!(!is_command(&line, mail), "{line:?} at width {width} of:\n{mail}");
        }
    }
}
