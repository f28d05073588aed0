//! The search that all boards share: principal variation search with iterative deepening and a
//! transposition table.

mod entry;
mod root;
mod worker;

use std::sync::atomic::Ordering;
use std::thread;

use super::ending::{Scoring, Squares};
pub(super) use entry::Table;
use worker::{Shared, Worker};

/// What the player to move must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Places a disc.
    Place,
    /// Passes.
    Pass,
    /// The game is over. The value for the player who would be to move.
    Over(i32),
}

/// The number of a pass in a line of moves.
pub(super) const PASS: u16 = u16::MAX;

/// A game that can be searched: its rules and the evaluation of its positions, which it calls nodes.
/// All values are for the player to move, and in fractions of a disc.
pub(super) trait Board: Sync {
    /// A position.
    type Node: Clone + Send + Sync;
    /// What a disc counts in values. No value may reach 30,000.
    const DISC: i32;

    /// Returns what the player to move must do.
    fn turn(&self, node: &Self::Node) -> Turn;

    /// Iterates over the legal placements, if the turn is [`Turn::Place`].
    fn moves(&self, node: &Self::Node) -> impl Iterator<Item = u16>;

    /// Returns the position after a legal placement.
    fn play(&self, node: &Self::Node, mv: u16) -> Self::Node;

    /// Returns the position after a pass.
    fn pass(&self, node: &Self::Node) -> Self::Node;

    /// Returns a hash of the position. It depends on the rules too, so that games share a table.
    fn key(&self, node: &Self::Node) -> u64;

    /// Estimates the value, if the turn is [`Turn::Place`].
    fn evaluate(&self, node: &Self::Node) -> i32;

    /// Returns how many more discs can be placed at most.
    fn discs_left(&self, node: &Self::Node) -> u32;

    /// Returns how promising a move is, given the position after it: a greater number is searched
    /// earlier.
    fn promise(&self, mv: u16, after: &Self::Node) -> i32;

    /// Returns what a node counts towards the limit of nodes.
    fn cost(&self) -> u64 {
        1
    }

    /// Returns the squares of the board and what counts there, if the special search of
    /// [endings](super::ending) knows its rules.
    fn squares(&self) -> Option<(Squares, Scoring)> {
        None
    }

    /// Returns the discs of the player to move and those of the opponent on [`Board::squares`].
    fn words(&self, _node: &Self::Node) -> (u64, u64) {
        (0, 0)
    }

    /// Returns a value above `alpha` that is a lower bound, or one that is an upper bound, if the
    /// margin of the game shows one. `margin` answers the same question for the margin and a number
    /// of discs.
    fn by_margin(&self, alpha: i32, margin: impl FnOnce(i32) -> i32) -> Option<i32> {
        Some(Self::DISC * margin(alpha.div_euclid(Self::DISC)))
    }

    /// Returns whether the node knows all its moves. Otherwise nothing is proved about it.
    fn is_complete(&self, _node: &Self::Node) -> bool {
        true
    }
}

/// How to search.
pub(super) struct Options<'a> {
    pub(super) nodes: u64,
    pub(super) depth: u32,
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    pub(super) threads: usize,
    /// Chooses among moves that are about as good; without it, the choice is fixed.
    pub(super) seed: Option<u64>,
    /// Whether each move gets its own value. Otherwise only the first move does.
    pub(super) all: bool,
}

/// A move with what the search found out about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The main line, which begins with the move.
    pub(super) line: Vec<u16>,
    pub(super) value: i32,
    pub(super) depth: u32,
    pub(super) exact: bool,
}

const INFINITY: i32 = 30_000;
/// The greatest depth: the most that an entry of the table holds.
const DEEPEST: u32 = 250;

/// Returns the legal moves with their values, the best first; nothing if the game is over. Unless
/// `options.all` is set, only the first value is more than a bound.
pub(super) fn search<B: Board>(
    board: &B,
    root: &B::Node,
    table: &Table,
    options: &Options,
) -> Vec<Found> {
    in_threads(board, table, options, |mut worker| worker.run(root)).0
}

/// A value with what its proof took.
pub(super) struct Proof {
    pub(super) value: i32,
    /// The main line, if the value is inside the window.
    pub(super) line: Vec<u16>,
}

/// Returns the value of a position, proved to be exact or to be outside the window; `None` if the
/// search was stopped before. Also returns the number of nodes.
pub(super) fn prove<B: Board>(
    board: &B,
    root: &B::Node,
    table: &Table,
    options: &Options,
    window: (i32, i32),
) -> (Option<Proof>, u64) {
    let window = (window.0.max(-INFINITY), window.1.min(INFINITY));
    let (proved, nodes) =
        in_threads(board, table, options, |mut worker| worker.prove(root, window));
    (proved.map(|(value, line)| Proof { value, line }), nodes)
}

/// Lets each thread do some work. Returns the result of the first thread and the number of nodes.
fn in_threads<B: Board, T: Send>(
    board: &B,
    table: &Table,
    options: &Options,
    work: impl Fn(Worker<B>) -> T + Copy + Send,
) -> (T, u64) {
    let shared = Shared::default();
    let stop = || shared.stop.load(Ordering::Relaxed) || (options.stop)();
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

/// Returns a number that a seed chooses for a move.
pub(super) const fn chosen(seed: u64, mv: u64) -> u64 {
    mixed(seed ^ (mv + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Mixes the bits of a word.
pub(super) const fn mixed(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
