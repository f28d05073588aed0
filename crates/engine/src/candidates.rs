use std::hint::select_unpredictable;

/// Moves the candidate with the greatest order to this place, from there or from a later one, and returns it.
/// Most positions are left after a few moves, so sorting all candidates would take longer.
#[inline(always)]
pub(crate) fn bring_best<C>(candidates: &mut [C], at: usize, order: impl Fn(&C) -> i32) -> &C {
    let (mut best, mut greatest) = (at, order(&candidates[at]));
    for (later, candidate) in candidates.iter().enumerate().skip(at + 1) {
        let order = order(candidate);
        // A branch here would often be predicted wrong.
        best = select_unpredictable(order > greatest, later, best);
        greatest = greatest.max(order);
    }
    candidates.swap(at, best);
    &candidates[at]
}
