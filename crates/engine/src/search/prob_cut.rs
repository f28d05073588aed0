//! ProbCut with one shallow search.

use super::board::Board;
use super::worker::Worker;
use crate::prob_cut::shallow_depth;
use crate::window::Window;

impl<B: Board> Worker<'_, B> {
    /// Returns a bound of a node, outside of the null window from `alpha` on, that its shallow search makes
    /// likely; `None` if it must be searched.
    pub(super) fn prob_cut(
        &mut self,
        node: &B::Node,
        depth: u32,
        alpha: i32,
        ply: u32,
    ) -> Option<i32> {
        // What a search to the end finds is proved.
        if depth >= self.board.discs_left(node) {
            return None;
        }
        let shallow = shallow_depth(depth)?;
        let margin = self.board.margin_of_error(depth - shallow)?;
        let beta = alpha + 1;
        let found = if self.board.evaluate(node) >= beta {
            let bound = beta + margin;
            (self.negamax(node, shallow, Window::null(bound - 1), ply) >= bound).then_some(beta)
        } else {
            let bound = alpha - margin;
            (self.negamax(node, shallow, Window::null(bound), ply) <= bound).then_some(alpha)
        };
        found.filter(|_| !self.stopped)
    }
}
