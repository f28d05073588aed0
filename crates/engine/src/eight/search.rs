//! The search of the middle game, and of endings while many squares are empty.

use std::cmp::Reverse;

use crate::ending::{Ending, NO_MOVE, Scoring, Squares, Table, hash, odd_quarters};
use outflank_rules::kernel::Kernel;

use super::crew::{Crew, Siblings, Tried, split};
use super::order::{Candidates, next_best};
use super::pattern::Indices;
use super::prob_cut;
use super::weights::Weights;

/// A position of the search, from the view of the player to move.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) own: u64,
    pub(super) other: u64,
    /// The numbers of the patterns from the view of the player to move at the root.
    indices: Indices,
    /// Whether the player to move is not the one at the root.
    swapped: bool,
}

impl Node {
    /// Returns the root of a search.
    pub(super) fn new(own: u64, other: u64) -> Self {
        Self { own, other, indices: Indices::new(own, other), swapped: false }
    }

    /// Returns the number of empty squares.
    #[inline(always)]
    pub(super) fn empties(&self) -> u32 {
        (!(self.own | self.other)).count_ones()
    }

    /// Returns the position after a move that flips these discs.
    #[inline(always)]
    pub(super) fn after(&self, square: usize, flipped: u64) -> Self {
        let indices = if self.swapped {
            self.indices.after_other(square, flipped)
        } else {
            self.indices.after_own(square, flipped)
        };
        Self {
            own: self.other ^ flipped,
            other: self.own ^ flipped ^ (1 << square),
            indices,
            swapped: !self.swapped,
        }
    }

    /// Returns the position after a pass.
    #[inline(always)]
    pub(super) fn passed(&self) -> Self {
        Self { own: self.other, other: self.own, swapped: !self.swapped, ..*self }
    }
}

/// How sure a search is: 0 leaves nothing out, the others cut off what a shallower search finds
/// to be unlikely to matter.
pub(super) type Selectivity = u8;

/// One thread's search.
pub(super) struct Search<'a> {
    pub(super) table: &'a Table,
    pub(super) end: Ending<'a>,
    pub(super) weights: &'a Weights,
    /// The threads that can help.
    pub(super) crew: &'a Crew,
}

/// The least depth at which several threads share the moves of a position.
const SPLIT: u32 = 12;
/// With this many empty squares or fewer, an ending is searched without the evaluation.
const ENDING: u32 = 13;

