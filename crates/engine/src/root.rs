//! The root of a search, for every board: iterative deepening, aspiration windows, and the values of
//! the moves.

use crate::evaluated::Proof;
use crate::hash::mix;
use crate::window::{Bound, Window};

/// The number of a pass in a line of moves.
pub(crate) const PASS: u16 = u16::MAX;

/// The question that an iteration answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// How many discs are the moves worth?
    Score,
    /// Who wins? This takes null windows beside zero only, and must be exact.
    Winner,
}

/// One iteration of the deepening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Iteration {
    /// The depth in plies, or in discs placed.
    pub(crate) depth: u32,
    /// ProbCut selectivity; 0 is exact.
    pub(crate) selectivity: u8,
    pub(crate) goal: Goal,
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
    /// What is proved about the value.
    pub(crate) proof: Proof,
    /// Added to the value, so that the seed chooses among moves that are about as good.
    pub(crate) bonus: i32,
}

impl<N> RootMove<N> {
    /// Returns a move without a value. `bonus` makes its bonus from a random number.
    pub(crate) fn new(mv: u16, after: N, seed: Option<u64>, bonus: impl Fn(u64) -> i32) -> Self {
        let bonus = seed.map_or(0, |seed| bonus(mix(seed, mv.into())));
        Self { after, line: vec![mv], value: 0, depth: 0, proof: Proof::None, bonus }
    }

    /// Returns the move.
    pub(crate) fn mv(&self) -> u16 {
        self.line[0]
    }

    /// Sets the result after a proof of who wins: an estimated value, and bounds on one side of zero or at it.
    /// The old line need not lead to it.
    fn set_result(&mut self, value: i32, (lower, upper): (i32, i32), iteration: Iteration) {
        self.line.truncate(1);
        self.value = value.clamp(lower, upper);
        self.depth = iteration.depth;
        self.proof = if lower == upper { Proof::Score } else { Proof::Winner };
    }

    /// Returns whether the value itself is proved.
    pub(crate) fn is_exact(&self) -> bool {
        self.proof == Proof::Score
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

    /// Returns the value of a move for the player who makes it, or a bound outside of the window.
    fn value(&mut self, root: &RootMove<Self::Node>, iteration: Iteration, window: Window) -> i32;

    /// Returns whether an iteration is worth its nodes, given those of the earlier ones.
    fn is_worthwhile(&self, _iteration: Iteration) -> bool {
        true
    }

    /// Returns whether the value that was returned last is proved.
    fn is_exact(&self, root: &RootMove<Self::Node>, iteration: Iteration) -> bool;

    /// Returns whether an iteration goes to the end of the game, so that the exact value decides
    /// alone.
    fn decides_alone(&self, root: &RootMove<Self::Node>, iteration: Iteration) -> bool;

    /// Returns the principal variation of a move with a value inside the window.
    fn line(&self, root: &RootMove<Self::Node>) -> Vec<u16>;
}

/// Half the width of the first aspiration window for one move, in discs, and how far beyond a bound
/// the next one reaches.
const RANKING_HALF: i32 = 3;
const RANKING_STEP: i32 = 8;
/// The same for the best move.
const HALF: i32 = 2;
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
    let mut is_decided = false;
    for (number, iteration) in iterations.enumerate() {
        // A selective search could contradict the proof.
        if (is_decided && iteration.selectivity > 0) || !search.is_worthwhile(iteration) {
            continue;
        }
        search.set_must_finish(must_finish_first && number == 0);
        let is_exact = match (iteration.goal, all) {
            (Goal::Score, true) => rank(search, roots, iteration),
            (Goal::Score, false) => find_best(search, roots, iteration),
            (Goal::Winner, _) => {
                is_decided = match all {
                    true => decide_all(search, roots, iteration),
                    false => decide(search, roots, iteration),
                };
                roots.iter().take(if all { usize::MAX } else { 1 }).all(RootMove::is_exact)
            }
        };
        search.set_must_finish(false);
        if is_decided && !all {
            // The exact search puts only moves first that keep the result.
            roots[0].proof = roots[0].proof.max(Proof::Winner);
        }
        if search.must_stop() || is_exact {
            return;
        }
    }
}

/// Proves whether a move wins, else whether one draws, and puts it first, with a value of the proved sign.
/// Returns whether the search got that far: a board that it does not know as a whole proves nothing.
fn decide<S: RootSearch>(
    search: &mut S,
    roots: &mut [RootMove<S::Node>],
    iteration: Iteration,
) -> bool {
    let mut upper = -S::MAX_VALUE;
    for alpha in [0, -1] {
        upper = -S::MAX_VALUE;
        for at in 0..roots.len() {
            let Some(bound) = proved_bound(search, &roots[at], iteration, alpha) else {
                return false;
            };
            if bound > alpha {
                let root = &mut roots[at];
                // A later move was not the best, so its old value is no estimate.
                let old = if at == 0 { root.value } else { bound };
                let bounds = if alpha == 0 { (bound, S::MAX_VALUE) } else { (0, 0) };
                root.set_result(old, bounds, iteration);
                roots[..=at].rotate_right(1);
                return true;
            }
            upper = upper.max(bound);
        }
    }
    let root = &mut roots[0];
    root.set_result(root.value, (-S::MAX_VALUE, upper), iteration);
    true
}

