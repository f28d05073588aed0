//! One thread of a search: the values of the positions below the root.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::board::{Board, INFINITY, Turn};
use super::entry::{Entry, Table};
use super::lines::Lines;
use crate::candidates::bring_best;
use crate::ending::{Ending, MAX_EMPTIES, Scoring, Squares};
use crate::limits::Options;
use crate::root::PASS;
use crate::window::{Bound, Window};
use outflank_rules::kernel::{self, Kernel, Task};

/// The nodes between two looks at the shared counter and the stop flag.
const POLL_INTERVAL: u64 = 256;
/// The least depth for which positions are stored and moves are ordered.
const MIN_STORED: u32 = 2;
/// The weight of a move score in move ordering, beside the value of a short search.
const MOVE_SCORE_WEIGHT: i32 = 8;

/// The window with all values.
const ALL: Window = Window::new(-INFINITY, INFINITY);

/// The state that the threads of a search share besides the table.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) nodes: AtomicU64,
    pub(super) stop: AtomicBool,
}

/// A move to be searched, with its score for move ordering.
#[derive(Clone)]
struct Child<N> {
    mv: u16,
    score: i32,
    after: N,
}

/// The special search of an ending with a null window.
struct NullWindow<'a, 'b> {
    ending: &'a mut Ending<'b>,
    own: u64,
    other: u64,
    alpha: i32,
}

impl Task for NullWindow<'_, '_> {
    type Output = i32;

    fn run<K: Kernel>(self) -> i32 {
        self.ending.value::<K>(self.own, self.other, self.alpha)
    }
}

/// One thread of a search.
pub(super) struct Worker<'a, B: Board> {
    pub(super) board: &'a B,
    pub(super) table: &'a Table,
    pub(super) options: &'a Options<'a>,
    shared: &'a Shared,
    /// Returns whether the search must stop.
    stop: &'a (dyn Fn() -> bool + Sync),
    /// The special search of endings, once it was needed.
    ending: Option<Ending<'a>>,
    /// The first is 0. It determines the result; the others fill the table.
    pub(super) number: usize,
    /// Whether the current iteration must be completed.
    pub(super) must_finish: bool,
    pub(super) stopped: bool,
    /// The nodes since the last poll.
    nodes: u64,
    /// Node count at which the stop flag is polled next.
    poll_at: u64,
    /// How many nodes the limit still allowed at the last poll.
    remaining: u64,
    /// Whether any leaf since the last reset was estimated.
    pub(super) estimated: bool,
    /// The moves of all nodes on the current path.
    children: Vec<Child<B::Node>>,
    /// The principal variation from each ply on.
    pub(super) lines: Lines,
}

impl<'a, B: Board> Worker<'a, B> {
    pub(super) fn new(
        board: &'a B,
        table: &'a Table,
        options: &'a Options,
        shared: &'a Shared,
        stop: &'a (dyn Fn() -> bool + Sync),
        number: usize,
    ) -> Self {
        Self {
            board,
            table,
            options,
            shared,
            stop,
            ending: None,
            number,
            must_finish: true,
            stopped: false,
            nodes: 0,
            poll_at: POLL_INTERVAL.min(options.limits.nodes),
            remaining: options.limits.nodes,
            estimated: false,
            children: Vec::new(),
            lines: Lines::default(),
        }
    }

    /// Counts a node; every few hundred nodes, polls the stop flag.
    #[inline]
    fn count(&mut self) {
        self.nodes += self.board.cost();
        if self.nodes >= self.poll_at {
            self.poll();
        }
    }

    /// Adds the nodes to those of the other threads, and stops the search if a limit is reached.
    #[cold]
    pub(super) fn poll(&mut self) {
        let total = self.shared.nodes.fetch_add(self.nodes, Ordering::Relaxed) + self.nodes;
        if let Some(counter) = self.options.counter {
            counter.fetch_add(self.nodes, Ordering::Relaxed);
        }
        self.nodes = 0;
        self.remaining = self.options.limits.nodes.saturating_sub(total);
        self.poll_at = POLL_INTERVAL.min(self.remaining).max(1);
        if !self.must_finish && !self.stopped {
            self.stopped = self.remaining == 0 || (self.stop)();
        }
    }

