//! The search of the moves at the root, and proofs of whole positions.

use super::Proof;
use super::board::{Board, INFINITY, Turn};
use super::entry::MAX_DEPTH;
use super::worker::Worker;
use crate::root::{Goal, Iteration, PASS, RootMove, RootSearch, deepen};
use crate::window::Window;

impl<B: Board> RootSearch for Worker<'_, B> {
    type Node = B::Node;
    const DISC: i32 = B::DISC;
    const MAX_VALUE: i32 = INFINITY;

    fn set_must_finish(&mut self, must_finish: bool) {
        self.must_finish = must_finish;
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }

    fn must_stop(&mut self) -> bool {
        self.poll();
        self.stopped
    }

    fn value(
        &mut self,
        root: &RootMove<B::Node>,
        Iteration { depth, .. }: Iteration,
        window: Window,
    ) -> i32 {
        let depth = if root.mv() == PASS { depth } else { depth - 1 };
        self.estimated = false;
        -self.negamax(&root.after, depth, window.negated(), 1)
    }

    fn is_exact(&self, _root: &RootMove<B::Node>, _iteration: Iteration) -> bool {
        !self.estimated
    }

    fn decides_alone(&self, root: &RootMove<B::Node>, Iteration { depth, .. }: Iteration) -> bool {
        self.board.discs_left(&root.after) < depth
    }

    fn line(&self, root: &RootMove<B::Node>) -> Vec<u16> {
        [root.mv()].into_iter().chain(self.lines.from(1).iter().copied()).collect()
    }
}

/// How many plies before the end the search stops deepening ply by ply, with the special search of endings
/// and without it.
const MIN_REST: [u32; 2] = [6, 2];

/// Returns the iterations of the deepening from the first depth on, if this many discs can be placed: ply by
/// ply until so many plies before the end, then to the end of the game, first for who wins.
fn iterations(first: u32, left: u32, min_rest: u32) -> impl Iterator<Item = Iteration> {
    let last = left.saturating_sub(min_rest).max(1);
    let middle = (first.min(last)..=last).map(|depth| (depth, Goal::Score));
    let endings = [Goal::Winner, Goal::Score].map(|goal| (left.max(1), goal));
    let all = middle.chain(endings);
    all.map(|(depth, goal)| Iteration { depth, selectivity: 0, goal })
}

impl<B: Board> Worker<'_, B> {
    /// Deepens until the values are exact or a limit is reached. Returns the moves, the best first.
    pub(super) fn run(&mut self, root: &B::Node) -> Vec<RootMove<B::Node>> {
        let options = self.options;
        let mut roots = self.roots(root);
        let [with, without] = MIN_REST;
        let min_rest = if self.board.squares().is_some() { with } else { without };
        let iterations = iterations(self.first_depth(), self.board.discs_left(root), min_rest);
        let deepest = options.limits.depth.clamp(1, MAX_DEPTH);
        let iterations = iterations.take_while(|iteration| iteration.depth <= deepest);
        deepen(self, &mut roots, iterations, options.all, self.number == 0);
        let count = if options.all { roots.len() } else { 1 };
        for root in roots.iter_mut().take(count) {
            let proved = root.is_exact().then_some(-root.value);
            self.complete_line(&root.after, proved, 1, &mut root.line);
        }
        roots
    }

    /// Returns the depth of the first iteration. Helpers begin with different depths, so that they do
    /// not all do the same.
    fn first_depth(&self) -> u32 {
        if self.number.is_multiple_of(2) { 1 } else { 2 }
    }

    /// Returns the moves at the root, those first that look best.
    fn roots(&self, root: &B::Node) -> Vec<RootMove<B::Node>> {
        let board = self.board;
        // Up to half a disc.
        let bonus = |random: u64| {
            let values = (B::DISC / 2).max(1).cast_unsigned() + 1;
            i32::try_from((random >> 33) % u64::from(values)).unwrap_or(0)
        };
        let new = |mv, after| RootMove::new(mv, after, self.options.seed, bonus);
        let mut roots: Vec<_> = match board.turn(root) {
            Turn::Over(_) => Vec::new(),
            Turn::Pass => vec![new(PASS, board.pass(root))],
            Turn::Place => board.moves(root).map(|mv| new(mv, board.play(root, mv))).collect(),
        };
        let score = |root: &RootMove<B::Node>| match root.mv() {
            PASS => 0,
            mv => board.move_score(mv, &root.after),
        };
        roots.sort_by_cached_key(|root| (-score(root), -root.bonus));
        roots
    }

    /// Returns the value of a node with its principal variation, proved to be exact or to be outside
    /// the window; `None` if the search was stopped before.
    pub(super) fn prove(&mut self, node: &B::Node, window: Window) -> Option<Proof> {
        self.must_finish = false;
        let left = self.board.discs_left(node).min(MAX_DEPTH);
        // Half the depth sorts the moves well enough.
        for depth in (self.first_depth()..=left / 2).chain([left]) {
            self.estimated = false;
            let value = self.negamax(node, depth, window, 0);
            if self.stopped {
                return None;
            }
            if !self.estimated {
                self.poll();
                let mut line = Vec::new();
                if window.contains(value) {
                    line.extend(self.lines.from(0));
                    self.complete_line(node, Some(value), 0, &mut line);
                }
                return Some((value, line));
            }
        }
        None
    }
}
