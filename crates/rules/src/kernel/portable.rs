//! What a kernel is, and the one for every processor.

/// One way to compute on the two words of an 8×8 board. Every kernel gives the same results.
pub trait Kernel: Copy + 'static {
    /// Returns the discs of `other` that a disc of `own` on an empty square flips.
    fn flips(own: u64, other: u64, square: usize) -> u64;

    /// Returns the squares on which a disc of `own` flips at least one disc of `other`.
    fn placements(own: u64, other: u64) -> u64;

    /// Brings a value closer to the processor, which will soon be read.
    fn prefetch<T>(value: &T);

    /// Calls a function compiled for the processors that this kernel is for. Every recursive
    /// function of a search runs inside of such a call, so that what it calls can be inlined.
    fn run<R>(body: impl FnOnce() -> R) -> R;
}

/// The kernel for every processor.
#[derive(Clone, Copy)]
pub struct Portable;

/// A function over kernels, since a closure cannot be generic.
pub trait Task {
    /// What the function returns.
    type Output;

    /// Calls the function with this kernel.
    fn run<K: Kernel>(self) -> Self::Output;
}

/// Rows 2–7: the squares that a ray may cross if its steps change the row.
const INNER_ROWS: u64 = 0x7e7e_7e7e_7e7e_7e7e;
/// The steps along the four axes, and the squares that a ray may cross without wrapping around the
/// edge of the board.
pub(super) const STEPS: [u32; 4] = [1, 7, 8, 9];
pub(super) const INNER: [u64; 4] = [INNER_ROWS, INNER_ROWS, !0, INNER_ROWS];

/// The squares of the rays from a square: towards higher bits in the first four, towards lower
/// bits in the last four, in the order of [`STEPS`].
#[repr(C, align(64))]
pub(super) struct Rays {
    pub(super) up: [u64; 4],
    pub(super) down: [u64; 4],
}

/// The rays from every square.
pub(super) static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    const NONE: Rays = Rays { up: [0; 4], down: [0; 4] };
    let mut rays = [NONE; 64];
    let mut square = 0;
    while square < 64 {
        let mut axis = 0;
        while axis < 4 {
            let (step, start) = (STEPS[axis], 1_u64 << square);
            // A step of 1 or 9 upwards must not begin in row 8, one of 7 not in row 1.
            let (top, bottom) = (0x8080_8080_8080_8080, 0x0101_0101_0101_0101);
            let (up_end, down_end) = match axis {
                0 | 3 => (top, bottom),
                1 => (bottom, top),
                _ => (0, 0),
            };
            let mut bit = start;
            while bit & up_end == 0 && bit << step != 0 {
                bit <<= step;
                rays[square].up[axis] |= bit;
            }
            bit = start;
            while bit & down_end == 0 && bit >> step != 0 {
                bit >>= step;
                rays[square].down[axis] |= bit;
            }
            axis += 1;
        }
        square += 1;
    }
    rays
}

impl Kernel for Portable {
    #[inline(always)]
    fn flips(own: u64, other: u64, square: usize) -> u64 {
        let rays = &RAYS[square & 63];
        let mut flipped = 0;
        for &ray in &rays.up {
            // The first square on the ray that has no disc of `other`.
            let ends = ray & !other;
            let outflank = ends & ends.wrapping_neg() & own;
            flipped |= outflank.wrapping_sub(u64::from(outflank != 0)) & ray;
        }
        for &ray in &rays.down {
            let ends = ray & !other;
            let outflank = (1 << 63 >> (ends | 1).leading_zeros()) & ends & own;
            flipped |= (outflank << 1).wrapping_neg() & ray;
        }
        flipped
    }

    #[inline(always)]
    fn placements(own: u64, other: u64) -> u64 {
        let mut reached = 0;
        for (step, inner) in STEPS.into_iter().zip(INNER) {
            let crossed = other & inner;
            // The reach doubles: 1, 2, 4, 6.
            let mut up = crossed & (own << step);
            let mut down = crossed & (own >> step);
            up |= crossed & (up << step);
            down |= crossed & (down >> step);
            let pairs_up = crossed & (crossed << step);
            let pairs_down = crossed & (crossed >> step);
            up |= pairs_up & (up << (2 * step));
            down |= pairs_down & (down >> (2 * step));
            up |= pairs_up & (up << (2 * step));
            down |= pairs_down & (down >> (2 * step));
            reached |= (up << step) | (down >> step);
        }
        reached & !(own | other)
    }

    #[inline(always)]
    fn prefetch<T>(_: &T) {}

    #[inline(always)]
    fn run<R>(body: impl FnOnce() -> R) -> R {
        body()
    }
}
