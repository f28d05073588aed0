//! Threads that share the moves of a position: the first move is searched by one thread, then all
//! free ones search its siblings.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::ending::{Ending, Table};
use outflank_rules::kernel::Kernel;

use super::order::Candidate;
use super::search::{Node, Search, Selectivity};

/// The threads of a search besides its own.
pub(super) struct Crew {
    free: AtomicUsize,
    /// Tables for positions near the end, for the next thread that needs one.
    tables: Mutex<Vec<Table>>,
}

/// The bytes of a table for positions near the end.
const NEAR: usize = 1 << 20;

impl Crew {
    /// Returns a crew for a search by this many threads.
    pub(super) fn new(threads: usize) -> Self {
        Self { free: AtomicUsize::new(threads.saturating_sub(1)), tables: Mutex::default() }
    }

    /// Takes a free thread, if there is one.
    pub(super) fn take(&self) -> bool {
        let one_less = |free: usize| free.checked_sub(1);
        self.free.load(Ordering::Relaxed) > 0
            && self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Gives a thread back.
    pub(super) fn give_back(&self) {
        self.free.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns a table for positions near the end.
    pub(super) fn table(&self) -> Table {
        locked(&self.tables).pop().unwrap_or_else(|| Table::new(NEAR))
    }

    fn keep(&self, table: Table) {
        locked(&self.tables).push(table);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the moves that were searched so far have shown.
#[derive(Clone, Copy)]
pub(super) struct Tried {
    /// The best value, and the square of its move.
    pub(super) value: i32,
    pub(super) square: u8,
    /// The value that the next move must exceed.
    pub(super) alpha: i32,
}

/// The moves of a position that threads share, in the order in which they are begun.
pub(super) struct Siblings<'a> {
    pub(super) node: &'a Node,
    pub(super) candidates: &'a [Candidate],
    pub(super) beta: i32,
    /// The depth of the positions after the moves.
    pub(super) depth: u32,
    pub(super) selectivity: Selectivity,
}

struct Shared<'a> {
    siblings: &'a Siblings<'a>,
    /// What was tried, and how many of the moves have begun.
    state: Mutex<(Tried, usize)>,
    /// Set when a move was good enough, so that no other matters.
    cut: &'a AtomicBool,
}

/// Searches moves with one more thread. If the search must stop, it notes that in `search`.
pub(super) fn split<K: Kernel>(search: &mut Search, siblings: &Siblings, tried: Tried) -> Tried {
    let cut = AtomicBool::new(false);
    let outer = search.end.stop;
    let stop = || cut.load(Ordering::Relaxed) || outer();
    let shared = Shared { siblings, state: Mutex::new((tried, 0)), cut: &cut };
    let thread = |near: Table| {
        let end = Ending { near, stop: &stop, stopped: false, ..search.end };
        let mut search = Search { end, ..*search };
        let before = search.end.nodes;
        work::<K>(&mut search, &shared);
        (search.end.nodes - before, search.end.near)
    };
    let near = search.crew.table();
    let (ours, theirs) = thread::scope(|scope| {
        let helper = scope.spawn(|| thread(near));
        (thread(search.crew.table()), helper.join())
    });
    search.end.nodes += ours.0;
    search.crew.keep(ours.1);
    if let Ok(theirs) = theirs {
        search.end.nodes += theirs.0;
        search.crew.keep(theirs.1);
    }
    let (tried, begun) = *locked(&shared.state);
    if !cut.load(Ordering::Relaxed) && (begun < siblings.candidates.len() || outer()) {
        search.end.stopped = true;
    }
    if !search.end.stopped {
        search.end.must_stop();
    }
    tried
}

fn work<K: Kernel>(search: &mut Search, shared: &Shared) {
    K::run(
        #[inline(always)]
        || {
            let Siblings { node, candidates, beta, depth, selectivity } = *shared.siblings;
            loop {
                let (candidate, alpha) = {
                    let (tried, next) = &mut *locked(&shared.state);
                    let Some(candidate) = candidates.get(*next) else { return };
                    if tried.alpha >= beta {
                        return;
                    }
                    *next += 1;
                    (candidate, tried.alpha)
                };
                let next = node.after(candidate.square.into(), candidate.flipped);
                let mut value = -search.value::<K>(&next, -alpha - 1, -alpha, depth, selectivity);
                if value > alpha && value < beta && !search.end.stopped {
                    value = -search.value::<K>(&next, -beta, -alpha, depth, selectivity);
                }
                if search.end.stopped {
                    return;
                }
                let (tried, _) = &mut *locked(&shared.state);
                if value > tried.value {
                    *tried =
                        Tried { value, square: candidate.square, alpha: tried.alpha.max(value) };
                    if value >= beta {
                        shared.cut.store(true, Ordering::Relaxed);
                        return;
                    }
                }
            }
        },
    );
}
