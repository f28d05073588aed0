//! The root of a search: iterative deepening, the moves at the root, and their main lines.

use super::worker::Worker;
use super::{Board, DEEPEST, Found, INFINITY, PASS, Turn, chosen};

/// A move at the root.
struct Root<N> {
    after: N,
    found: Found,
    /// What the seed adds to its value.
    bonus: i32,
}

impl<B: Board> Worker<'_, B> {
    /// Deepens until the values are exact or a limit is reached.
    pub(super) fn run(&mut self, root: &B::Node) -> Vec<Found> {
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
            self.complete(&root.after, 1, &mut root.found.line);
        }
        roots.into_iter().map(|root| root.found).collect()
    }

    /// Returns the value of a node with its main line, proved to be exact or to be outside the
    /// window; `None` if the search was stopped before.
    pub(super) fn prove(
        &mut self,
        node: &B::Node,
        (alpha, beta): (i32, i32),
    ) -> Option<(i32, Vec<u16>)> {
        self.must_finish = false;
        let left = self.board.discs_left(node).min(DEEPEST);
        // Half the depth sorts the moves well enough.
        let first = 1 + u32::try_from(self.number % 2).unwrap_or(0);
        for depth in (first..=left / 2).chain([left]) {
            self.guessed = false;
            let value = self.value(node, depth, alpha, beta, 0);
            if self.stopped {
                return None;
            }
            if !self.guessed {
                self.check();
                let mut line =
                    if alpha < value && value < beta { self.lines[0].clone() } else { Vec::new() };
                self.complete(node, 0, &mut line);
                return Some((value, line));
            }
        }
        None
    }

    fn roots(&self, root: &B::Node) -> Vec<Root<B::Node>> {
        let board = self.board;
        let new = |mv, after| {
            let found = Found { line: vec![mv], value: 0, depth: 0, exact: false };
            let range = (B::DISC / 2).max(1) + 1;
            let bonus = self.options.seed.map_or(0, |seed| {
                let bonus = (chosen(seed, mv.into()) >> 33).cast_signed() % i64::from(range);
                i32::try_from(bonus).unwrap_or(0)
            });
            Root { after, found, bonus }
        };
        let mut roots: Vec<_> = match board.turn(root) {
            Turn::Over(_) => Vec::new(),
            Turn::Pass => vec![new(PASS, board.pass(root))],
            Turn::Place => board.moves(root).map(|mv| new(mv, board.play(root, mv))).collect(),
        };
        let promise = |r: &Root<B::Node>| match r.found.line[0] {
            PASS => 0,
            mv => -board.promise(mv, &r.after),
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

    /// Continues a line with what the table knows. The node is that after the first `from` moves.
    fn complete(&self, first: &B::Node, from: usize, line: &mut Vec<u16>) {
        let board = self.board;
        let mut node = first.clone();
        for ply in from..DEEPEST as usize {
            let mv = match (line.get(ply), board.turn(&node)) {
                (_, Turn::Over(_)) => break,
                (_, Turn::Pass) => PASS,
                (Some(&mv), Turn::Place) => mv,
                (None, Turn::Place) => {
                    let entry = self.table.get(board.key(&node));
                    let mut moves = board.moves(&node);
                    match (entry.filter(|entry| entry.lower == entry.upper), moves.next()) {
                        (Some(entry), _) if entry.mv != PASS => entry.mv,
                        (_, Some(only)) if moves.next().is_none() => only,
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
}
