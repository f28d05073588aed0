//! The root of a search, for every board: iterative deepening, aspiration windows, and the values of
//! the moves.

use crate::hash::mix;

/// The number of a pass in a line of moves.
pub(crate) const PASS: u16 = u16::MAX;

/// One iteration of the deepening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Iteration {
    /// The depth in plies, or in discs placed.
    pub(crate) depth: u32,
    /// ProbCut selectivity; 0 is exact.
    pub(crate) selectivity: u8,
}

/// A move at the root.
#[derive(Debug, Clone)]
pub(crate) struct RootMove<N> {
    /// The position after the move.
    pub(crate) after: N,
    /// The principal variation, which begins with the move.
    pub(crate) line: Vec<u16>,
    pub(crate) value: i32,
    pub(crate) depth: u32,
    /// Whether the value is proved.
    pub(crate) exact: bool,
    /// Added to the value, so that the seed chooses among moves that are about as good.
    pub(crate) bonus: i32,
}

impl<N> RootMove<N> {
    /// Returns a move without a value. `bonus` makes its bonus from a random number.
    pub(crate) fn new(mv: u16, after: N, seed: Option<u64>, bonus: impl Fn(u64) -> i32) -> Self {
        let bonus = seed.map_or(0, |seed| bonus(mix(seed, mv.into())));
        Self { after, line: vec![mv], value: 0, depth: 0, exact: false, bonus }
    }

    /// Returns the move.
    pub(crate) fn mv(&self) -> u16 {
        self.line[0]
    }
}

/// A search of the positions after the moves at the root.
pub(crate) trait RootSearch {
    /// A position.
    type Node;
    /// The value of a disc.
    const DISC: i32;
    /// The greatest value. The least is its negative.
    const MAX_VALUE: i32;

    /// Says whether the current iteration must be completed, whatever the limits.
    fn set_must_finish(&mut self, must_finish: bool);

    /// Returns whether the search was stopped. Then its values mean nothing.
    fn is_stopped(&self) -> bool;

    /// Returns whether the search was stopped or must stop now.
    fn must_stop(&mut self) -> bool;

    /// Returns the value of a move for the player who makes it: exactly between `alpha` and `beta`,
    /// else as a bound.
    fn value(
        &mut self,
        root: &RootMove<Self::Node>,
        iteration: Iteration,
        alpha: i32,
        beta: i32,
    ) -> i32;

    /// Returns whether the value that was returned last is proved.
    fn is_exact(&self, root: &RootMove<Self::Node>, iteration: Iteration) -> bool;

    /// Returns whether an iteration goes to the end of the game, so that the exact value decides
    /// alone.
    fn decides_alone(&self, root: &RootMove<Self::Node>, iteration: Iteration) -> bool;

    /// Returns the principal variation of a move with a value inside the window.
    fn line(&self, root: &RootMove<Self::Node>) -> Vec<u16>;
}

/// The half width of the first aspiration window for one move, in discs, and how far beyond a bound
/// the next one reaches.
const RANKING_WINDOW: i32 = 3;
const RANKING_STEP: i32 = 8;
/// The same for the best move.
const WINDOW: i32 = 2;
const STEP: i32 = 6;
/// How many aspiration windows for the best move are tried before the full one.
const MAX_ATTEMPTS: u32 = 6;

/// Searches the moves iteration by iteration, until all values are exact or the search must stop,
/// and puts the best first. With `all`, each move gets its own value; otherwise only the first does.
/// If the search may not stop in the first iteration, each move searched in it has a value.
pub(crate) fn deepen<S: RootSearch>(
    search: &mut S,
    roots: &mut [RootMove<S::Node>],
    iterations: impl Iterator<Item = Iteration>,
    all: bool,
    must_finish_first: bool,
) {
    if roots.is_empty() {
        return;
    }
    for (number, iteration) in iterations.enumerate() {
        search.set_must_finish(must_finish_first && number == 0);
        let is_exact = match all {
            true => rank(search, roots, iteration),
            false => find_best(search, roots, iteration),
        };
        search.set_must_finish(false);
        if search.must_stop() || is_exact {
            return;
        }
    }
}

