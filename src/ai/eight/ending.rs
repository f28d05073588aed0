//! The search of the last empty squares, to the end of the game.

use arrayvec::ArrayVec;

use crate::game::kernel::Kernel;

use super::search::Search;
use super::stability::stable;
use super::table::{NO_MOVE, hash};

/// From this many empty squares on, positions are looked up in the table and moves are sorted.
const SORTED: u32 = 7;
/// From this many empty squares on, the replies are looked up in the table before any is searched.
const LOOK_AHEAD: u32 = 9;

/// The four quarters of the board. A player who moves first in a quarter with an odd number of
/// empty squares usually has its last move too.
const QUARTERS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// Returns the empty squares in quarters with an odd number of them.
#[inline(always)]
pub(super) fn odd_quarters(empty: u64) -> u64 {
    let mut odd = 0;
    for quarter in QUARTERS {
        let inside = empty & quarter;
        if inside.count_ones() & 1 == 1 {
            odd |= inside;
        }
    }
    odd
}

/// The squares beside each square.
static NEIGHBORS: [u64; 64] = neighbors();

const fn neighbors() -> [u64; 64] {
    let mut neighbors = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut other = 0;
        while other < 64 {
            let columns = (other / 8 as usize).abs_diff(square / 8);
            let rows = (other % 8).abs_diff(square % 8);
            if columns <= 1 && rows <= 1 && other != square {
                neighbors[square] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    neighbors
}

const CORNERS: u64 = 0x8100_0000_0000_0081;

#[inline(always)]
fn lowest(squares: u64) -> usize {
    squares.trailing_zeros() as usize & 63
}

/// Returns from which bound on a look at the stable discs may end the search.
#[inline(always)]
pub(super) const fn stability_pays(alpha: i32, empties: u32) -> bool {
    alpha >= 2 * empties.cast_signed()
}

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

    /// Searches positions with eight or more empty squares: with the table, and with the moves in
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
                self.nodes += 1;
                if self.nodes & 0xfff == 0 && self.must_stop() {
                    return alpha;
                }
                if stability_pays(alpha, empties) {
                    let most = 64 - 2 * stable(other, own).count_ones().cast_signed();
                    if most <= alpha {
                        return most;
                    }
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
                        return 64;
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

    /// Searches positions with five to seven empty squares: first the moves in quarters with an odd
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
                if stability_pays(alpha, empties) {
                    let most = 64 - 2 * stable(other, own).count_ones().cast_signed();
                    if most <= alpha {
                        return most;
                    }
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

    /// Searches a position with one to four empty squares.
    fn last<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32) -> i32 {
        K::run(
            #[inline(always)]
            || {
                let mut empty = !(own | other);
                let count = empty.count_ones();
                let mut squares = [0; 3];
                if count == 4 {
                    return self.last_four::<K>(own, other, alpha);
                }
                for square in squares.iter_mut().take(count as usize) {
                    *square = lowest(empty);
                    empty &= empty - 1;
                }
                match count {
                    1 => self.last_one::<K>(own, squares[0]),
                    2 => self.last_two::<K>(own, other, alpha, squares[0], squares[1]),
                    _ => self.last_three::<K>(own, other, alpha, squares),
                }
            },
        )
    }

    #[inline(always)]
    fn last_four<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32) -> i32 {
        self.nodes += 1;
        let empty = !(own | other);
        let odd = odd_quarters(empty);
        // Of a quarter with three and one with one empty square, the single square comes first.
        let mut squares = [0; 4];
        let mut count = 0;
        for part in [odd, empty & !odd] {
            let mut part = part;
            while part != 0 {
                squares[count & 3] = lowest(part);
                count += 1;
                part &= part - 1;
            }
        }
        if odd == empty {
            for at in 1..4 {
                let quarter = QUARTERS[(squares[at] / 32) * 2 + squares[at] % 8 / 4];
                if (empty & quarter).count_ones() == 1 {
                    squares.swap(0, at);
                    break;
                }
            }
        }
        let mut best = -65;
        for (own, other, sign, alpha) in [(own, other, 1, alpha), (other, own, -1, -alpha - 1)] {
            for at in 0..4 {
                let square = squares[at];
                if NEIGHBORS[square] & other == 0 {
                    continue;
                }
                let flipped = K::flips(own, other, square);
                if flipped == 0 {
                    continue;
                }
                let rest = match at {
                    0 => [squares[1], squares[2], squares[3]],
                    1 => [squares[0], squares[2], squares[3]],
                    2 => [squares[0], squares[1], squares[3]],
                    _ => [squares[0], squares[1], squares[2]],
                };
                let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                let value = -self.last_three::<K>(theirs, mine, -alpha - 1, rest);
                if value > alpha {
                    return sign * value;
                }
                best = best.max(value);
            }
            if best > -65 {
                return sign * best;
            }
        }
        self.over(own, other)
    }

    #[inline(always)]
    fn last_three<K: Kernel>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        [mut a, mut b, mut c]: [usize; 3],
    ) -> i32 {
        self.nodes += 1;
        // A square alone in its quarter comes first.
        let quarter = |square: usize| (square / 32) * 2 + square % 8 / 4;
        if quarter(a) == quarter(b) {
            (a, c) = (c, a);
        } else if quarter(a) == quarter(c) {
            (a, b) = (b, a);
        }
        let mut best = -65;
        for (own, other, sign, alpha) in [(own, other, 1, alpha), (other, own, -1, -alpha - 1)] {
            for (square, first, second) in [(a, b, c), (b, a, c), (c, a, b)] {
                if NEIGHBORS[square] & other == 0 {
                    continue;
                }
                let flipped = K::flips(own, other, square);
                if flipped == 0 {
                    continue;
                }
                let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                let value = -self.last_two::<K>(theirs, mine, -alpha - 1, first, second);
                if value > alpha {
                    return sign * value;
                }
                best = best.max(value);
            }
            if best > -65 {
                return sign * best;
            }
        }
        self.over(own, other)
    }

    #[inline(always)]
    fn last_two<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32, a: usize, b: usize) -> i32 {
        self.nodes += 1;
        let mut best = -65;
        for (own, other, sign, alpha) in [(own, other, 1, alpha), (other, own, -1, -alpha - 1)] {
            for (square, rest) in [(a, b), (b, a)] {
                if NEIGHBORS[square] & other == 0 {
                    continue;
                }
                let flipped = K::flips(own, other, square);
                if flipped == 0 {
                    continue;
                }
                let value = -self.last_one::<K>(other ^ flipped, rest);
                if value > alpha {
                    return sign * value;
                }
                best = best.max(value);
            }
            if best > -65 {
                return sign * best;
            }
        }
        self.over(own, other)
    }

    /// Returns the value of a position with one empty square.
    #[inline(always)]
    fn last_one<K: Kernel>(&mut self, own: u64, square: usize) -> i32 {
        self.nodes += 1;
        let other = !(own | 1 << square);
        let margin = 2 * own.count_ones().cast_signed() - 63;
        let flipped = K::flips(own, other, square).count_ones().cast_signed();
        if flipped != 0 {
            return margin + 2 * flipped + 1;
        }
        let flipped = K::flips(other, own, square).count_ones().cast_signed();
        if flipped != 0 {
            return margin - 2 * flipped - 1;
        }
        self.over(own, other)
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
