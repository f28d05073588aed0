use outflank_rules::kernel::Kernel;

use super::node::Node;
use super::threads::ThreadPool;
use super::weights::Weights;
use crate::ending::{Ending, Scoring, Squares, Table};

/// ProbCut selectivity; 0 is exact.
pub(super) type Selectivity = u8;

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

    /// Returns the evaluation of a position.
    #[inline(always)]
    pub(super) fn evaluate<K: Kernel>(&self, node: &Node, moves: u64) -> i32 {
        let replies = K::placements(node.other, node.own);
        let empties = node.empties();
        let stage = self.weights.stage(64 - empties);
        let value = stage.value(&node.indices(), moves.count_ones(), replies.count_ones(), empties);
        value.clamp(-63, 63)
    }
}
