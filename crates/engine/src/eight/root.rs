//! The search of a position at the root: its iterations and its results.

use std::marker::PhantomData;

use super::node::Node;
use super::search::{Search, Selectivity};
use super::threads::ThreadPool;
use super::weights::Weights;
use crate::ending::{NO_MOVE, Scoring, Table};
use crate::evaluated::{Evaluated, Proof};
use crate::hash::mix;
use crate::limits::{Limits, Options};
use crate::root::{Goal, Iteration, PASS, RootMove, RootSearch, deepen};
use crate::window::Window;
use outflank_rules::kernel::{self, Kernel, Task};
use outflank_rules::{Cell, Lattice, Move, Position, Size};

/// The transposition table, which is kept from one search to the next, and the scoring of its values.
pub(crate) struct ScoredTable {
    entries: Table,
    scoring: Scoring,
}

impl ScoredTable {
    /// Returns an empty table of at most this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { entries: Table::new(bytes), scoring: Scoring::Discs }
    }

    /// Replaces it by an empty one of this many bytes, if it is smaller.
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.entries.grow(bytes);
    }
}

/// Returns whether a position has the rules of Othello on 8×8, with either kind of pass.
pub(crate) fn plays(position: &Position) -> bool {
    let rules = position.rules();
    rules.lattice == Lattice::Rectangle(Size::EIGHT) && Scoring::of(rules) == Some(Scoring::Discs)
}

/// Returns the legal moves of a position with their values, the best first; nothing if the game is
/// over or has other rules. Unless `options.all` is set, only the first value is more than a bound.
/// Also returns the number of nodes. The scoring may be any but that of misère.
pub(crate) fn search(
    position: &Position,
    table: &mut ScoredTable,
    options: &Options,
    scoring: Scoring,
) -> (Vec<Evaluated>, u64) {
    let Some((own, other)) = position.bitboards() else { return (Vec::new(), 0) };
    if table.scoring != scoring {
        table.entries.clear();
        table.scoring = scoring;
    }
    table.entries.next_age();
    kernel::fastest(Run { root: Node::new(own, other), table, options })
}

struct Run<'a> {
    root: Node,
    table: &'a ScoredTable,
    options: &'a Options<'a>,
}

impl Task for Run<'_> {
    type Output = (Vec<Evaluated>, u64);

    fn run<K: Kernel>(self) -> Self::Output {
        let Self { root, table: ScoredTable { entries: table, scoring }, options } = self;
        let pool = ThreadPool::new(options.threads);
        let stop = options.limits.stop;
        let mut search = Search::new(table, Weights::embedded(), &pool, *scoring, stop);
        search.end.counter = options.counter;
        let mut below = Below::<K> { search, limits: options.limits, kernel: PhantomData };
        let mut roots = roots::<K>(&root, options.seed);
        // A pass does not count towards the depth.
        let empties = roots.first().map_or(0, |root| root.after.empties() + 1);
        let iterations = iterations(empties, options.limits.depth);
        deepen(&mut below, &mut roots, iterations, options.all, true);
        let nodes = below.search.end.nodes;
        // A computer player makes its move and shows no line.
        let is_shown = options.seed.is_none();
        let found = roots.into_iter().map(|root| {
            let RootMove { value, depth, proof, .. } = root;
            let mut line =
                vec![if root.mv() == PASS { Move::Pass } else { place(root.mv().into()) }];
            if is_shown {
                below.complete_line(root.after, depth, proof == Proof::Score, &mut line);
            }
            Evaluated { line, value, depth, proof }
        });
        (found.collect(), nodes)
    }
}

/// Returns the moves at the root.
fn roots<K: Kernel>(node: &Node, seed: Option<u64>) -> Vec<RootMove<Node>> {
    let new = |mv, after| RootMove::new(mv, after, seed, |random| i32::from(random & 3 == 0));
    let mut moves = K::placements(node.own, node.other);
    if moves == 0 {
        let can_pass = K::placements(node.other, node.own) != 0;
        return if can_pass { vec![new(PASS, node.passed())] } else { Vec::new() };
    }
    let mut roots = Vec::new();
    while moves != 0 {
        let square = moves.trailing_zeros() as usize;
        moves &= moves - 1;
        let flipped = K::flips(node.own, node.other, square);
        roots.push(new(square as u16, node.after(square, flipped)));
    }
    roots
}

/// The selectivity of the middle game.
const MIDDLE_GAME: Selectivity = 2;
/// The selectivity of a search that leaves nothing out.
const EXACT: Selectivity = 0;
/// The searches to the end of the game, one after another. The first costs little and finds the move for the
/// next ones. Tuned on endings with 18 to 24 empty squares: without it, they take 9 to 22 % more nodes, and
/// with a second one between it and the exact score, 2 to 19 % more time.
const ENDINGS: [(Selectivity, Goal); 3] =
    [(1, Goal::Score), (EXACT, Goal::Winner), (EXACT, Goal::Score)];
/// How many times the nodes of the first search to the end the exact score takes: the medians of endings with
/// 20 to 23 empty squares are 3 to 9.
const EXACT_COST: u64 = 6;
/// A search of more nodes than this takes seconds, and may be stopped before it ends.
const MAX_QUICK_NODES: u64 = 50_000_000;
/// With this many empty squares or fewer, an exact search follows the first ply at once.
const MAX_AT_ONCE: u32 = 10;
/// How many plies before the end the search of the middle game stops deepening.
const MIN_REST: u32 = 8;