    /// Returns the value of a node, or a bound outside of the window. A pass does not count towards the
    /// depth.
    pub(super) fn negamax(&mut self, node: &B::Node, depth: u32, window: Window, ply: u32) -> i32 {
        self.count();
        if self.stopped {
            return 0;
        }
        self.estimated |= !self.board.is_complete(node);
        let is_pv = !window.is_null();
        if is_pv {
            self.lines.clear(ply);
        }
        match self.board.turn(node) {
            Turn::Over(value) => return value,
            Turn::Pass => {
                let value = -self.negamax(&self.board.pass(node), depth, window.negated(), ply + 1);
                if is_pv {
                    self.lines.extend(ply, PASS);
                }
                return value;
            }
            Turn::Place => {}
        }
        if depth == 0 {
            self.estimated = true;
            return self.board.evaluate(node);
        }
        if depth < MIN_STORED {
            return self.last_plies(node, depth, window, ply);
        }
        self.with_table(node, depth, window, ply)
    }

    /// Searches the moves unordered, without the table.
    fn last_plies(&mut self, node: &B::Node, depth: u32, window: Window, ply: u32) -> i32 {
        let board = self.board;
        let mut best = -INFINITY;
        for mv in board.moves(node) {
            let after = board.play(node, mv);
            let value = -self.negamax(&after, depth - 1, window.above(best).negated(), ply + 1);
            if value > best {
                best = value;
                if best >= window.beta {
                    break;
                }
                if best > window.alpha {
                    self.lines.extend(ply, mv);
                }
            }
        }
        best
    }

    /// Searches in numbered steps, each of which may make the next ones unnecessary.
    fn with_table(&mut self, node: &B::Node, depth: u32, window: Window, ply: u32) -> i32 {
        let is_pv = !window.is_null();
        let key = self.board.key(node);
        // 1. Transposition table cutoff.
        let mut table_move = PASS;
        if let Some(entry) = self.table.get(key) {
            table_move = entry.mv;
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            // A bound at the end of the window would cut the principal variation short.
            let is_enough = entry.exact || (u32::from(entry.depth) >= depth && !is_pv);
            if let Some(value) = window.cutoff(lower, upper).filter(|_| is_enough) {
                self.estimated |= !entry.exact;
                return value;
            }
        }
        let outer = std::mem::replace(&mut self.estimated, false);
        // 2. ProbCut.
        if !is_pv && let Some(bound) = self.prob_cut(node, depth, window.alpha, ply) {
            self.estimated |= outer;
            return bound;
        }
        self.estimated = false;
        // 3. The special search of endings, or principal variation search.
        let is_ending = !is_pv && self.board.discs_left(node) <= depth.min(MAX_EMPTIES);
        let bound = self.board.squares().filter(|_| is_ending);
        let (value, mv) = match bound.and_then(|squares| self.ending(squares, node, window.alpha)) {
            // The search of endings proves a lower bound without its move.
            Some(bound) => (bound, if bound > window.alpha { PASS } else { table_move }),
            None => self.ordered_moves(node, depth, window, table_move, ply),
        };
        if !self.stopped {
            let (lower, upper) = match window.bound(value) {
                Bound::Lower => (value, INFINITY),
                Bound::Exact => (value, value),
                Bound::Upper => (-INFINITY, value),
            };
            let stored = |value: i32| i16::try_from(value).unwrap_or(0);
            let entry = Entry {
                lower: stored(lower),
                upper: stored(upper),
                depth: u8::try_from(depth).unwrap_or(u8::MAX),
                exact: !self.estimated,
                mv,
            };
            self.table.update(key, |known| Some(known.map_or(entry, |(old, _)| entry.merged(old))));
        }
        self.estimated |= outer;
        value
    }

