//! Processes that end while a computer player thinks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::play;
use crate::harness::{TestEnvironment, until};

/// Returns the lease on the only job; `None` if no process has claimed it.
fn claimant(env: &TestEnvironment) -> Option<String> {
    let lease = "SELECT lease FROM job";
    env.sqlite().query_row(lease, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_job_of_a_killed_process_is_taken_over_at_once_and_given_back() {
    let env = TestEnvironment::new();
    // The strongest level needs seconds for a move on this board.
    let (mut seat, id) = play(&env, "bot:10 --white --size 10x10");
    let sending = env.start("send");
    until("the job is claimed", || claimant(&env).is_some());
    let other = claimant(&env).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let thinking = {
        let stop = Arc::clone(&stop);
        thread::spawn(move || seat.think(id, &stop).unwrap().is_none())
    };
    assert_eq!(
        claimant(&env).as_ref(),
        Some(&other),
        "as long as the other process runs, it does the job"
    );
    sending.kill();
    until("the job is taken over", || claimant(&env).is_some_and(|lease| lease != other));
    stop.store(true, Ordering::Relaxed);
    assert!(thinking.join().unwrap());
    assert_eq!(claimant(&env), None);
    assert_eq!(env.plies(1), 0);
}