/// Returns the iterations of the deepening for a position with this many empty squares: ply by ply, then to
/// the end of the game.
fn iterations(empties: u32, max_depth: u32) -> impl Iterator<Item = Iteration> {
    let is_short = empties <= MAX_AT_ONCE;
    let last = if is_short { 1 } else { empties - MIN_REST };
    let goal = Goal::Score;
    let middle = (1..=last).map(move |depth| Iteration { depth, selectivity: MIDDLE_GAME, goal });
    let is_last = |ending| ending == (EXACT, Goal::Score);
    let endings = ENDINGS.into_iter().filter(move |&ending| !is_short || is_last(ending));
    let endings =
        endings.map(move |(selectivity, goal)| Iteration { depth: empties, selectivity, goal });
    middle.chain(endings).take_while(move |iteration| iteration.depth <= max_depth.max(1))
}

/// The search of the positions after the moves at the root.
struct Below<'a, K> {
    search: Search<'a>,
    limits: Limits<'a>,
    kernel: PhantomData<K>,
}

impl<K: Kernel> RootSearch for Below<'_, K> {
    type Node = Node;
    const DISC: i32 = 1;
    const MAX_VALUE: i32 = 64;

    fn set_must_finish(&mut self, must_finish: bool) {
        let end = &mut self.search.end;
        end.max_nodes = if must_finish { u64::MAX } else { self.limits.nodes };
        end.ignores_stop = must_finish;
        end.poll_at = 0;
    }

    fn is_stopped(&self) -> bool {
        self.search.end.stopped
    }

    fn must_stop(&mut self) -> bool {
        self.search.end.must_stop()
    }

    fn value(
        &mut self,
        root: &RootMove<Node>,
        Iteration { depth, selectivity, .. }: Iteration,
        window: Window,
    ) -> i32 {
        let depth = depth - u32::from(root.mv() != PASS);
        -self.search.value::<K>(&root.after, window.negated(), depth, selectivity)
    }

    /// Proves who wins first if the exact score may be out of reach.
    fn is_worthwhile(&self, iteration: Iteration) -> bool {
        let nodes = self.limits.nodes.min(MAX_QUICK_NODES);
        iteration.goal == Goal::Score || self.search.end.nodes.saturating_mul(EXACT_COST) > nodes
    }

    fn is_exact(&self, root: &RootMove<Node>, iteration: Iteration) -> bool {
        iteration.depth > root.after.empties() && iteration.selectivity == EXACT
    }

    fn decides_alone(&self, _root: &RootMove<Node>, iteration: Iteration) -> bool {
        iteration.selectivity == EXACT
    }

    /// The rest of the line is completed in the end.
    fn line(&self, root: &RootMove<Node>) -> Vec<u16> {
        vec![root.mv()]
    }
}

/// Returns the move to a square.
pub(crate) fn place(square: usize) -> Move {
    let square = (square & 63) as i32;
    Move::Place(Cell::new(square / 8, square % 8 + 1))
}

/// With this many empty squares or fewer, the rest of a line is searched again.
const MAX_SEARCHED_AGAIN: u32 = 13;

impl<K: Kernel> Below<'_, K> {
    /// Continues a line with the best moves in the table; to the end of the game, if the values are
    /// exact. What is missing then is short, so limits do not count.
    fn complete_line(&mut self, mut node: Node, depth: u32, exact: bool, line: &mut Vec<Move>) {
        self.set_must_finish(true);
        self.search.end.stopped = false;
        while line.len() < depth as usize {
            let moves = K::placements(node.own, node.other);
            if moves == 0 {
                if K::placements(node.other, node.own) == 0 {
                    return;
                }
                line.push(Move::Pass);
                node = node.passed();
                continue;
            }
            let known = self.known_move(&node).filter(|square| moves >> square & 1 == 1);
            let square = match known {
                _ if exact && node.empties() <= MAX_SEARCHED_AGAIN => {
                    self.search.best_move::<K>(&node, node.empties())
                }
                Some(square) => square,
                None => return,
            };
            line.push(place(square));
            node = node.after(square, K::flips(node.own, node.other, square));
        }
    }

    /// Returns the square of the best move that the table has for a position.
    fn known_move(&self, node: &Node) -> Option<usize> {
        let table = self.search.end.table_for(node.empties());
        let entry = table.get(mix(node.own, node.other))?;
        (entry.moves[0] != NO_MOVE).then_some(entry.moves[0].into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the depth and the selectivity of each iteration.
    fn planned(empties: u32, max_depth: u32) -> Vec<(u32, Selectivity)> {
        iterations(empties, max_depth).map(|it| (it.depth, it.selectivity)).collect()
    }

    #[test]
    fn the_depth_grows_ply_by_ply_to_eight_plies_before_the_end() {
        for empties in 11..=60 {
            let plan = planned(empties, u32::MAX);
            let (middle, endings) = plan.split_at(plan.len() - ENDINGS.len());
            let steady: Vec<_> = (1..=empties - 8).map(|depth| (depth, MIDDLE_GAME)).collect();
            assert_eq!(middle, steady);
            assert!(endings.iter().all(|&(depth, _)| depth == empties));
        }
    }

    #[test]
    fn a_short_ending_is_searched_at_once() {
        assert_eq!(planned(10, u32::MAX), [(1, MIDDLE_GAME), (10, EXACT)]);
        assert_eq!(planned(1, u32::MAX), [(1, MIDDLE_GAME), (1, EXACT)]);
    }

    #[test]
    fn no_iteration_is_deeper_than_the_limit() {
        assert_eq!(planned(30, 2), [(1, MIDDLE_GAME), (2, MIDDLE_GAME)]);
        assert_eq!(planned(30, 0), [(1, MIDDLE_GAME)]);
        assert_eq!(planned(30, 29).len(), 22);
        assert_eq!(planned(30, 30).len(), 22 + ENDINGS.len());
    }
}
