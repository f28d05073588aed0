//! The inner operations of the 8×8 board, in a form for every processor and in two for processors
//! with wider instructions.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use portable::{Kernel, Portable, Task};

/// Calls a function with the fastest kernel that this processor has.
pub fn fastest<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = avx512::Avx512::detect() {
        return kernel.start(task);
    } else if let Some(kernel) = avx2::Avx2::detect() {
        return kernel.start(task);
    }
    task.run::<Portable>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns flips by walking square by square.
    fn slow_flips(own: u64, other: u64, square: usize) -> u64 {
        let (column, row) = ((square / 8).cast_signed(), (square % 8).cast_signed());
        let mut flipped = 0;
        for step in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let (mut at, mut line) = ((column + step.0, row + step.1), 0);
            while (0..8).contains(&at.0) && (0..8).contains(&at.1) {
                let bit = 1_u64 << (8 * at.0 + at.1);
                if own & bit != 0 {
                    flipped |= line;
                }
                if other & bit == 0 {
                    break;
                }
                line |= bit;
                at = (at.0 + step.0, at.1 + step.1);
            }
        }
        flipped
    }

    #[derive(Clone, Copy)]
    struct Check(u64, u64);

    impl Task for Check {
        type Output = ();

        fn run<K: Kernel>(self) {
            let mut placements = 0;
            for square in (0..64).filter(|square| (self.0 | self.1) & (1 << square) == 0) {
                let expected = slow_flips(self.0, self.1, square);
                assert_eq!(K::flips(self.0, self.1, square), expected, "{square} {:x?}", self.0);
                placements |= u64::from(expected != 0) << square;
            }
            assert_eq!(K::placements(self.0, self.1), placements);
        }
    }

    #[test]
    fn every_kernel_gives_the_results_of_a_walk_over_the_squares() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for sparse in [false, true] {
            for _ in 0..3000 {
                let taken = if sparse { next() & next() } else { next() | next() };
                let own = taken & next();
                let check = Check(own, taken & !own);
                check.run::<Portable>();
                #[cfg(target_arch = "x86_64")]
                {
                    avx2::Avx2::detect().inspect(|kernel| kernel.start(check));
                    avx512::Avx512::detect().inspect(|kernel| kernel.start(check));
                }
            }
        }
    }
}
