//! The search of the last empty squares, to the end of the game.

use arrayvec::ArrayVec;

use crate::game::kernel::Kernel;

use super::last::{lowest, odd_quarters};
use super::search::{CORNERS, Search};
use super::stability::at_most;
use super::table::{NO_MOVE, hash};

/// From this many empty squares on, positions are looked up in the table and moves are sorted.
const SORTED: u32 = 7;
/// From this many empty squares on, the replies are looked up in the table before any is searched.
const LOOK_AHEAD: u32 = 9;

impl Search<'_> {
    /// Returns whether the player to move wins by more than `alpha` discs: a value above `alpha`
    /// that is a lower bound, or one that is an upper bound. The search goes to the end.
    pub(super) fn ending<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32) -> i32 {
        let empties = (!(own | other)).count_ones();
        match empties {
            0 => own.count_ones().cast_signed() - other.count_ones().cast_signed(),
            1..=4 => self.last::<K>(own, other, alpha),
            5..SORTED => self.by_parity::<K>(own, other, alpha, empties, K::placements(own, other)),
            _ => self.sorted::<K>(own, other, alpha, empties, K::placements(own, other)),
        }
    }

    /// Returns the value for a player of a game that ended with empty squares.
    pub(super) fn over(&self, own: u64, other: u64) -> i32 {
        let margin = own.count_ones().cast_signed() - other.count_ones().cast_signed();
        let empties = (!(own | other)).count_ones().cast_signed();
        if self.winner_takes_empties { margin + margin.signum() * empties } else { margin }
    }

    /// Searches positions with seven or more empty squares: with the table, and with the moves in
    /// the order of the replies that they leave.
    fn sorted<K: Kernel>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        empties: u32,
        mut moves: u64,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                if self.count_node() {
                    return alpha;
                }
                let most = at_most(own, other, alpha);
                if most <= alpha {
                    return most;
                }
                if moves == 0 {
                    let replies = K::placements(other, own);
                    if replies == 0 {
                        return self.over(own, other);
                    }
                    return -self.sorted::<K>(other, own, -alpha - 1, empties, replies);
                }
                let key = hash(own, other);
                let mut first = NO_MOVE;
                if let Some(entry) = self.near(empties).get(key) {
                    if u32::from(entry.depth) >= empties && entry.selectivity == 0 {
                        if i32::from(entry.lower) > alpha {
                            return entry.lower.into();
                        }
                        if i32::from(entry.upper) <= alpha {
                            return entry.upper.into();
                        }
                    }
                    first = entry.moves[0];
                }

                let mut list = ArrayVec::<Candidate, 34>::new();
                let odd = odd_quarters(!(own | other));
                while moves != 0 {
                    let square = lowest(moves);
                    let bit = 1_u64 << square;
                    moves &= moves - 1;
                    let flipped = K::flips(own, other, square);
                    let (mine, theirs) = (own ^ flipped ^ bit, other ^ flipped);
                    if theirs == 0 {
                        let value = self.over(mine, theirs);
                        if value > alpha {
                            return value;
                        }
                    }
                    let replies = K::placements(theirs, mine);
                    if empties >= LOOK_AHEAD
                        && let Some(entry) = self.near(empties - 1).get(hash(theirs, mine))
                        && u32::from(entry.depth) >= empties - 1
                        && entry.selectivity == 0
                        && -i32::from(entry.upper) > alpha
                    {
                        return -i32::from(entry.upper);
                    }
                    let mut order = (replies.count_ones() + (replies & CORNERS).count_ones())
                        .cast_signed()
                        * -8;
                    order += 4 * i32::from(odd & bit != 0);
                    order += 6 * i32::from(bit & CORNERS != 0);
                    if square == usize::from(first) {
                        order = i32::MAX;
                    }
                    list.push(Candidate { square: square as u8, order, flipped, replies });
                }

                let mut best = -65;
                let mut best_move = NO_MOVE;
                for at in 0..list.len() {
                    let mut next = at;
                    for later in at + 1..list.len() {
                        if list[later].order > list[next].order {
                            next = later;
                        }
                    }
                    list.swap(at, next);
                    let Candidate { square, flipped, replies, .. } = list[at];
                    let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                    let value = if empties > SORTED {
                        -self.sorted::<K>(theirs, mine, -alpha - 1, empties - 1, replies)
                    } else {
                        -self.by_parity::<K>(theirs, mine, -alpha - 1, empties - 1, replies)
                    };
                    if value > best {
                        (best, best_move) = (value, square);
                        if value > alpha {
                            break;
                        }
                    }
                }
                if !self.stopped {
                    self.near(empties).put(
                        key,
                        (empties as u8, 0),
                        (alpha, alpha + 1),
                        best,
                        best_move,
                    );
                }
                best
            },
        )
    }

    /// Searches positions with five or six empty squares: first the moves in quarters with an odd
    /// number of them.
    fn by_parity<K: Kernel>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        empties: u32,
        moves: u64,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                self.nodes += 1;
                let most = at_most(own, other, alpha);
                if most <= alpha {
                    return most;
                }
                if moves == 0 {
                    let replies = K::placements(other, own);
                    if replies == 0 {
                        return self.over(own, other);
                    }
                    return -self.by_parity::<K>(other, own, -alpha - 1, empties, replies);
                }
                let odd = odd_quarters(!(own | other));
                let mut best = -65;
                for part in [moves & odd, moves & !odd] {
                    let mut part = part;
                    while part != 0 {
                        let square = lowest(part);
                        part &= part - 1;
                        let flipped = K::flips(own, other, square);
                        let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                        let value = if empties > 5 {
                            let replies = K::placements(theirs, mine);
                            -self.by_parity::<K>(theirs, mine, -alpha - 1, empties - 1, replies)
                        } else {
                            -self.last_four::<K>(theirs, mine, -alpha - 1)
                        };
                        if value > alpha {
                            return value;
                        }
                        best = best.max(value);
                    }
                }
                best
            },
        )
    }
}

/// A move with what the search needs to know of it.
#[derive(Clone, Copy)]
struct Candidate {
    square: u8,
    order: i32,
    flipped: u64,
    replies: u64,
}