impl<'a> Search<'a> {
    /// Returns a search without a limit on nodes, for the score that counts all empty squares for
    /// the winner.
    pub(super) fn new(
        table: &'a Table,
        weights: &'a Weights,
        crew: &'a Crew,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        let end = Ending::new(
            Squares::EIGHT,
            Scoring::WinnerTakesEmpties,
            Some(table),
            crew.table(),
            stop,
        );
        Self { table, end, weights, crew }
    }

    /// Returns the value of a position by a search of this depth, which a good guess makes faster.
    pub(super) fn value_near<K: Kernel>(&mut self, node: &Node, depth: u32, mut guess: i32) -> i32 {
        let (mut low, mut high) = (-64, 64);
        // Null windows from a guess on (MTD(f)).
        while low < high {
            let alpha = (if guess == low { guess } else { guess - 1 }).clamp(-64, 63);
            guess = self.value::<K>(node, alpha, alpha + 1, depth, 0);
            if guess > alpha {
                low = guess;
            } else {
                high = guess;
            }
        }
        guess
    }

    /// Returns the square of the best move by a search of this depth.
    pub(super) fn best<K: Kernel>(&mut self, node: &Node, depth: u32) -> usize {
        let mut moves = K::placements(node.own, node.other);
        let (mut best, mut square) = (-65, 0);
        while moves != 0 {
            let next = moves.trailing_zeros() as usize & 63;
            moves &= moves - 1;
            let after = node.after(next, K::flips(node.own, node.other, next));
            let value = -self.value::<K>(&after, -64, -best.max(-64), depth - 1, 0);
            if value > best {
                (best, square) = (value, next);
            }
        }
        square
    }

    /// Returns the square of the best move that the table knows for a position.
    pub(super) fn known_best(&self, node: &Node) -> Option<usize> {
        let entry = self.end.near(node.empties()).get(hash(node.own, node.other))?;
        (entry.moves[0] != NO_MOVE).then_some(entry.moves[0].into())
    }

    /// Returns the evaluation of a position.
    #[inline(always)]
    pub(super) fn evaluate<K: Kernel>(&mut self, node: &Node, moves: u64) -> i32 {
        let replies = K::placements(node.other, node.own);
        let empties = node.empties();
        let stage = self.weights.stage(64 - empties);
        let indices = if node.swapped { node.indices.swapped() } else { node.indices };
        stage.value(&indices, moves.count_ones(), replies.count_ones(), empties).clamp(-63, 63)
    }

    /// Returns the value of a position: exact between `alpha` and `beta`, a bound outside of them.
    /// A search as deep as there are empty squares goes to the end of the game.
    pub(super) fn value<K: Kernel>(
        &mut self,
        node: &Node,
        alpha: i32,
        beta: i32,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                let empties = node.empties();
                let to_end = depth >= empties;
                if to_end && beta - alpha == 1 && empties <= ENDING {
                    return self.end.value::<K>(node.own, node.other, alpha);
                }
                let moves = K::placements(node.own, node.other);
                if !to_end && depth <= 2 {
                    return self.shallow::<K>(node, moves, alpha, beta, depth);
                }
                self.full::<K>(node, moves, alpha, beta, depth, selectivity)
            },
        )
    }

    /// Searches one or two plies deep, or none, without the table.
    fn shallow<K: Kernel>(
        &mut self,
        node: &Node,
        mut moves: u64,
        mut alpha: i32,
        beta: i32,
        depth: u32,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                if self.end.count_node() {
                    return alpha;
                }
                if moves == 0 {
                    let replies = K::placements(node.other, node.own);
                    if replies == 0 {
                        return self.end.over(node.own, node.other);
                    }
                    return -self.shallow::<K>(&node.passed(), replies, -beta, -alpha, depth);
                }
                if depth == 0 {
                    return self.evaluate::<K>(node, moves);
                }
                let odd = odd_quarters(!(node.own | node.other));
                let mut best = -65;
                for part in [
                    Squares::EIGHT.corners,
                    odd & !Squares::EIGHT.corners,
                    !odd & !Squares::EIGHT.corners,
                ] {
                    let mut part = moves & part;
                    moves &= !part;
                    while part != 0 {
                        let square = part.trailing_zeros() as usize & 63;
                        part &= part - 1;
                        let next = node.after(square, K::flips(node.own, node.other, square));
                        let value = if next.own == 0 {
                            self.end.nodes += 1;
                            -self.end.over(next.own, next.other)
                        } else {
                            let replies = K::placements(next.own, next.other);
                            if depth == 1 && replies != 0 {
                                self.end.nodes += 1;
                                -self.evaluate::<K>(&next, replies)
                            } else {
                                -self.shallow::<K>(&next, replies, -beta, -alpha, depth - 1)
                            }
                        };
                        if value > best {
                            best = value;
                            if value >= beta {
                                return value;
                            }
                            alpha = alpha.max(value);
                        }
                    }
                }
                best
            },
        )
    }

    /// Searches with the table, sorted moves and all cuts.
    fn full<K: Kernel>(
        &mut self,
        node: &Node,
        moves: u64,
        mut alpha: i32,
        mut beta: i32,
        depth: u32,
        selectivity: Selectivity,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                if self.end.count_node() {
                    return alpha;
                }
                let empties = node.empties();
                if moves == 0 {
                    let passed = node.passed();
                    let replies = K::placements(passed.own, passed.other);
                    if replies == 0 {
                        return self.end.over(node.own, node.other);
                    }
                    return -self.full::<K>(&passed, replies, -beta, -alpha, depth, selectivity);
                }
                let is_null_window = beta - alpha == 1;
                let most = self.end.at_most(node.own, node.other, alpha);
                if most <= alpha {
                    return most;
                }
                beta = beta.min(most);
                let depth = depth.min(empties);
                let key = hash(node.own, node.other);
                let entry = self.table.get(key);
                let enough = (depth as u8, selectivity);
                let mut first = [NO_MOVE; 2];
                if let Some(entry) = entry {
                    first = entry.moves;
                    if entry.is_enough(enough) {
                        let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
                        if lower >= beta || lower == upper {
                            return lower;
                        }
                        if upper <= alpha {
                            return upper;
                        }
                        if !is_null_window {
                            alpha = alpha.max(lower);
                            beta = beta.min(upper);
                        }
                    }
                }
                let selective = selectivity > 0 && is_null_window;
                if selective
                    && let Some(value) = prob_cut::cut::<K>(self, node, alpha, depth, selectivity)
                {
                    return value;
                }
                let mut candidates = Candidates::new();
                let proved =
                    self.sort::<K>(node, moves, first, (alpha, beta), enough, &mut candidates);
                if let Some(value) = proved {
                    return value;
                }

                let window = (alpha, beta);
                let (mut best, mut best_move) = (-65, NO_MOVE);
                for at in 0..candidates.len() {
                    if at > 0 && depth >= SPLIT && self.crew.take() {
                        candidates[at..].sort_unstable_by_key(|candidate| Reverse(candidate.order));
                        let siblings = Siblings {
                            node,
                            candidates: &candidates[at..],
                            beta,
                            depth: depth - 1,
                            selectivity,
                        };
                        let tried = Tried { value: best, square: best_move, alpha };
                        let tried = split::<K>(self, &siblings, tried);
                        self.crew.give_back();
                        if self.end.stopped {
                            return alpha;
                        }
                        (best, best_move) = (tried.value, tried.square);
                        break;
                    }
                    let candidate = next_best(&mut candidates, at);
                    let next = node.after(candidate.square.into(), candidate.flipped);
                    let value = if at == 0 {
                        -self.value::<K>(&next, -beta, -alpha, depth - 1, selectivity)
                    } else {
                        let value =
                            -self.value::<K>(&next, -alpha - 1, -alpha, depth - 1, selectivity);
                        if value > alpha && value < beta && !self.end.stopped {
                            -self.value::<K>(&next, -beta, -alpha, depth - 1, selectivity)
                        } else {
                            value
                        }
                    };
                    if self.end.stopped {
                        return alpha;
                    }
                    if value > best {
                        (best, best_move) = (value, candidate.square);
                        if value >= beta {
                            break;
                        }
                        alpha = alpha.max(value);
                    }
                }
                self.table.put(key, enough, window, best, best_move);
                best
            },
        )
    }
}
