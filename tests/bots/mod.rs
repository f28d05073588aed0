//! Games against computer players.

mod killed;
mod offers;
mod play;
mod sides;

use crate::harness::{ALICE, TestEnvironment};

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

/// With alice, who has signed up.
fn with_alice() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    env
}