/// Searches each move in a window of its own and sorts them. Returns whether all values are exact.
fn rank<S: RootSearch>(
    search: &mut S,
    roots: &mut [RootMove<S::Node>],
    iteration: Iteration,
) -> bool {
    let mut found = Vec::new();
    for root in &*roots {
        let value = value_near(search, root, iteration);
        if search.is_stopped() {
            return false;
        }
        found.push((value, search.is_exact(root, iteration), search.line(root)));
    }
    for (root, found) in roots.iter_mut().zip(found) {
        (root.value, root.exact, root.line) = found;
        root.depth = iteration.depth;
    }
    roots.sort_by_key(|root| -root.value);
    roots.iter().all(|root| root.exact)
}

/// Returns the value of a move, from a window that opens around its earlier value.
fn value_near<S: RootSearch>(
    search: &mut S,
    root: &RootMove<S::Node>,
    iteration: Iteration,
) -> i32 {
    let (max, disc) = (S::MAX_VALUE, S::DISC);
    let mut alpha = (root.value - RANKING_WINDOW * disc).max(-max);
    let mut beta = (root.value + RANKING_WINDOW * disc).min(max);
    loop {
        let value = search.value(root, iteration, alpha, beta);
        if search.is_stopped() || (alpha < value && value < beta) {
            return value;
        } else if value <= alpha && alpha > -max {
            alpha = (value - RANKING_STEP * disc).max(-max);
        } else if value >= beta && beta < max {
            beta = (value + RANKING_STEP * disc).min(max);
        } else {
            return value;
        }
    }
}

/// Searches the best move, in aspiration windows around the value found before. Returns whether its
/// value is exact.
fn find_best<S: RootSearch>(
    search: &mut S,
    roots: &mut [RootMove<S::Node>],
    iteration: Iteration,
) -> bool {
    let disc = S::DISC;
    // Beyond every value with its bonus, which is at most a disc.
    let max = S::MAX_VALUE + disc;
    let guess = roots[0].value;
    let (mut alpha, mut beta) =
        ((guess - WINDOW * disc).max(-max), (guess + WINDOW * disc).min(max));
    for attempt in 1.. {
        let (best, is_exact) = principal_variation(search, roots, iteration, alpha, beta);
        let is_full = alpha == -max && beta == max;
        if search.is_stopped() || is_full || (alpha < best && best < beta) {
            return is_exact;
        }
        (alpha, beta) = if attempt == MAX_ATTEMPTS {
            // Selective searches may contradict each other again and again.
            (-max, max)
        } else if best <= alpha {
            ((best - STEP * disc).max(-max), (best + disc).max(2 * disc - max))
        } else {
            ((best - disc).min(max - 2 * disc), (best + STEP * disc).min(max))
        };
    }
    false
}

/// Searches the first move with the window, and the others with null windows unless they are better.
/// Moves the best to the front. Returns its value with its bonus, which is a bound outside of the
/// window, and whether all values that it was compared with are exact.
fn principal_variation<S: RootSearch>(
    search: &mut S,
    roots: &mut [RootMove<S::Node>],
    iteration: Iteration,
    alpha: i32,
    beta: i32,
) -> (i32, bool) {
    let max = S::MAX_VALUE;
    let (mut best, mut all_exact) = (i32::MIN, true);
    for at in 0..roots.len() {
        let root = &roots[at];
        let bonus = if search.decides_alone(root, iteration) { 0 } else { root.bonus };
        let low = (best.max(alpha) - bonus).clamp(-max, max - 1);
        let high = (beta - bonus).min(max).max(low + 1);
        let mut value = low;
        if at > 0 {
            value = search.value(root, iteration, low, low + 1);
        }
        if at == 0 || (value > low && value < high && !search.is_stopped()) {
            value = search.value(root, iteration, low, high);
        }
        if search.is_stopped() {
            return (best, false);
        }
        let exact = search.is_exact(root, iteration);
        all_exact &= exact;
        if value + bonus > best {
            best = value + bonus;
            if best > alpha {
                // A refutation has no principal variation.
                let line = if best < beta { search.line(root) } else { vec![root.mv()] };
                let root = &mut roots[at];
                (root.value, root.depth, root.exact, root.line) =
                    (value, iteration.depth, exact, line);
                roots[..=at].rotate_right(1);
                if best >= beta {
                    break;
                }
            }
        }
    }
    (best, all_exact)
}