    /// Returns the result of the special search of endings about a node and `alpha`, as [`Board::by_margin`]
    /// does.
    fn ending(
        &mut self,
        (squares, scoring): (Squares, Scoring),
        node: &B::Node,
        alpha: i32,
    ) -> Option<i32> {
        let ending = self.ending.get_or_insert_with(|| {
            Ending::new(squares, scoring, None, Ending::near_table(), self.stop)
        });
        ending.ignores_stop = self.must_finish;
        ending.max_nodes = if self.must_finish { u64::MAX } else { self.remaining };
        (ending.nodes, ending.poll_at) = (self.nodes, self.poll_at);
        let (own, other) = self.board.bitboards(node);
        let margin = |alpha: i32| {
            let alpha = alpha.clamp(-65, 65);
            kernel::fastest(NullWindow { ending: &mut *ending, own, other, alpha })
        };
        let value = self.board.by_margin(alpha, margin);
        self.nodes = ending.nodes;
        self.stopped |= ending.stopped;
        value
    }

    /// Searches the moves in order, the move from the table first. Returns the value of the node and
    /// its best move.
    fn ordered_moves(
        &mut self,
        node: &B::Node,
        depth: u32,
        window: Window,
        table_move: u16,
        ply: u32,
    ) -> (i32, u16) {
        let board = self.board;
        let start = self.children.len();
        for mv in board.moves(node) {
            let after = board.play(node, mv);
            let score = if mv == table_move { i32::MAX } else { board.move_score(mv, &after) };
            self.children.push(Child { mv, score, after });
        }
        let left = board.discs_left(node);
        let is_long = left > MAX_EMPTIES && left <= depth;
        let proved = if is_long {
            self.look_ahead(start, (left - MAX_EMPTIES).div_ceil(4), window.beta, ply)
        } else {
            None
        };
        let found = proved.unwrap_or_else(|| self.principal_variation(start, depth, window, ply));
        self.children.truncate(start);
        found
    }

    /// Searches the children from `start` on, those with the greatest scores first: the first with
    /// the window, the others with null windows unless they are better.
    fn principal_variation(
        &mut self,
        start: usize,
        depth: u32,
        window: Window,
        ply: u32,
    ) -> (i32, u16) {
        let end = self.children.len();
        let (mut best, mut best_move) = (-INFINITY, PASS);
        for index in start..end {
            let children = &mut self.children[..end];
            let Child { mv, after, .. } = bring_best(children, index, |child| child.score).clone();
            let open = window.above(best);
            let mut value = open.alpha;
            if index > start {
                let null = Window::null(open.alpha).negated();
                value = -self.negamax(&after, depth - 1, null, ply + 1);
            }
            if index == start || open.contains(value) {
                value = -self.negamax(&after, depth - 1, open.negated(), ply + 1);
            }
            if self.stopped {
                break;
            }
            if value > best {
                (best, best_move) = (value, mv);
                if value >= window.beta {
                    break;
                }
                if value > window.alpha {
                    self.lines.extend(ply, mv);
                }
            }
        }
        (best, best_move)
    }

    /// Prepares a long search to the end, where a wrong first move costs much: adds the values of
    /// searches of this depth to the scores of the moves from `start` on. Returns a value of at least
    /// `beta` with its move, if the table proves one.
    fn look_ahead(&mut self, start: usize, depth: u32, beta: i32, ply: u32) -> Option<(i32, u16)> {
        for Child { mv, after, .. } in &self.children[start..] {
            if let Some(entry) = self.table.get(self.board.key(after))
                && entry.exact
                && -i32::from(entry.upper) >= beta
            {
                return Some((-i32::from(entry.upper), *mv));
            }
        }
        let estimated = self.estimated;
        for index in start..self.children.len() {
            let Child { score, after, .. } = self.children[index].clone();
            if score != i32::MAX {
                let value = self.negamax(&after, depth, ALL, ply + 1);
                self.children[index].score = MOVE_SCORE_WEIGHT * score - value;
            }
        }
        self.estimated = estimated;
        None
    }
}
