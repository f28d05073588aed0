//! The search that all boards share: principal variation search with iterative deepening and a
//! transposition table.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::table::{Entry, Table};

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
    fn promise(&self, node: &Self::Node, mv: u16, after: &Self::Node) -> i32;

    /// Returns what a node counts towards the limit of nodes.
    fn cost(&self) -> u64 {
        1
    }

    /// Returns whether the node knows all its moves. Otherwise nothing is proved about it.
    fn is_complete(&self, _node: &Self::Node) -> bool {
        true
    }

    /// Returns the depth of a shallow search and a margin. If its value is outside the window by
    /// the margin, a search of this depth is skipped.
    fn prob_cut(&self, _node: &Self::Node, _depth: u32) -> Option<(u32, i32)> {
        None
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
/// After how many nodes a thread asks whether it must stop.
const INTERVAL: u64 = 256;
/// The least depth for which positions are stored and moves are sorted.
const STORED: u32 = 2;

/// Returns the legal moves with their values, the best first; nothing if the game is over. Unless
/// `options.all` is set, only the first value is more than a bound.
pub(super) fn search<B: Board>(
    board: &B,
    root: &B::Node,
    table: &Table,
    options: &Options,
) -> Vec<Found> {
    let shared = Shared { nodes: AtomicU64::new(0), stop: AtomicBool::new(false) };
    let worker = |number| Worker::new(board, table, options, &shared, number);
    thread::scope(|scope| {
        for number in 1..options.threads {
            scope.spawn(move || worker(number).run(root));
        }
        let found = worker(0).run(root);
        shared.stop.store(true, Ordering::Relaxed);
        found
    })
}

/// What the threads of a search share besides the table.
struct Shared {
    nodes: AtomicU64,
    stop: AtomicBool,
}

/// A move at the root.
struct Root<N> {
    after: N,
    found: Found,
    /// What the seed adds to its value.
    bonus: i32,
}

/// A move to be searched, with its promise.
struct Child<N> {
    mv: u16,
    promise: i32,
    after: N,
}

/// One thread of a search.
struct Worker<'a, B: Board> {
    board: &'a B,
    table: &'a Table,
    options: &'a Options<'a>,
    shared: &'a Shared,
    /// The first is 0. It determines the result; the others fill the table.
    number: usize,
    /// Whether the current iteration must be completed.
    must_finish: bool,
    stopped: bool,
    /// The nodes since the last look at what is shared, and at which number the next is due.
    nodes: u64,
    check_at: u64,
    /// Whether something since this was last cleared was not searched to the end of the game.
    guessed: bool,
    /// The moves of all nodes on the current path.
    children: Vec<Child<B::Node>>,
    /// The main line from each ply on.
    lines: Vec<Vec<u16>>,
}

