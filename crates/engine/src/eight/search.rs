use outflank_rules::kernel::Kernel;

use super::node::Node;
use super::threads::ThreadPool;
use super::weights::{UNIT, Weights};
use crate::ending::{Ending, Scoring, Squares, Table};
use crate::window::Window;

/// ProbCut selectivity; 0 is exact.
pub(super) type Selectivity = u8;

/// How far outside of the window a sum of weights may lie, in discs, for the network to correct it. Tuned in matches:
/// docs/engine.md.
const CORRECTION_MARGIN: i32 = 6;

/// One thread's search.
pub(super) struct Search<'a> {
    pub(super) table: &'a Table,
    pub(super) end: Ending<'a>,
    pub(super) weights: &'a Weights,
    /// The threads that can help.
    pub(super) pool: &'a ThreadPool,
}

impl<'a> Search<'a> {
    /// Returns a search without a limit on nodes.
    pub(super) fn new(
        table: &'a Table,
        weights: &'a Weights,
        pool: &'a ThreadPool,
        scoring: Scoring,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        let end = Ending::new(Squares::EIGHT, scoring, Some(table), pool.take_table(), stop);
        Self { table, end, weights, pool }
    }

    /// Returns the sum of the weights of a position, in discs.
    #[inline(always)]
    pub(super) fn estimate<K: Kernel>(&self, node: &Node, moves: u64) -> i32 {
        in_discs(self.weights.sum(&node.inputs::<K>(moves)))
    }

    /// Returns the evaluation of a position, in discs: the sum of the weights, corrected by the network if it is near
    /// the window.
    #[inline(never)]
    pub(super) fn evaluate<K: Kernel>(&self, node: &Node, moves: u64, window: Window) -> i32 {
        K::run(
            #[inline(always)]
            || {
                let inputs = node.inputs::<K>(moves);
                let mut value = self.weights.sum(&inputs);
                let low = (window.alpha - CORRECTION_MARGIN) * UNIT;
                let high = (window.beta + CORRECTION_MARGIN) * UNIT;
                if low < value && value < high {
                    value += self.weights.network().correction::<K>(&inputs);
                }
                in_discs(value)
            },
        )
    }
}

/// Returns a value in discs, given it in parts of a disc. Only the end of a game is worth 64.
#[inline(always)]
pub(super) fn in_discs(value: i32) -> i32 {
    (value + UNIT / 2).div_euclid(UNIT).clamp(-63, 63)
}
