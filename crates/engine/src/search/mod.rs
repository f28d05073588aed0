//! The search that all boards share: principal variation search with iterative deepening and a
//! transposition table.

mod board;
mod complete;
mod entry;
mod lines;
mod prob_cut;
mod root;
mod worker;

use std::sync::atomic::Ordering;
use std::thread;

pub(super) use board::{Board, Turn};
pub(super) use entry::Table;

use super::limits::Options;
use super::root::RootMove;
use super::window::Window;
use board::INFINITY;
use worker::{Shared, Worker};

/// Returns the legal moves with their values, the best first; nothing if the game is over. Unless
/// `options.all` is set, only the first value is more than a bound. Also returns the number of nodes.
pub(super) fn search<B: Board>(
    board: &B,
    root: &B::Node,
    table: &Table,
    options: &Options,
) -> (Vec<RootMove<B::Node>>, u64) {
    in_threads(board, table, options, |mut worker| worker.run(root))
}

/// A proved value with its principal variation, if it is inside the window.
pub(super) type Proof = (i32, Vec<u16>);

/// Returns the value of a position, proved to be exact or to be outside the window; `None` if the
/// search was stopped before. Also returns the number of nodes.
pub(super) fn prove<B: Board>(
    board: &B,
    root: &B::Node,
    table: &Table,
    options: &Options,
    window: Window,
) -> (Option<Proof>, u64) {
    let window = window.within(-INFINITY, INFINITY);
    in_threads(board, table, options, |mut worker| worker.prove(root, window))
}

/// Runs the same search in each thread; they help each other through the table. Returns the result of
/// the first thread and the number of nodes.
fn in_threads<B: Board, T: Send>(
    board: &B,
    table: &Table,
    options: &Options,
    work: impl Fn(Worker<B>) -> T + Copy + Send,
) -> (T, u64) {
    let shared = Shared::default();
    let stop = || shared.stop.load(Ordering::Relaxed) || (options.limits.stop)();
    let worker = |number| Worker::new(board, table, options, &shared, &stop, number);
    let result = thread::scope(|scope| {
        for number in 1..options.threads {
            scope.spawn(move || work(worker(number)));
        }
        let result = work(worker(0));
        shared.stop.store(true, Ordering::Relaxed);
        result
    });
    (result, shared.nodes.into_inner())
}
