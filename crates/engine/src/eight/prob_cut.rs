//! Multi-ProbCut: searches of any depth may be replaced, the more of them the greater the selectivity.

use super::node::Node;
use super::search::{Search, Selectivity};
use crate::prob_cut::shallow_depth;
use crate::window::Window;
use outflank_rules::kernel::Kernel;

/// How many standard deviations the shallow value must lie outside, for each selectivity. The second is
/// that of the first search to the end, tuned on endings; the last is that of the middle game, tuned in matches:
/// docs/engine.md.
const DEVIATIONS: [f32; 3] = [f32::INFINITY, 1.4, 0.75];

impl Search<'_> {
    /// Returns a bound that the shallow search of a position makes likely; `None` if it must be
    /// searched.
    #[inline(always)]
    pub(super) fn prob_cut<K: Kernel>(
        &mut self,
        node: &Node,
        alpha: i32,
        depth: u32,
        selectivity: Selectivity,
    ) -> Option<i32> {
        let shallow = shallow_depth(depth)?;
        let deviation = self.weights.deviation(64 - node.empties(), depth);
        let error = deviation * DEVIATIONS[usize::from(selectivity)];
        let margin = (error + 0.5) as i32;
        let beta = alpha + 1;
        let estimate = self.value::<K>(node, Window::ALL, 0, 0);
        if estimate >= beta && beta + margin < 64 {
            let bound = beta + margin;
            let value = self.value::<K>(node, Window::null(bound - 1), shallow, selectivity);
            (value >= bound && !self.end.stopped).then_some(beta)
        } else if estimate <= alpha && alpha - margin > -64 {
            let bound = alpha - margin;
            let value = self.value::<K>(node, Window::null(bound), shallow, selectivity);
            (value <= bound && !self.end.stopped).then_some(alpha)
        } else {
            None
        }
    }
}
