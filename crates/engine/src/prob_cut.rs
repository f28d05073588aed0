//! What both searches need for ProbCut: a shallow search that is far outside of the window makes a deep one
//! unnecessary.

/// Returns the depth of the search that may replace one of this depth, in plies; `None` if none may.
pub const fn shallow_depth(depth: u32) -> Option<u32> {
    if depth < 4 { None } else { Some(2 * (depth / 4) + (depth & 1)) }
}
