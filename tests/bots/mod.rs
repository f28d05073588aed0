//! Games against computer players.

mod killed;
mod offers;
mod play;
mod programs;
mod queue;
mod sides;

use crate::harness::{ALICE, PROGRAM, TestEnvironment};

/// The jobs: what is to be done, in which game, for the position after which event.
fn jobs(env: &TestEnvironment) -> Vec<String> {
    let sqlite = env.sqlite();
    let sql = "SELECT kind || ' ' || game || ' ' || event FROM job ORDER BY game";
    let mut select = sqlite.prepare(sql).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// The events of a game: their authors and what they did.
fn events(env: &TestEnvironment, game: i64) -> Vec<String> {
    let sqlite = env.sqlite();
    let sql = "SELECT author || ' ' || action FROM event WHERE game = ?1 ORDER BY number";
    let mut select = sqlite.prepare(sql).unwrap();
    select.query_map([game], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// With alice, who has signed up, and two computer players that never answer in the run of a
/// command: `bot:friend` moves soon, and `bot:sleeper` thinks for a minute.
fn with_alice() -> TestEnvironment {
    let friend = format!("['{PROGRAM}', 'engine', '--protocol', 'nboard', '--level', '0']");
    let env = TestEnvironment::new().config(&format!(
        "[bots.friend]\ncommand = {friend}\nprotocol = 'nboard'\n
         [bots.sleeper]\ncommand = ['sleep', '60']\nprotocol = 'nboard'\nseconds_per_move = 60"
    ));
    env.ok(&format!("signup alice {ALICE}"));
    env
}

/// How many jobs processes have claimed.
fn claimed(env: &TestEnvironment) -> u32 {
    let sql = "SELECT count(*) FROM job WHERE lease IS NOT NULL";
    env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap()
}
