//! Games against computer players.

mod killed;
mod offers;
mod play;
mod programs;
mod queue;
mod remote;
mod sides;

use crate::harness::{ALICE, PROGRAM, TestEnvironment};

/// Returns the queued jobs: kind, game and number of events.
fn jobs(env: &TestEnvironment) -> Vec<String> {
    let sqlite = env.sqlite();
    let sql = "SELECT kind || ' ' || game || ' ' || event FROM job ORDER BY game";
    let mut select = sqlite.prepare(sql).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Returns the events of a game: author and action.
fn events(env: &TestEnvironment, game: i64) -> Vec<String> {
    let sqlite = env.sqlite();
    let sql = "SELECT author || ' ' || action FROM event WHERE game = ?1 ORDER BY number";
    let mut select = sqlite.prepare(sql).unwrap();
    select.query_map([game], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Returns an environment with the player alice and two computer players that never answer within a
/// player's command: `bot:friend` moves soon, and `bot:sleeper` thinks for an hour.
fn with_alice() -> TestEnvironment {
    let friend = format!("['{PROGRAM}', 'engine', '--protocol', 'nboard', '--level', '0']");
    let env = TestEnvironment::new().config(&format!(
        "[bots.friend]\ncommand = {friend}\nprotocol = 'nboard'\n
         [bots.sleeper]\ncommand = ['sleep', '3600']\nprotocol = 'nboard'\nseconds_per_move = 3600"
    ));
    env.ok(&format!("signup alice {ALICE}"));
    env
}

/// Returns the number of claimed jobs.
fn claimed(env: &TestEnvironment) -> u32 {
    let sql = "SELECT count(*) FROM job WHERE lease IS NOT NULL";
    env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap()
}
