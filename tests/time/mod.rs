//! Clocks, deadlines and reminders in commands and mails.

mod alarms;
mod away;
mod flags;
mod host;
mod killed;
mod lists;
mod outages;
mod shown;
mod turn_start;

use crate::harness::TestEnvironment;

pub const HOUR: i64 = 60;
pub const DAY: i64 = 24 * HOUR;

/// Returns an environment with game 1: othello, alice (black) against bob, with these options. The
/// mails about its start count as seen.
pub fn timed(options: &str) -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello alice@example.org bob@example.org {options}"));
    env.mails();
    env
}

/// Returns the events of a game that are not moves, with their times.
pub fn events(env: &TestEnvironment, game: i64) -> Vec<String> {
    let sqlite = env.sqlite();
    let mut select = sqlite
        .prepare(
            "SELECT strftime('%Y-%m-%d %H:%M', at, 'unixepoch') || ' ' || author || ' ' || action
             FROM event WHERE game = ?1 AND length(action) > 2 ORDER BY number",
        )
        .unwrap();
    select.query_map([game], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}
