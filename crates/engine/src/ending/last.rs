//! The last four empty squares, where every instruction counts.

use outflank_rules::kernel::Kernel;

use super::parity::{lowest, odd_quarters, quarter_around, quarter_of};
use super::scoring::Scoring;
use super::search::Ending;

/// The squares beside each square.
static NEIGHBORS: [u64; 64] = neighbors();

const fn neighbors() -> [u64; 64] {
    let mut neighbors = [0; 64];
    let mut square = 0_usize;
    while square < 64 {
        let mut other = 0_usize;
        while other < 64 {
            let columns = (other / 8).abs_diff(square / 8);
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

impl Ending<'_> {
    /// Searches a position with one to four empty squares.
    pub(super) fn last<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32) -> i32 {
        K::run(
            #[inline(always)]
            || {
                let mut empty = self.empty(own, other);
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
                    2 => self.last_two::<K>(own, other, alpha, [squares[0], squares[1]]),
                    _ => self.last_three::<K>(own, other, alpha, squares),
                }
            },
        )
    }

    #[inline(always)]
    pub(super) fn last_four<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32) -> i32 {
        self.nodes += 1;
        let empty = self.empty(own, other);
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
                if (empty & quarter_around(squares[at])).count_ones() == 1 {
                    squares.swap(0, at);
                    break;
                }
            }
        }
        let [a, b, c, d] = squares;
        let moves = [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])];
        self.best_last::<K, _, _>(own, other, alpha, moves, Self::last_three::<K>)
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
        if quarter_of(a) == quarter_of(b) {
            (a, c) = (c, a);
        } else if quarter_of(a) == quarter_of(c) {
            (a, b) = (b, a);
        }
        let moves = [(a, [b, c]), (b, [a, c]), (c, [a, b])];
        self.best_last::<K, _, _>(own, other, alpha, moves, Self::last_two::<K>)
    }

    #[inline(always)]
    fn last_two<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32, [a, b]: [usize; 2]) -> i32 {
        self.nodes += 1;
        let last_one = |ending: &mut Self, own, _, _, square| ending.last_one::<K>(own, square);
        self.best_last::<K, _, _>(own, other, alpha, [(a, b), (b, a)], last_one)
    }

    /// Returns the value of a position by the moves to these squares, each with the squares that are
    /// empty after it: the moves of the player to move, or, without any, those of the other player.
    /// `value` returns the value after a move, for the player who is to move then.
    #[inline(always)]
    fn best_last<K: Kernel, R: Copy, const N: usize>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        moves: [(usize, R); N],
        value: impl Fn(&mut Self, u64, u64, i32, R) -> i32,
    ) -> i32 {
        let mut best = -65;
        for (own, other, sign, alpha) in [(own, other, 1, alpha), (other, own, -1, -alpha - 1)] {
            for (square, rest) in moves {
                if NEIGHBORS[square] & other == 0 {
                    continue;
                }
                let flipped = K::flips(own, other, square);
                if flipped == 0 {
                    continue;
                }
                let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                let value = -value(self, theirs, mine, -alpha - 1, rest);
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
        let other = self.empty(own, 1 << square);
        let mut margin = own.count_ones().cast_signed() - other.count_ones().cast_signed();
        let flipped = K::flips(own, other, square).count_ones().cast_signed();
        if flipped != 0 {
            margin += 2 * flipped + 1;
        } else {
            let flipped = K::flips(other, own, square).count_ones().cast_signed();
            if flipped == 0 {
                return self.over(own, other);
            }
            margin -= 2 * flipped + 1;
        }
        if self.scoring == Scoring::FewerDiscs { -margin } else { margin }
    }
}
