//! Deepens a search step by step and compares the moves at its root.

use crate::ending::{Scoring, Table};
use crate::engine::Evaluated;
use crate::search::{Options, chosen};
use outflank_rules::kernel::{self, Kernel, Task};
use outflank_rules::{Cell, Lattice, Move, Position, Size};

use super::crew::Crew;
use super::search::{Node, Search, Selectivity};
use super::weights::Weights;

/// What the engine remembers from one search to the next.
pub(crate) struct Memory {
    table: Table,
    /// What the remembered values count.
    scoring: Scoring,
}

impl Memory {
    /// Returns an empty memory of at most this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { table: Table::new(bytes), scoring: Scoring::Discs }
    }

    /// Replaces it by an empty one of this many bytes, if it is smaller.
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.table.grow(bytes);
    }
}

/// Returns whether a position has the rules of Othello on 8×8, with either kind of pass.
pub(crate) fn plays(position: &Position) -> bool {
    let rules = position.rules();
    rules.lattice == Lattice::Rectangle(Size::EIGHT) && Scoring::of(rules) == Some(Scoring::Discs)
}

/// Returns the legal moves of a position with their values, the best first; nothing if the game is
/// over or has other rules. Unless `options.all` is set, only the first value is more than a bound.
pub(crate) fn search(
    position: &Position,
    memory: &mut Memory,
    options: &Options,
) -> Vec<Evaluated> {
    run(position, memory, options, Scoring::Discs).0
}

/// Searches a position as [`search`] does, with any scoring but that of misère. Also returns the number
/// of nodes.
pub(crate) fn run(
    position: &Position,
    memory: &mut Memory,
    options: &Options,
    scoring: Scoring,
) -> (Vec<Evaluated>, u64) {
    let Some((own, other)) = position.words() else { return (Vec::new(), 0) };
    if memory.scoring != scoring {
        memory.table.clear();
        memory.scoring = scoring;
    }
    memory.table.next_age();
    kernel::fastest(Run { own, other, memory, options })
}

struct Run<'a> {
    own: u64,
    other: u64,
    memory: &'a Memory,
    options: &'a Options<'a>,
}

impl Task for Run<'_> {
    type Output = (Vec<Evaluated>, u64);

    fn run<K: Kernel>(self) -> Self::Output {
        let crew = Crew::new(self.options.threads);
        let mut search =
            Search::new(&self.memory.table, Weights::embedded(), &crew, self.options.stop);
        search.end.scoring = self.memory.scoring;
        let roots = roots::<K>(self.own, self.other, self.options.seed);
        let mut deepening = Deepening { search, options: self.options, roots };
        deepening.run::<K>();
        let nodes = deepening.search.end.nodes;
        (deepening.found::<K>(), nodes)
    }
}

/// A move at the root.
#[derive(Clone, Copy)]
struct Root {
    /// `None` for a pass.
    square: Option<usize>,
    after: Node,
    value: i32,
    /// What the seed adds to the value, so that it chooses among moves that are about as good.
    bonus: i32,
    depth: u32,
    selectivity: Selectivity,
}

fn roots<K: Kernel>(own: u64, other: u64, seed: Option<u64>) -> Vec<Root> {
    let node = Node::new(own, other);
    let new = |square: Option<usize>, after| {
        let number = square.map_or(64, |square| square as u64);
        let bonus = seed.map_or(0, |seed| i32::from(chosen(seed, number) & 3 == 0));
        Root { square, after, value: 0, bonus, depth: 0, selectivity: 0 }
    };
    let mut moves = K::placements(own, other);
    if moves == 0 {
        let can_pass = K::placements(other, own) != 0;
        return if can_pass { vec![new(None, node.passed())] } else { Vec::new() };
    }
    let mut roots = Vec::new();
    while moves != 0 {
        let square = moves.trailing_zeros() as usize;
        moves &= moves - 1;
        roots.push(new(Some(square), node.after(square, K::flips(own, other, square))));
    }
    roots
}

/// How sure the search of the middle game is.
const MIDDLE: Selectivity = 4;
/// How sure the searches to the end of the game are, one after another. The last leaves nothing out.
const ENDINGS: [Selectivity; 2] = [3, 0];
/// With this many empty squares or fewer, a search goes to the end of the game at once.
const SHORT: u32 = 10;
/// How many plies before the end the search of the middle game stops deepening, and how deep it is
/// at most before the search to the end begins, if that is allowed.
const REST: u32 = 8;
const PREPARATION: u32 = 12;
/// With more empty squares than this, a search to the end has no hope.
const HOPELESS: u32 = 34;

/// Less than the least value, and the greatest with its bonus.
const LEAST: i32 = -65;
const MOST: i32 = 65;
/// How many windows are tried before the full one.
const ATTEMPTS: u32 = 6;

struct Deepening<'a> {
    search: Search<'a>,
    options: &'a Options<'a>,
    roots: Vec<Root>,
}

