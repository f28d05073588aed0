//! Mails as mail programs wrap them.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use outflank::app::Line;
use outflank::log::GameId;
use outflank::store::Moment;

/// Checks that no line is a command, at any width.
#[track_caller]
pub fn check(seen: &mut HashSet<String>, mail: &str) {
    check_at(20..=80, seen, mail);
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
            // In a reply to a mail about a game, and in any other mail.
            for at in [Some(Moment { game: GameId(12), ply: 3, events: 3 }), None] {
                let read = Line::parse(&line, at);
                let is_harmless = matches!(read, Line::Blank | Line::Unknown);
                assert!(is_harmless, "{line:?} at width {width} of:\n{mail}");
            }
        }
    }
}
