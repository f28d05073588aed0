pub(super) const ROW_1: u64 = 0x0101_0101_0101_0101;
/// The four quarters of the board. A player who moves first in a quarter with an odd number of
/// empty squares usually has its last move too.
pub(crate) const QUARTERS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// Returns the number of a square's quarter.
#[inline(always)]
pub(super) const fn quarter_of(square: usize) -> usize {
    (square / 32) * 2 + square % 8 / 4
}

/// Returns the squares of a square's quarter.
#[inline(always)]
pub(super) const fn quarter_around(square: usize) -> u64 {
    QUARTERS[quarter_of(square)]
}

/// Returns the empty squares in quarters with an odd number of them.
#[inline(always)]
pub(crate) fn odd_quarters(empty: u64) -> u64 {
    let mut odd = 0;
    for quarter in QUARTERS {
        let inside = empty & quarter;
        if inside.count_ones() & 1 == 1 {
            odd |= inside;
        }
    }
    odd
}

/// Returns the lowest square of a set that is not empty.
#[inline(always)]
pub(super) const fn lowest(squares: u64) -> usize {
    squares.trailing_zeros() as usize & 63
}

/// Returns the squares around a square, and the square itself.
#[inline(always)]
pub(super) const fn neighbours(square: usize) -> u64 {
    const ROW_8: u64 = ROW_1 << 7;
    let square = 1 << (square & 63);
    let column = square | square << 1 & !ROW_1 | square >> 1 & !ROW_8;
    column | column << 8 | column >> 8
}
