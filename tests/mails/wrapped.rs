//! What mail programs make of a mail when they wrap it.

use std::collections::HashSet;

use outflank::app::Line;
use outflank::game::GameId;
use outflank::store::Moment;

/// Checks that no line is a command, at any width.
#[track_caller]
pub fn check(seen: &mut HashSet<String>, mail: &str) {
    for width in 20..=80 {
        for line in mail.lines().flat_map(|line| textwrap::wrap(line, width)) {
            if !seen.insert(line.trim().to_owned()) {
                continue;
            }
            let read = Line::parse(&line, Some(Moment { game: GameId(12), ply: 3, events: 3 }));
            let is_harmless = matches!(read, Line::Blank | Line::Unknown);
            assert!(is_harmless, "{line:?} at width {width} of:\n{mail}");
        }
    }
}
