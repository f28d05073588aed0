//! The last four empty squares, where every instruction counts.

use outflank_rules::kernel::Kernel;

use super::scoring::{NO_VALUE, Scoring};
use super::search::Ending;
use super::squares::{lowest, odd_quarters, quarter_around, quarter_of};
use super::stability::gather;

/// The squares that are still empty, one to three, in the order of the search.
trait Rest: Copy {
    /// Returns the value of a position with these empty squares, as [`Ending::value`] does.
    fn value<K: Kernel>(self, ending: &mut Ending, own: u64, other: u64, alpha: i32) -> i32;
}

impl Rest for usize {
    #[inline(always)]
    fn value<K: Kernel>(self, ending: &mut Ending, own: u64, _other: u64, _alpha: i32) -> i32 {
        ending.nodes += 1;
        let other = ending.empty(own, 1 << self);
        let mut margin = own.count_ones().cast_signed() - other.count_ones().cast_signed();
        let flipped = flip_count(own, self);
        if flipped != 0 {
            margin += 2 * flipped + 1;
        } else {
            let flipped = flip_count(other, self);
            if flipped == 0 {
                return ending.over(own, other);
            }
            margin -= 2 * flipped + 1;
        }
        if ending.scoring == Scoring::FewerDiscs { -margin } else { margin }
    }
}

impl Rest for [usize; 2] {
    #[inline(always)]
    fn value<K: Kernel>(self, ending: &mut Ending, own: u64, other: u64, alpha: i32) -> i32 {
        ending.nodes += 1;
        let [a, b] = self;
        ending.best_last::<K, _, _>(own, other, alpha, &[(a, b), (b, a)])
    }
}

impl Rest for [usize; 3] {
    #[inline(always)]
    fn value<K: Kernel>(self, ending: &mut Ending, own: u64, other: u64, alpha: i32) -> i32 {
        ending.nodes += 1;
        let [mut a, mut b, mut c] = self;
        // A square alone in its quarter comes first.
        if quarter_of(a) == quarter_of(b) {
            (a, c) = (c, a);
        } else if quarter_of(a) == quarter_of(c) {
            (a, b) = (b, a);
        }
        let moves = [(a, [b, c]), (b, [a, c]), (c, [a, b])];
        ending.best_last::<K, _, _>(own, other, alpha, &moves)
    }
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
                let [a, b, _] = squares;
                match count {
                    1 => a.value::<K>(self, own, other, alpha),
                    2 => [a, b].value::<K>(self, own, other, alpha),
                    _ => squares.value::<K>(self, own, other, alpha),
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
        self.best_last::<K, _, _>(own, other, alpha, &moves)
    }

    /// Returns the value of a position by the moves to these squares, each with the squares that are
    /// empty after it: those of the player to move, or after a pass those of the other player.
    #[inline(always)]
    fn best_last<K: Kernel, R: Rest, const N: usize>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        moves: &[(usize, R); N],
    ) -> i32 {
        let best = self.best_of::<K, _, _>(own, other, alpha, moves);
        if best > NO_VALUE {
            return best;
        }
        let best = self.best_of::<K, _, _>(other, own, -alpha - 1, moves);
        if best > NO_VALUE {
            return -best;
        }
        self.over(own, other)
    }

    /// Returns the value of the best of the player's moves to these squares, as [`Self::best_last`] does;
    /// [`NO_VALUE`] without a legal one.
    #[inline(always)]
    fn best_of<K: Kernel, R: Rest, const N: usize>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        moves: &[(usize, R); N],
    ) -> i32 {
        let mut best = NO_VALUE;
        for &(square, rest) in moves {
            let flipped = K::flips(own, other, square);
            if flipped == 0 {
                continue;
            }
            let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
            let value = -rest.value::<K>(self, theirs, mine, -alpha - 1);
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
        best
    }
}

/// The squares of the two diagonals through each square.
static DIAGONALS: [[u64; 2]; 64] = diagonals();

const fn diagonals() -> [[u64; 2]; 64] {
    let mut diagonals = [[0; 2]; 64];
    let mut square = 0_usize;
    while square < 64 {
        let mut other = 0_usize;
        while other < 64 {
            let (column, row) = (square / 8, square % 8);
            if other / 8 + other % 8 == column + row {
                diagonals[square][0] |= 1 << other;
            }
            if other / 8 + row == column + other % 8 {
                diagonals[square][1] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    diagonals
}

/// How many discs a disc on each square of a line flips there, by the own discs on the line, if the other
/// squares have discs of the other player.
static LINE_FLIPS: [[u8; 256]; 8] = line_flips();

const fn line_flips() -> [[u8; 256]; 8] {
    let mut flips = [[0; 256]; 8];
    let mut square = 0;
    while square < 8 {
        let mut own = 0_usize;
        while own < 256 {
            // The own discs beyond the square, the nearest first, and those below it.
            let (above, below) = (own >> square >> 1, own & ((1 << square) - 1));
            if above != 0 {
                flips[square][own] += above.trailing_zeros() as u8;
            }
            if below != 0 {
                flips[square][own] += square as u8 - 1 - below.ilog2() as u8;
            }
            own += 1;
        }
        square += 1;
    }
    flips
}

/// Returns how many discs a disc of `own` on the only empty square flips.
#[inline(always)]
fn flip_count(own: u64, square: usize) -> i32 {
    let square = square & 63;
    let (column, row) = (square / 8, square % 8);
    let by_row = &LINE_FLIPS[row];
    let on_diagonal = |diagonal: u64| {
        // Each square of a diagonal is in a row of its own.
        let line = (own & diagonal).wrapping_mul(0x0101_0101_0101_0101) >> 56;
        i32::from(by_row[line as usize])
    };
    let [first, second] = DIAGONALS[square];
    on_diagonal(first)
        + on_diagonal(second)
        + i32::from(by_row[(own >> (square & 56)) as usize & 0xff])
        + i32::from(LINE_FLIPS[column][gather(own >> row) as usize])
}
