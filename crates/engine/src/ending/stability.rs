//! Discs that can never be flipped: they bound the score.

use std::sync::OnceLock;

use super::squares::ROW_1;

const COLUMN_A: u64 = 0xff;
/// The squares that are not on an edge.
const INSIDE: u64 = 0x007e_7e7e_7e7e_7e00;

/// Returns the discs of `own` that are certainly stable: those on the edges that no play on the edge
/// can flip, and those inside that are held in all four directions.
#[inline(always)]
pub(super) fn stable(own: u64, other: u64) -> u64 {
    let edges = edges();
    let edge = |own: u64, other: u64| u64::from(edges[(own << 8 | other) as usize & 0xffff]);
    let mut stable = edge(own & COLUMN_A, other & COLUMN_A) | edge(own >> 56, other >> 56) << 56;
    stable |= spread(edge(gather(own), gather(other)));
    stable |= spread(edge(gather(own >> 7), gather(other >> 7))) << 7;

    let discs = own | other;
    let full = [
        full_columns(discs),
        full_rows(discs),
        full_diagonals::<7>(discs),
        full_diagonals::<9>(discs),
    ];
    let inside = own & INSIDE;
    stable |= full[0] & full[1] & full[2] & full[3] & inside;
    if stable == 0 {
        return 0;
    }
    loop {
        let held = (stable << 1 | stable >> 1 | full[0])
            & (stable << 8 | stable >> 8 | full[1])
            & (stable << 7 | stable >> 7 | full[2])
            & (stable << 9 | stable >> 9 | full[3]);
        let more = held & inside & !stable;
        if more == 0 {
            return stable;
        }
        stable |= more;
    }
}

/// Returns the squares of row 1 as a byte.
#[inline(always)]
pub(super) const fn gather(squares: u64) -> u64 {
    (squares & ROW_1).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Returns the squares of row 1 from a byte.
#[inline(always)]
const fn spread(byte: u64) -> u64 {
    ((byte & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & ROW_1) | (byte & 0x80) << 49
}

/// Returns the squares of the columns without an empty square.
#[inline(always)]
const fn full_columns(discs: u64) -> u64 {
    let mut full = discs & (discs >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
    full &= full >> 2;
    full &= full >> 1;
    (full & ROW_1).wrapping_mul(0xff)
}

/// Returns the squares of the rows without an empty square.
#[inline(always)]
const fn full_rows(discs: u64) -> u64 {
    let mut full = discs & discs.rotate_right(8);
    full &= full.rotate_right(16);
    full & full.rotate_right(32)
}

/// Returns the inner squares of the diagonals without an empty square, and some on the edges.
#[inline(always)]
const fn full_diagonals<const STEP: u32>(discs: u64) -> u64 {
    let mut full = discs;
    let mut reach = 0;
    while reach < 6 {
        full &= (full >> STEP & full << STEP) | !INSIDE;
        reach += 1;
    }
    full
}

/// Returns for the own and the other discs of an edge (a byte each) the stable own discs.
fn edges() -> &'static [u8; 1 << 16] {
    static EDGES: OnceLock<Box<[u8; 1 << 16]>> = OnceLock::new();
    EDGES.get_or_init(|| {
        let mut edges = vec![0; 1 << 16].into_boxed_slice();
        // Fuller edges first, since the others become these.
        for empties in 0..=8 {
            for own in 0..=u8::MAX {
                let free = !own;
                // All subsets of the squares without an own disc.
                let mut other = free;
                loop {
                    if (own | other).count_zeros() == empties {
                        edges[usize::from(own) << 8 | usize::from(other)] =
                            stable_edge(own, other, &edges);
                    }
                    if other == 0 {
                        break;
                    }
                    other = (other - 1) & free;
                }
            }
        }
        edges.try_into().unwrap_or_else(|_| Box::new([0; 1 << 16]))
    })
}

/// Returns the own discs of an edge that stay when either player takes any of its empty squares.
fn stable_edge(own: u8, other: u8, edges: &[u8]) -> u8 {
    let mut stable = own;
    for square in (0..8).filter(|square| (own | other) >> square & 1 == 0) {
        let taken = edge_after(own, other, square);
        stable &= edges[usize::from(taken.0) << 8 | usize::from(taken.1)];
        let taken = edge_after(other, own, square);
        stable &= edges[usize::from(taken.1) << 8 | usize::from(taken.0)];
    }
    stable
}

/// Returns an edge after the first player took a square of it, whether or not that flips discs.
fn edge_after(own: u8, other: u8, square: u32) -> (u8, u8) {
    let mut flipped = 0;
    for step in [1, -1] {
        let (mut at, mut line) = (square.cast_signed() + step, 0);
        while (0..8).contains(&at) && other >> at & 1 == 1 {
            line |= 1 << at;
            at += step;
        }
        if (0..8).contains(&at) && own >> at & 1 == 1 {
            flipped |= line;
        }
    }
    (own | flipped | 1 << square, other & !flipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_and_the_discs_they_protect_are_stable() {
        assert_eq!(stable(1, 0), 1);
        assert_eq!(stable(0b11, 0b100), 0b11);
        assert_eq!(stable(0b10, 0), 0, "the corner may still go to the other player");
        assert_eq!(stable(!0, 0), !0);
        assert_eq!(stable(0x0101, 0), 0x0101, "row 1");
        assert_eq!(stable(1 << 63 | 1 << 55, 0), 1 << 63 | 1 << 55);
        // The discs on both edges protect the X square.
        assert_eq!(stable(0x0101_0307, 0) & 1 << 9, 1 << 9);
    }
}
