//! Hints, and the analysis of finished games.

mod analyses;
mod hints;

use crate::harness::TestEnvironment;

/// Returns the queued jobs and the players who asked for them.
fn waiting(env: &TestEnvironment) -> Vec<String> {
    let sqlite = env.sqlite();
    let mut select = sqlite
        .prepare(
            "SELECT kind || ' ' || game || ' ' || name FROM job JOIN player ON player.id = player
             ORDER BY job.id",
        )
        .unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}
