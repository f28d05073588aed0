//! One thread of a search: the values of the positions below the root.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::entry::{Entry, Table};
use super::{Board, INFINITY, Options, PASS, Turn};
use crate::ending::{self, Ending, Scoring, Squares};
use outflank_rules::kernel::{self, Kernel, Task};

/// After how many nodes a thread asks whether it must stop.
const INTERVAL: u64 = 256;
/// The least depth for which positions are stored and moves are sorted.
const STORED: u32 = 2;
/// With this many discs left or fewer, the special search of endings takes over, and the bytes of its
/// table.
const ENDING: u32 = 14;
const NEAR: usize = 1 << 20;
/// What a promise counts in the order of moves, compared with the value of a short search.
const PROMISE: i32 = 8;

/// What the threads of a search share besides the table.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) nodes: AtomicU64,
    pub(super) stop: AtomicBool,
}

/// A move to be searched, with its promise.
#[derive(Clone)]
struct Child<N> {
    mv: u16,
    promise: i32,
    after: N,
}

/// Asks the special search of endings for a value.
struct Exceeds<'a, 'b> {
    ending: &'a mut Ending<'b>,
    own: u64,
    other: u64,
    alpha: i32,
}

impl Task for Exceeds<'_, '_> {
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
    pub(super) shared: &'a Shared,
    /// Asked now and then: must the search stop?
    stop: &'a (dyn Fn() -> bool + Sync),
    /// The special search of endings, when it was needed once.
    ending: Option<Ending<'a>>,
    /// The first is 0. It determines the result; the others fill the table.
    pub(super) number: usize,
    /// Whether the current iteration must be completed.
    pub(super) must_finish: bool,
    pub(super) stopped: bool,
    /// The nodes since the last look at what is shared, and at which number the next is due.
    nodes: u64,
    check_at: u64,
    /// How many nodes the limit still allows, as of that look.
    remaining: u64,
    /// Whether something since this was last cleared was not searched to the end of the game.
    pub(super) guessed: bool,
    /// The moves of all nodes on the current path.
    children: Vec<Child<B::Node>>,
    /// The main line from each ply on.
    pub(super) lines: Vec<Vec<u16>>,
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
            check_at: INTERVAL.min(options.nodes),
            remaining: options.nodes,
            guessed: false,
            children: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Counts a node; every few hundred nodes, looks whether the search must stop.
    #[inline]
    fn count(&mut self) {
        self.nodes += self.board.cost();
        if self.nodes >= self.check_at {
            self.check();
        }
    }

    #[cold]
    pub(super) fn check(&mut self) {
        let total = self.shared.nodes.fetch_add(self.nodes, Ordering::Relaxed) + self.nodes;
        self.nodes = 0;
        self.remaining = self.options.nodes.saturating_sub(total);
        self.check_at = INTERVAL.min(self.remaining).max(1);
        if !self.must_finish && !self.stopped {
            self.stopped = total >= self.options.nodes || (self.stop)();
        }
    }

    /// Returns the value of a node, exactly if it is inside the window, else as a bound. A pass
    /// does not count towards the depth.
    pub(super) fn value(
        &mut self,
        node: &B::Node,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: u32,
    ) -> i32 {
        self.count();
        if self.stopped {
            return 0;
        }
        self.guessed |= !self.board.is_complete(node);
        let is_main = beta - alpha > 1;
        if is_main {
            self.clear_line(ply);
        }
        match self.board.turn(node) {
            Turn::Over(value) => return value,
            Turn::Pass => {
                let value = -self.value(&self.board.pass(node), depth, -beta, -alpha, ply + 1);
                if is_main {
                    self.extend_line(ply, PASS);
                }
                return value;
            }
            Turn::Place => {}
        }
        if depth == 0 {
            self.guessed = true;
            return self.board.evaluate(node);
        }
        if depth < STORED {
            return self.last_plies(node, depth, alpha, beta, ply);
        }
        self.stored_value(node, depth, alpha, beta, ply)
    }

    /// Searches the moves unsorted, without the table.
    fn last_plies(&mut self, node: &B::Node, depth: u32, alpha: i32, beta: i32, ply: u32) -> i32 {
        let board = self.board;
        let mut best = -INFINITY;
        for mv in board.moves(node) {
            let after = board.play(node, mv);
            let value = -self.value(&after, depth - 1, -beta, -alpha.max(best), ply + 1);
            if value > best {
                best = value;
                if best >= beta {
                    break;
                }
                if best > alpha {
                    self.extend_line(ply, mv);
                }
            }
        }
        best
    }

