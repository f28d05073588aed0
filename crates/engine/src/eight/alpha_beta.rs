//! The search of the middle game, and of endings while many squares are empty: principal variation
//! search.

use std::cmp::Reverse;

use super::move_ordering::{Candidate, Candidates};
use super::node::Node;
use super::search::{Search, Selectivity};
use super::split::{Best, Siblings};
use crate::candidates::bring_best;
use crate::ending::{MAX_EMPTIES, NO_MOVE, NO_VALUE, Squares, odd_quarters};
use crate::hash::mix;
use crate::window::Window;
use outflank_rules::kernel::Kernel;

/// The least depth at which several threads share the moves of a position.
const MIN_SPLIT_DEPTH: u32 = 12;

impl Search<'_> {
    /// Returns the value of a position, or a bound outside of the window. A search as deep as there are
    /// empty squares goes to the end of the game.
    pub(super) fn value<K: Kernel>(
        &mut self,
        node: &Node,
        window: Window,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                let empties = node.empties();
                let to_end = depth >= empties;
                if to_end && window.is_null() && empties <= MAX_EMPTIES {
                    return self.end.value::<K>(node.own, node.other, window.alpha);
                }
                let moves = K::placements(node.own, node.other);
                if !to_end && depth <= 2 {
                    return self.shallow::<K>(node, moves, window, depth);
                }
                self.deep::<K>(node, moves, window, depth, selectivity)
            },
        )
    }

    /// Searches one or two plies deep, or none, without the table: corners first, then the quarters
    /// with an odd number of empty squares.
    fn shallow<K: Kernel>(
        &mut self,
        node: &Node,
        mut moves: u64,
        mut window: Window,
        depth: u32,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                if self.end.count_node() {
                    return window.alpha;
                }
                if moves == 0 {
                    let replies = K::placements(node.other, node.own);
                    if replies == 0 {
                        return self.end.over(node.own, node.other);
                    }
                    return -self.shallow::<K>(&node.passed(), replies, window.negated(), depth);
                }
                if depth == 0 {
                    return self.evaluate::<K>(node, moves, window);
                }
                let odd = odd_quarters(!(node.own | node.other));
                let corners = Squares::EIGHT.corners;
                let mut best = NO_VALUE;
                for part in [corners, odd & !corners, !odd & !corners] {
                    let mut part = moves & part;
                    moves &= !part;
                    while part != 0 {
                        let square = part.trailing_zeros() as usize & 63;
                        part &= part - 1;
                        let next = node.after(square, K::flips(node.own, node.other, square));
                        let value = self.after_shallow::<K>(&next, window, depth);
                        if value > best {
                            best = value;
                            if value >= window.beta {
                                return value;
                            }
                            window = window.above(value);
                        }
                    }
                }
                best
            },
        )
    }

    /// Returns the value of a move of a shallow search, given the position after it.
    #[inline(always)]
    fn after_shallow<K: Kernel>(&mut self, next: &Node, window: Window, depth: u32) -> i32 {
        if next.own == 0 {
            self.end.nodes += 1;
            return -self.end.over(next.own, next.other);
        }
        let replies = K::placements(next.own, next.other);
        if depth == 1 && replies != 0 {
            self.end.nodes += 1;
            return -self.evaluate::<K>(next, replies, window.negated());
        }
        -self.shallow::<K>(next, replies, window.negated(), depth - 1)
    }

    /// Searches in numbered steps, each of which may make the next ones unnecessary.
    fn deep<K: Kernel>(
        &mut self,
        node: &Node,
        moves: u64,
        mut window: Window,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                if self.end.count_node() {
                    return window.alpha;
                }
                if moves == 0 {
                    return self.deep_pass::<K>(node, window, depth, selectivity);
                }
                let is_null_window = window.is_null();

                // 1. Stability cutoff: the other player's stable discs bound the value.
                let bound = self.end.stability_bound(node.own, node.other, window.alpha);
                if bound <= window.alpha {
                    return bound;
                }
                window.beta = window.beta.min(bound);

                // 2. Transposition table cutoff.
                let depth = depth.min(node.empties());
                let effort = (depth as u8, selectivity);
                let key = mix(node.own, node.other);
                let entry = self.table.get(key);
                if let Some(entry) = entry.filter(|entry| entry.is_enough(effort)) {
                    let (lower, upper) = (entry.lower.into(), entry.upper.into());
                    if let Some(value) = window.cutoff(lower, upper) {
                        return value;
                    }
                    if !is_null_window {
                        window = window.within(lower, upper);
                    }
                }

                // 3. ProbCut.
                if selectivity > 0
                    && is_null_window
                    && let Some(value) = self.prob_cut::<K>(node, window.alpha, depth, selectivity)
                {
                    return value;
                }

                // 4. Move ordering, with the enhanced transposition cutoff.
                let table_moves = entry.map_or([NO_MOVE; 2], |entry| entry.moves);
                let mut candidates = Candidates::new();
                let list = &mut candidates;
                let proved = self.order_moves::<K>(node, moves, table_moves, window, effort, list);
                if let Some(value) = proved {
                    return value;
                }
                // 5. Principal variation search.
                let best = self.best_candidate::<K>(node, list, window, depth, selectivity);
                if self.end.stopped {
                    return window.alpha;
                }
                self.table.put(key, effort, window, best.value, best.square);
                best.value
            },
        )
    }

    /// Searches a position where the player to move can only pass, or the game is over.
    #[inline(always)]
    fn deep_pass<K: Kernel>(
        &mut self,
        node: &Node,
        window: Window,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        let passed = node.passed();
        let replies = K::placements(passed.own, passed.other);
        if replies == 0 {
            return self.end.over(node.own, node.other);
        }
        -self.deep::<K>(&passed, replies, window.negated(), depth, selectivity)
    }

    /// Searches the moves in order: the first with the window, the others with null windows unless
    /// they are better. Free threads help with all but the first. If the search is stopped, the
    /// result means nothing.
    #[inline(always)]
    fn best_candidate<K: Kernel>(
        &mut self,
        node: &Node,
        candidates: &mut Candidates,
        window: Window,
        depth: u32,
        selectivity: Selectivity,
    ) -> Best {
        let depth = depth - 1;
        let mut best = Best { value: NO_VALUE, square: NO_MOVE, window };
        for at in 0..candidates.len() {
            if at > 0 && depth + 1 >= MIN_SPLIT_DEPTH && self.pool.take() {
                let rest = &mut candidates[at..];
                rest.sort_unstable_by_key(|candidate| Reverse(candidate.order));
                let siblings = Siblings { node, candidates: rest, depth, selectivity };
                best = self.split::<K>(&siblings, best);
                self.pool.give_back();
                return best;
            }
            let candidate = *bring_best(candidates, at, |candidate| candidate.order);
            let value = if at == 0 {
                let next = node.after(candidate.square.into(), candidate.flipped);
                -self.value::<K>(&next, window.negated(), depth, selectivity)
            } else {
                self.later_move::<K>(node, candidate, best.window, depth, selectivity)
            };
            if self.end.stopped {
                return best;
            }
            if best.record(candidate.square, value) {
                return best;
            }
        }
        best
    }

    /// Returns the value of a move that is not the first: searched with a null window, and again
    /// with the whole window if it is better than those before.
    #[inline(always)]
    pub(super) fn later_move<K: Kernel>(
        &mut self,
        node: &Node,
        candidate: Candidate,
        window: Window,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        let next = node.after(candidate.square.into(), candidate.flipped);
        let null = Window::null(window.alpha).negated();
        let value = -self.value::<K>(&next, null, depth, selectivity);
        if window.contains(value) && !self.end.stopped {
            return -self.value::<K>(&next, window.negated(), depth, selectivity);
        }
        value
    }

    /// Returns the square of the best move by a search of this depth.
    pub(super) fn best_move<K: Kernel>(&mut self, node: &Node, depth: u32) -> usize {
        let mut moves = K::placements(node.own, node.other);
        let (mut best, mut square) = (NO_VALUE, 0);
        while moves != 0 {
            let next = moves.trailing_zeros() as usize & 63;
            moves &= moves - 1;
            let after = node.after(next, K::flips(node.own, node.other, next));
            let value = -self.value::<K>(&after, Window::new(-64, -best.max(-64)), depth - 1, 0);
            if value > best {
                (best, square) = (value, next);
            }
        }
        square
    }

    /// Returns the value of a position by a search of this depth, in null windows from a guess on
    /// (MTD(f)). A good guess makes it faster.
    pub(super) fn value_near<K: Kernel>(&mut self, node: &Node, depth: u32, mut guess: i32) -> i32 {
        let (mut low, mut high) = (-64, 64);
        while low < high {
            let alpha = (if guess == low { guess } else { guess - 1 }).clamp(-64, 63);
            guess = self.value::<K>(node, Window::null(alpha), depth, 0);
            if guess > alpha {
                low = guess;
            } else {
                high = guess;
            }
        }
        guess
    }
}
