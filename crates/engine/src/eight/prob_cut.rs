//! Multi-ProbCut: a shallow search that is far outside of the window makes a deep one unnecessary.

use outflank_rules::kernel::Kernel;

use super::search::{Node, Search, Selectivity};

/// How many standard deviations the shallow value must lie outside, for each selectivity.
const DEVIATIONS: [f32; 6] = [9.0, 3.3, 2.6, 2.0, 1.5, 1.1];

/// Returns a bound that the shallow search of a position makes likely; `None` if it must be searched.
#[inline(always)]
pub(super) fn cut<K: Kernel>(
    search: &mut Search,
    node: &Node,
    alpha: i32,
    depth: u32,
    selectivity: Selectivity,
) -> Option<i32> {
    if depth < 4 {
        return None;
    }
    let shallow = shallow(depth);
    let deviation = search.weights.deviation(64 - node.empties(), depth);
    let error = deviation * DEVIATIONS[usize::from(selectivity)];
    let margin = (error + 0.5) as i32;
    let beta = alpha + 1;
    let guess = search.value::<K>(node, -64, 64, 0, 0);
    if guess >= beta && beta + margin < 64 {
        let bound = beta + margin;
        if search.value::<K>(node, bound - 1, bound, shallow, selectivity) >= bound
            && !search.end.stopped
        {
            return Some(beta);
        }
    } else if guess <= alpha && alpha - margin > -64 {
        let bound = alpha - margin;
        if search.value::<K>(node, bound, bound + 1, shallow, selectivity) <= bound
            && !search.end.stopped
        {
            return Some(alpha);
        }
    }
    None
}

/// Returns the depth of the search that may replace one of this depth.
pub(super) const fn shallow(depth: u32) -> u32 {
    2 * (depth / 4) + (depth & 1)
}