impl<'a, B: Board> Worker<'a, B> {
    fn new(
        board: &'a B,
        table: &'a Table,
        options: &'a Options,
        shared: &'a Shared,
        number: usize,
    ) -> Self {
        Self {
            board,
            table,
            options,
            shared,
            number,
            must_finish: true,
            stopped: false,
            nodes: 0,
            check_at: INTERVAL.min(options.nodes),
            guessed: false,
            children: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Deepens until the values are exact or a limit is reached.
    fn run(&mut self, root: &B::Node) -> Vec<Found> {
        let mut roots = self.roots(root);
        let deepest = self.options.depth.min(self.board.discs_left(root)).clamp(1, DEEPEST);
        // Helpers begin with different depths, so that they do not all do the same.
        let first = 1 + u32::try_from(self.number % 2).unwrap_or(0);
        for depth in first..=deepest {
            self.must_finish = depth == 1 && self.number == 0;
            self.guessed = false;
            if self.options.all {
                self.search_all(&mut roots, depth);
            } else {
                self.search_best(&mut roots, depth);
            }
            self.must_finish = false;
            self.check();
            if self.stopped || !self.guessed {
                break;
            }
        }
        for root in &mut roots {
            self.complete(&root.after, &mut root.found.line);
        }
        roots.into_iter().map(|root| root.found).collect()
    }

    fn roots(&self, root: &B::Node) -> Vec<Root<B::Node>> {
        let board = self.board;
        let is_guess = self.options.seed.is_some();
        let new = |mv, after| {
            let found = Found { line: vec![mv], value: 0, depth: 0, exact: false };
            let seed = self.options.seed.unwrap_or(0);
            let random = mixed(seed ^ (u64::from(mv) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let range = (B::DISC / 2).max(1) + 1;
            let bonus = (random >> 33).cast_signed() % i64::from(range);
            let bonus = if is_guess { i32::try_from(bonus).unwrap_or(0) } else { 0 };
            Root { after, found, bonus }
        };
        let mut roots: Vec<_> = match board.turn(root) {
            Turn::Over(_) => Vec::new(),
            Turn::Pass => vec![new(PASS, board.pass(root))],
            Turn::Place => board.moves(root).map(|mv| new(mv, board.play(root, mv))).collect(),
        };
        let promise = |r: &Root<B::Node>| match r.found.line[0] {
            PASS => 0,
            mv => -board.promise(root, mv, &r.after),
        };
        roots.sort_by_cached_key(|r| (promise(r), -r.bonus));
        roots
    }

    /// Searches each move with a full window.
    fn search_all(&mut self, roots: &mut [Root<B::Node>], depth: u32) {
        let mut guessed = false;
        let mut found = Vec::new();
        for root in &*roots {
            self.guessed = false;
            let value = -self.after_root(root, depth, -INFINITY, INFINITY);
            if self.stopped {
                return;
            }
            found.push(Found { line: self.root_line(root), value, depth, exact: !self.guessed });
            guessed |= self.guessed;
        }
        for (root, found) in roots.iter_mut().zip(found) {
            root.found = found;
        }
        roots.sort_by_key(|root| -root.found.value);
        self.guessed = guessed;
    }

    /// Searches the first move, and whether another is better.
    fn search_best(&mut self, roots: &mut [Root<B::Node>], depth: u32) {
        let Some(first) = roots.first() else { return };
        let guess = first.found.value + first.bonus;
        let mut margin = if depth > 3 { 2 * B::DISC } else { INFINITY };
        loop {
            let alpha = (guess - margin).max(-INFINITY);
            let beta = (guess + margin).min(INFINITY);
            self.guessed = false;
            let value = self.search_window(roots, depth, alpha, beta);
            let is_inside = alpha < value && value < beta;
            if self.stopped || is_inside || margin == INFINITY {
                return;
            }
            margin = if margin > 16 * B::DISC { INFINITY } else { 4 * margin };
        }
    }

    /// Searches within a window and moves the best move to the front. Returns its value with its
    /// bonus.
    fn search_window(
        &mut self,
        roots: &mut [Root<B::Node>],
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let mut best = -INFINITY;
        let mut guessed = false;
        // An exact value decides alone.
        let is_exact = self.board.discs_left(&roots[0].after) < depth;
        for index in 0..roots.len() {
            let root = &roots[index];
            let bonus = if is_exact { 0 } else { root.bonus };
            self.guessed = false;
            let mut value = alpha;
            if index > 0 {
                value = bonus - self.after_root(root, depth, bonus - alpha - 1, bonus - alpha);
            }
            if !self.stopped && (index == 0 || (value > alpha && value < beta)) {
                value = bonus - self.after_root(root, depth, bonus - beta, bonus - alpha);
            }
            if self.stopped {
                return best;
            }
            guessed |= self.guessed;
            best = best.max(value);
            if value > alpha {
                alpha = value;
                // A refutation has no main line.
                let line =
                    if value < beta { self.root_line(root) } else { root.found.line[..1].to_vec() };
                let exact = !self.guessed;
                roots[index].found = Found { line, value: value - bonus, depth, exact };
                roots[..=index].rotate_right(1);
            }
            if alpha >= beta {
                break;
            }
        }
        self.guessed = guessed;
        best
    }

    fn after_root(&mut self, root: &Root<B::Node>, depth: u32, alpha: i32, beta: i32) -> i32 {
        let depth = if root.found.line[0] == PASS { depth } else { depth - 1 };
        let (alpha, beta) = (alpha.clamp(-INFINITY, INFINITY), beta.clamp(-INFINITY, INFINITY));
        self.value(&root.after, depth, alpha, beta, 1)
    }

    fn root_line(&self, root: &Root<B::Node>) -> Vec<u16> {
        let rest = self.lines.get(1).map_or(&[][..], Vec::as_slice);
        root.found.line[..1].iter().chain(rest).copied().collect()
    }

    /// Continues a line with what the table knows, as far as proofs or the depth allow.
    fn complete(&self, first: &B::Node, line: &mut Vec<u16>) {
        let board = self.board;
        let mut node = first.clone();
        for ply in 1..=DEEPEST as usize {
            let mv = match (line.get(ply), board.turn(&node)) {
                (_, Turn::Over(_)) => break,
                (_, Turn::Pass) => PASS,
                (Some(&mv), Turn::Place) => mv,
                (None, Turn::Place) => {
                    let entry = self.table.get(board.key(&node));
                    let mut moves = board.moves(&node);
                    match (entry.filter(|entry| entry.lower == entry.upper), moves.next()) {
                        (Some(entry), _) => entry.mv,
                        (None, Some(only)) if moves.next().is_none() => only,
                        _ => break,
                    }
                }
            };
            if mv != PASS && !board.moves(&node).any(|legal| legal == mv) {
                line.truncate(ply);
                break;
            }
            if ply == line.len() {
                line.push(mv);
            }
            node = if mv == PASS { board.pass(&node) } else { board.play(&node, mv) };
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
    fn check(&mut self) {
        let total = self.shared.nodes.fetch_add(self.nodes, Ordering::Relaxed) + self.nodes;
        self.nodes = 0;
        self.check_at = INTERVAL.min(self.options.nodes.saturating_sub(total)).max(1);
        if !self.must_finish && !self.stopped {
            self.stopped = total >= self.options.nodes
                || self.shared.stop.load(Ordering::Relaxed)
                || (self.options.stop)();
        }
    }

    /// Returns the value of a node, exactly if it is inside the window, else as a bound. A pass
    /// does not count towards the depth.
    fn value(&mut self, node: &B::Node, depth: u32, alpha: i32, beta: i32, ply: u32) -> i32 {
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
        if !is_main && let Some(value) = self.prob_cut(node, depth, alpha, beta, ply) {
            return value;
        }
        let outer = std::mem::replace(&mut self.guessed, false);
        let (value, mv) = self.sorted_moves(node, depth, (alpha, beta), best_move, ply);
        if !self.stopped {
            let bound = |value: i32| i16::try_from(value).unwrap_or(0);
            self.table.put(
                key,
                Entry {
                    lower: bound(if value > alpha { value } else { -INFINITY }),
                    upper: bound(if value < beta { value } else { INFINITY }),
                    depth: u8::try_from(depth).unwrap_or(u8::MAX),
                    exact: !self.guessed,
                    mv,
                },
            );
        }
        self.guessed |= outer;
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
            let promise = if mv == first { i32::MAX } else { board.promise(node, mv, &after) };
            self.children.push(Child { mv, promise, after });
        }
        let end = self.children.len();
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

    /// Returns a value outside the window if a shallow search makes it very likely.
    fn prob_cut(
        &mut self,
        node: &B::Node,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: u32,
    ) -> Option<i32> {
        if self.board.discs_left(node) <= depth {
            return None;
        }
        let (shallow, margin) = self.board.prob_cut(node, depth)?;
        let high = beta + margin;
        if high < INFINITY && self.value(node, shallow, high - 1, high, ply) >= high {
            self.guessed = true;
            return Some(beta);
        }
        let low = alpha - margin;
        if low > -INFINITY && self.value(node, shallow, low, low + 1, ply) <= low {
            self.guessed = true;
            return Some(alpha);
        }
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

/// Mixes the bits of a word.
pub(super) const fn mixed(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