impl Deepening<'_> {
    fn run<K: Kernel>(&mut self) {
        let Some(empties) = self.roots.iter().map(|root| root.after.empties()).max() else {
            return;
        };
        let empties = empties + 1;
        let deepest = self.options.depth.max(1);
        let prepared = if empties <= SHORT {
            1
        } else if empties <= HOPELESS {
            (empties - REST).min(PREPARATION)
        } else {
            empties - REST
        };
        let middle = (1..=prepared).map(|depth| (depth, MIDDLE));
        let ending = ENDINGS.map(|selectivity| (empties, selectivity));
        for (depth, selectivity) in middle.chain(ending).take_while(|step| step.0 <= deepest) {
            // The first step is always completed.
            let is_first = depth == 1;
            self.search.end.limit = if is_first { u64::MAX } else { self.options.nodes };
            self.search.end.ignores_stop = is_first;
            self.search.end.check_at = 0;
            if self.options.all {
                self.all::<K>(depth, selectivity);
            } else {
                self.best::<K>(depth, selectivity);
            }
            if !is_first && (self.search.end.stopped || self.search.end.must_stop()) {
                return;
            }
        }
    }

    /// Searches each move with a full window.
    fn all<K: Kernel>(&mut self, depth: u32, selectivity: Selectivity) {
        let mut roots = self.roots.clone();
        for root in &mut roots {
            root.value = self.value::<K>(root, root.value, depth, selectivity);
            if self.search.end.stopped {
                return;
            }
            (root.depth, root.selectivity) = (depth, selectivity);
        }
        roots.sort_by_key(|root| -root.value);
        self.roots = roots;
    }

    /// Returns the value of a move, in a window that opens around a guess.
    fn value<K: Kernel>(&mut self, root: &Root, guess: i32, depth: u32, selectivity: u8) -> i32 {
        let (mut alpha, mut beta) = ((guess - 3).max(-64), (guess + 3).min(64));
        loop {
            let value = self.after::<K>(root, alpha, beta, depth, selectivity);
            if self.search.end.stopped || (alpha < value && value < beta) {
                return value;
            } else if value <= alpha && alpha > -64 {
                alpha = (value - 8).max(-64);
            } else if value >= beta && beta < 64 {
                beta = (value + 8).min(64);
            } else {
                return value;
            }
        }
    }

    /// Searches the best move, in a window that opens around the value found before.
    fn best<K: Kernel>(&mut self, depth: u32, selectivity: Selectivity) {
        let guess = self.roots.first().map_or(0, |root| root.value);
        let (mut alpha, mut beta) = ((guess - 2).max(LEAST), (guess + 2).min(MOST));
        for attempt in 1.. {
            let best = self.best_between::<K>(alpha, beta, depth, selectivity);
            let is_full = alpha == LEAST && beta == MOST;
            if self.search.end.stopped || is_full || (alpha < best && best < beta) {
                return;
            }
            (alpha, beta) = if attempt == ATTEMPTS {
                // Searches that leave out moves may contradict each other again and again.
                (LEAST, MOST)
            } else if best <= alpha {
                ((best - 6).max(LEAST), (best + 1).max(LEAST + 2))
            } else {
                ((best - 1).min(MOST - 2), (best + 6).min(MOST))
            };
        }
    }

    /// Searches the first move, and whether others are better, and moves the best to the front.
    /// Returns its value, which is a bound outside of the window.
    fn best_between<K: Kernel>(
        &mut self,
        alpha: i32,
        beta: i32,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        let mut best = i32::MIN;
        for at in 0..self.roots.len() {
            let root = self.roots[at];
            // A proof decides alone.
            let bonus = if selectivity == 0 { 0 } else { root.bonus };
            let (low, high) = ((best.max(alpha) - bonus).clamp(-64, 63), (beta - bonus).min(64));
            let mut value = low;
            if at > 0 {
                value = self.after::<K>(&root, low, low + 1, depth, selectivity);
            }
            if at == 0 || (value > low && value < high && !self.search.end.stopped) {
                value = self.after::<K>(&root, low, high.max(low + 1), depth, selectivity);
            }
            if self.search.end.stopped {
                return best;
            }
            if value + bonus > best {
                best = value + bonus;
                if best > alpha {
                    let root = &mut self.roots[at];
                    (root.value, root.depth, root.selectivity) = (value, depth, selectivity);
                    self.roots[..=at].rotate_right(1);
                    if best >= beta {
                        return best;
                    }
                }
            }
        }
        best
    }

    fn after<K: Kernel>(
        &mut self,
        root: &Root,
        alpha: i32,
        beta: i32,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        let depth = depth - u32::from(root.square.is_some());
        -self.search.value::<K>(&root.after, -beta, -alpha, depth, selectivity)
    }

    fn found<K: Kernel>(mut self) -> Vec<Evaluated> {
        // What is still missing of the lines is short.
        self.search.end.limit = u64::MAX;
        self.search.end.ignores_stop = true;
        self.search.end.stopped = false;
        let roots = std::mem::take(&mut self.roots);
        // A computer player makes its move and shows no line.
        let is_shown = self.options.seed.is_none();
        let found = roots.iter().map(|root| {
            let to_end = root.depth > root.after.empties();
            let exact = to_end && root.selectivity == 0;
            let mut line = vec![root.square.map_or(Move::Pass, place)];
            if is_shown {
                self.search.continue_line::<K>(root.after, root.depth, exact, &mut line);
            }
            Evaluated { line, value: root.value, depth: root.depth, exact }
        });
        found.collect()
    }
}

/// Returns the move to a square.
pub(crate) fn place(square: usize) -> Move {
    let square = (square & 63) as i32;
    Move::Place(Cell::new(square / 8, square % 8 + 1))
}

/// With this many empty squares or fewer, the rest of a line is searched again.
const SEARCHED_AGAIN: u32 = 13;

impl Search<'_> {
    /// Continues a line with the best moves in the table; to the end of the game, if the values are
    /// exact.
    fn continue_line<K: Kernel>(
        &mut self,
        mut node: Node,
        depth: u32,
        exact: bool,
        line: &mut Vec<Move>,
    ) {
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
            let known = self.known_best(&node).filter(|square| moves >> square & 1 == 1);
            let square = match known {
                _ if exact && node.empties() <= SEARCHED_AGAIN => {
                    self.best::<K>(&node, node.empties())
                }
                Some(square) => square,
                None => return,
            };
            line.push(place(square));
            node = node.after(square, K::flips(node.own, node.other, square));
        }
    }
}