/// Returns a bound of a move's value, on one side of the null window above `alpha`; `None` if the search was
/// stopped or has not proved it.
fn proved_bound<S: RootSearch>(
    search: &mut S,
    root: &RootMove<S::Node>,
    iteration: Iteration,
    alpha: i32,
) -> Option<i32> {
    let bound = search.value(root, iteration, Window::null(alpha));
    (!search.is_stopped() && search.is_exact(root, iteration)).then_some(bound)
}

/// Proves for each move whether it wins, draws or loses, as far as the search gets, and sorts them. Returns
/// whether it got to the last.
fn decide_all<S: RootSearch>(
    search: &mut S,
    roots: &mut [RootMove<S::Node>],
    iteration: Iteration,
) -> bool {
    let mut is_decided = true;
    for root in &mut *roots {
        let max = S::MAX_VALUE;
        let mut bound = |alpha| proved_bound(search, root, iteration, alpha);
        let bounds = match bound(0) {
            Some(lower @ 1..) => Some((lower, max)),
            Some(_) => bound(-1).map(|upper| if upper < 0 { (-max, upper) } else { (0, 0) }),
            None => None,
        };
        let Some(bounds) = bounds else {
            is_decided = false;
            break;
        };
        root.set_result(root.value, bounds, iteration);
    }
    roots.sort_by_key(|root| -root.value);
    is_decided
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
    for (root, (value, exact, line)) in roots.iter_mut().zip(found) {
        (root.value, root.depth, root.line) = (value, iteration.depth, line);
        root.proof = if exact { Proof::Score } else { Proof::None };
    }
    roots.sort_by_key(|root| -root.value);
    roots.iter().all(RootMove::is_exact)
}

/// Returns the value of a move, from a window that opens around its earlier value.
fn value_near<S: RootSearch>(
    search: &mut S,
    root: &RootMove<S::Node>,
    iteration: Iteration,
) -> i32 {
    let (max, disc) = (S::MAX_VALUE, S::DISC);
    let half = RANKING_HALF * disc;
    let mut window = Window::new(root.value - half, root.value + half).within(-max, max);
    loop {
        let value = search.value(root, iteration, window);
        match window.bound(value) {
            _ if search.is_stopped() => return value,
            Bound::Upper if window.alpha > -max => {
                window.alpha = (value - RANKING_STEP * disc).max(-max);
            }
            Bound::Lower if window.beta < max => {
                window.beta = (value + RANKING_STEP * disc).min(max);
            }
            _ => return value,
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
    let full = Window::new(-max, max);
    let mut window = Window::new(guess - HALF * disc, guess + HALF * disc).within(-max, max);
    for attempt in 1.. {
        let (best, is_exact) = principal_variation(search, roots, iteration, window);
        if search.is_stopped() {
            // Another move may be better, or the value only a bound.
            roots[0].proof = Proof::None;
            return false;
        }
        window = match window.bound(best) {
            Bound::Exact => return is_exact,
            _ if window == full => return is_exact,
            // Selective searches may contradict each other again and again.
            _ if attempt == MAX_ATTEMPTS => full,
            Bound::Upper => {
                Window::new((best - STEP * disc).max(-max), (best + disc).max(2 * disc - max))
            }
            Bound::Lower => {
                Window::new((best - disc).min(max - 2 * disc), (best + STEP * disc).min(max))
            }
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
    window: Window,
) -> (i32, bool) {
    let max = S::MAX_VALUE;
    let (mut best, mut all_exact) = (i32::MIN, true);
    for at in 0..roots.len() {
        let root = &roots[at];
        let bonus = if search.decides_alone(root, iteration) { 0 } else { root.bonus };
        let low = (best.max(window.alpha) - bonus).clamp(-max, max - 1);
        let open = Window::new(low, (window.beta - bonus).min(max).max(low + 1));
        let mut value = low;
        if at > 0 {
            value = search.value(root, iteration, Window::null(low));
        }
        if at == 0 || (open.contains(value) && !search.is_stopped()) {
            value = search.value(root, iteration, open);
        }
        if search.is_stopped() {
            return (best, false);
        }
        let exact = search.is_exact(root, iteration);
        all_exact &= exact;
        if value + bonus > best {
            best = value + bonus;
            if best > window.alpha {
                // A refutation has no principal variation.
                let line = if best < window.beta { search.line(root) } else { vec![root.mv()] };
                let root = &mut roots[at];
                (root.value, root.depth, root.line) = (value, iteration.depth, line);
                root.proof = if exact { Proof::Score } else { Proof::None };
                roots[..=at].rotate_right(1);
                if best >= window.beta {
                    break;
                }
            }
        }
    }
    (best, all_exact)
}
