//! Threads that share the moves of a position: the first move is searched by one thread, then all
//! free ones search its siblings (young brothers wait).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::move_ordering::Candidate;
use super::node::Node;
use super::search::{Search, Selectivity};
use crate::ending::{Ending, Table};
use crate::window::Window;
use outflank_rules::kernel::Kernel;

/// The best of the moves searched so far.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) value: i32,
    pub(super) square: u8,
    /// The window for the next move.
    pub(super) window: Window,
}

impl Best {
    /// Records the value of a move. Returns whether it makes the moves after it unnecessary.
    #[inline(always)]
    pub(super) fn record(&mut self, square: u8, value: i32) -> bool {
        if value <= self.value {
            return false;
        }
        (self.value, self.square) = (value, square);
        if value >= self.window.beta {
            return true;
        }
        self.window = self.window.above(value);
        false
    }
}

/// The moves of a position that threads share, in the order of the search.
pub(super) struct Siblings<'a> {
    pub(super) node: &'a Node,
    pub(super) candidates: &'a [Candidate],
    /// The depth of the positions after the moves.
    pub(super) depth: u32,
    pub(super) selectivity: Selectivity,
}

/// The state that the threads share.
struct Shared<'a> {
    siblings: &'a Siblings<'a>,
    /// The best move so far, and how many moves have begun.
    state: Mutex<(Best, usize)>,
    /// Set when a move makes all others unnecessary.
    has_cutoff: &'a AtomicBool,
}

impl Shared<'_> {
    fn state(&self) -> MutexGuard<'_, (Best, usize)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next move. Returns it with its window; `None` if no move is left that matters.
    fn next(&self) -> Option<(Candidate, Window)> {
        let (best, begun) = &mut *self.state();
        let &candidate = self.siblings.candidates.get(*begun)?;
        if best.value >= best.window.beta {
            return None;
        }
        *begun += 1;
        Some((candidate, best.window))
    }

    /// Records the value of a move.
    fn record(&self, square: u8, value: i32) {
        let (best, _) = &mut *self.state();
        if best.record(square, value) {
            self.has_cutoff.store(true, Ordering::Relaxed);
        }
    }
}

impl Search<'_> {
    /// Searches moves with one more thread. Returns the best move, unless the search is stopped.
    pub(super) fn split<K: Kernel>(&mut self, siblings: &Siblings, best: Best) -> Best {
        let has_cutoff = AtomicBool::new(false);
        let outer = self.end.stop;
        let stop = || has_cutoff.load(Ordering::Relaxed) || outer();
        let shared = Shared { siblings, state: Mutex::new((best, 0)), has_cutoff: &has_cutoff };
        let thread = |near: Table| {
            let end = Ending { near, stop: &stop, stopped: false, ..self.end };
            let mut search = Search { end, ..*self };
            let before = search.end.nodes;
            search.search_siblings::<K>(&shared);
            (search.end.nodes - before, search.end.near)
        };
        let near = self.pool.take_table();
        let (ours, theirs) = thread::scope(|scope| {
            let helper = scope.spawn(|| thread(near));
            (thread(self.pool.take_table()), helper.join())
        });
        for (nodes, near) in [Some(ours), theirs.ok()].into_iter().flatten() {
            self.end.nodes += nodes;
            self.end.counted += nodes;
            self.pool.give_back_table(near);
        }
        let (best, begun) = *shared.state();
        let is_complete =
            has_cutoff.load(Ordering::Relaxed) || (begun == siblings.candidates.len() && !outer());
        if !is_complete {
            self.end.stopped = true;
        }
        if !self.end.stopped {
            self.end.must_stop();
        }
        best
    }

    /// Searches one of the siblings after another, until none is left.
    fn search_siblings<K: Kernel>(&mut self, shared: &Shared) {
        K::run(
            #[inline(always)]
            || {
                let Siblings { node, depth, selectivity, .. } = *shared.siblings;
                while let Some((candidate, window)) = shared.next() {
                    let value = self.later_move::<K>(node, candidate, window, depth, selectivity);
                    if self.end.stopped {
                        return;
                    }
                    shared.record(candidate.square, value);
                }
            },
        )
    }
}
