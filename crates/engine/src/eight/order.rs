//! The order in which the moves of a position are searched.

use arrayvec::ArrayVec;

use crate::ending::{Squares, hash, odd_quarters};
use outflank_rules::kernel::Kernel;

use super::search::{Node, Search, Selectivity};

/// A move in the order of the search.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) square: u8,
    pub(super) order: i32,
    pub(super) flipped: u64,
    /// The hash of the position after the move.
    key: u64,
}

/// The moves of a position. No position has more than 33.
pub(super) type Candidates = ArrayVec<Candidate, 34>;

/// Takes the best of the candidates from this place on.
#[inline(always)]
pub(super) fn next_best(candidates: &mut Candidates, at: usize) -> Candidate {
    let mut best = at;
    for later in at + 1..candidates.len() {
        if candidates[later].order > candidates[best].order {
            best = later;
        }
    }
    candidates.swap(at, best);
    candidates[at]
}

impl Search<'_> {
    /// Fills in the moves with how promising they are. Returns a value of at least `beta` if a move
    /// leaves the other player without discs, or if the table proves one.
    #[inline(always)]
    pub(super) fn sort<K: Kernel>(
        &mut self,
        node: &Node,
        mut moves: u64,
        first: [u8; 2],
        (alpha, beta): (i32, i32),
        (depth, selectivity): (u8, Selectivity),
        candidates: &mut Candidates,
    ) -> Option<i32> {
        while moves != 0 {
            let square = moves.trailing_zeros() as usize & 63;
            moves &= moves - 1;
            let flipped = K::flips(node.own, node.other, square);
            if flipped == node.other {
                let value = self.end.over(node.own ^ flipped ^ (1 << square), 0);
                if value >= beta {
                    return Some(value);
                }
            }
            let key = hash(node.other ^ flipped, node.own ^ flipped ^ (1 << square));
            self.table.prefetch::<K>(key);
            candidates.push(Candidate { square: square as u8, order: 0, flipped, key });
        }
        for candidate in &*candidates {
            if let Some(entry) = self.table.get(candidate.key)
                && entry.is_enough((depth - 1, selectivity))
                && -i32::from(entry.upper) >= beta
            {
                return Some(-i32::from(entry.upper));
            }
        }
        let to_end = u32::from(depth) == node.empties();
        let odd = odd_quarters(!(node.own | node.other));
        let look = sort_depth(u32::from(depth), to_end);
        for candidate in candidates {
            candidate.order = if candidate.square == first[0] {
                i32::MAX
            } else if candidate.square == first[1] {
                i32::MAX - 1
            } else {
                let square = usize::from(candidate.square);
                let next = node.after(square, candidate.flipped);
                let replies = K::placements(next.own, next.other);
                let value = match look {
                    None => 0,
                    Some(0) => -self.evaluate::<K>(&next, replies),
                    Some(depth) => {
                        // What is far below the window needs no exact order.
                        -self.value::<K>(&next, -64, -(alpha - 12).max(-64), depth, 0)
                    }
                };
                let mobility = (replies.count_ones()
                    + (replies & Squares::EIGHT.corners).count_ones())
                .cast_signed();
                let parity = (odd >> square & 1) as i32;
                if to_end { 2 * value - 3 * mobility + parity } else { 4 * value - mobility }
            };
        }
        None
    }
}

/// Returns how deep a search may be that only sorts the moves of a search of this depth.
#[inline(always)]
const fn sort_depth(depth: u32, to_end: bool) -> Option<u32> {
    if to_end {
        match depth {
            0..=17 => Some(0),
            18..=21 => Some(1),
            22..=24 => Some(2),
            _ => Some(3),
        }
    } else {
        match depth {
            0..=9 => Some(0),
            10..=13 => Some(1),
            _ => Some(2),
        }
    }
}