    /// Searches with the table: first what it knows of the node, then the moves in sorted order.
    fn stored_value(&mut self, node: &B::Node, depth: u32, alpha: i32, beta: i32, ply: u32) -> i32 {
        let is_main = beta - alpha > 1;
        let key = self.board.key(node);
        let known = self.table.get(key);
        let mut best_move = PASS;
        if let Some(entry) = known {
            best_move = entry.mv;
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            // A bound at the end of the window would cut the main line short.
            let is_enough = entry.exact || (u32::from(entry.depth) >= depth && !is_main);
            if is_enough && (lower >= beta || upper <= alpha || lower == upper) {
                self.guessed |= !entry.exact;
                return if lower >= beta { lower } else { upper };
            }
        }
        let outer = std::mem::replace(&mut self.guessed, false);
        let left = self.board.discs_left(node);
        let bound = match self.board.squares() {
            Some(place) if !is_main && left <= depth.min(ENDING) => self.ending(place, node, alpha),
            _ => None,
        };
        let (value, mv) = match bound {
            Some(bound) => (bound, best_move),
            None => self.sorted_moves(node, depth, (alpha, beta), best_move, ply),
        };
        if !self.stopped {
            let bound = |value: i32| i16::try_from(value).unwrap_or(0);
            let entry = Entry {
                lower: bound(if value > alpha { value } else { -INFINITY }),
                upper: bound(if value < beta { value } else { INFINITY }),
                depth: u8::try_from(depth).unwrap_or(u8::MAX),
                exact: !self.guessed,
                mv,
            };
            self.table.update(key, |known| Some(known.map_or(entry, |(old, _)| entry.merged(old))));
        }
        self.guessed |= outer;
        value
    }

    /// Returns what the special search of endings shows about a node and `alpha`, as
    /// [`Board::by_margin`] does.
    fn ending(
        &mut self,
        (squares, scoring): (Squares, Scoring),
        node: &B::Node,
        alpha: i32,
    ) -> Option<i32> {
        let ending = self.ending.get_or_insert_with(|| {
            Ending::new(squares, scoring, None, ending::Table::new(NEAR), self.stop)
        });
        ending.ignores_stop = self.must_finish;
        ending.limit = if self.must_finish { u64::MAX } else { self.remaining };
        (ending.nodes, ending.check_at) = (self.nodes, self.check_at);
        let (own, other) = self.board.words(node);
        let margin = |alpha: i32| {
            let alpha = alpha.clamp(-65, 65);
            kernel::fastest(Exceeds { ending: &mut *ending, own, other, alpha })
        };
        let value = self.board.by_margin(alpha, margin);
        self.nodes = ending.nodes;
        self.stopped |= ending.stopped;
        value
    }

    /// Returns the value of a node and its best move, of which the first is searched first.
    fn sorted_moves(
        &mut self,
        node: &B::Node,
        depth: u32,
        (alpha, beta): (i32, i32),
        first: u16,
        ply: u32,
    ) -> (i32, u16) {
        let board = self.board;
        let start = self.children.len();
        for mv in board.moves(node) {
            let after = board.play(node, mv);
            let promise = if mv == first { i32::MAX } else { board.promise(mv, &after) };
            self.children.push(Child { mv, promise, after });
        }
        let end = self.children.len();
        let left = board.discs_left(node);
        if left > ENDING
            && left <= depth
            && let Some(proved) = self.look_ahead(start, (left - ENDING).div_ceil(4), beta, ply)
        {
            self.children.truncate(start);
            return proved;
        }
        let (mut best, mut best_move) = (-INFINITY, PASS);
        for index in start..end {
            let rest = &mut self.children[index..end];
            let next = (1..rest.len())
                .fold(0, |next, i| if rest[i].promise > rest[next].promise { i } else { next });
            rest.swap(0, next);
            let (mv, after) = (rest[0].mv, rest[0].after.clone());
            let alpha = alpha.max(best);
            let mut value = alpha;
            if index > start {
                value = -self.value(&after, depth - 1, -alpha - 1, -alpha, ply + 1);
            }
            if index == start || (value > alpha && value < beta) {
                value = -self.value(&after, depth - 1, -beta, -alpha, ply + 1);
            }
            if self.stopped {
                break;
            }
            if value > best {
                (best, best_move) = (value, mv);
                if value >= beta {
                    break;
                }
                if value > alpha {
                    self.extend_line(ply, mv);
                }
            }
        }
        self.children.truncate(start);
        (best, best_move)
    }

    /// Prepares a long search to the end, where a wrong first move costs much: adds the values of
    /// searches of this depth to the promises of the moves from `start` on. Returns a value of at least
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
        let guessed = self.guessed;
        for index in start..self.children.len() {
            let Child { promise, after, .. } = self.children[index].clone();
            if promise != i32::MAX {
                let value = self.value(&after, depth, -INFINITY, INFINITY, ply + 1);
                self.children[index].promise = PROMISE * promise - value;
            }
        }
        self.guessed = guessed;
        None
    }

    fn clear_line(&mut self, ply: u32) {
        let ply = ply as usize;
        if self.lines.len() < ply + 2 {
            self.lines.resize(ply + 2, Vec::new());
        }
        self.lines[ply].clear();
        self.lines[ply + 1].clear();
    }

    /// Makes the line from this ply a move and the line from the next ply on.
    fn extend_line(&mut self, ply: u32, mv: u16) {
        let (before, after) = self.lines.split_at_mut(ply as usize + 1);
        if let (Some(line), Some(rest)) = (before.last_mut(), after.first()) {
            line.clear();
            line.push(mv);
            line.extend_from_slice(rest);
        }
    }
}
