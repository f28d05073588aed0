use std::ops::{BitAnd, BitOr, BitXor, Not};

use crate::hash::mix;

/// A set of cells by number: a word of some fixed width.
pub(super) trait Bits:
    Copy
    + Eq
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The empty set.
    const NONE: Self;
    /// How many cells the word has room for.
    const CAPACITY: usize;

    /// Returns the set of one cell.
    fn bit(index: u32) -> Self;

    /// Adds a cell.
    fn insert(&mut self, index: u32) {
        *self = *self | Self::bit(index);
    }

    /// Moves every cell up by `count`, which is less than the capacity.
    fn up(self, count: u32) -> Self;

    /// Moves every cell down by `count`, which is less than the capacity.
    fn down(self, count: u32) -> Self;

    /// Returns the number of cells.
    fn count(self) -> u32;

    /// Returns the lowest cell of a set that is not empty.
    fn lowest(self) -> u32;

    /// Returns a hash.
    fn hash(self, seed: u64) -> u64;

    /// Returns whether the set has no cell.
    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Iterates over the cells from the lowest.
    fn cells(mut self) -> impl Iterator<Item = u16> {
        std::iter::from_fn(move || {
            let index = (!self.is_empty()).then(|| self.lowest())?;
            self = self ^ Self::bit(index);
            u16::try_from(index).ok()
        })
    }
}

macro_rules! word {
    ($word:ty) => {
        impl Bits for $word {
            const NONE: Self = 0;
            const CAPACITY: usize = Self::BITS as usize;

            #[inline]
            fn bit(index: u32) -> Self {
                1 << (index % Self::BITS)
            }

            #[inline]
            fn up(self, count: u32) -> Self {
                self << (count % Self::BITS)
            }

            #[inline]
            fn down(self, count: u32) -> Self {
                self >> (count % Self::BITS)
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline]
            fn hash(self, seed: u64) -> u64 {
                let low = mix(seed, self as u64);
                if Self::BITS > 64 { mix(low, (self as u128 >> 64) as u64) } else { low }
            }
        }
    };
}

word!(u64);
word!(u128);

/// A set of up to `64 · N` cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    #[inline]
    fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| with(self.0[i], other.0[i])))
    }
}

impl<const N: usize> BitAnd for Wide<N> {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<const N: usize> BitOr for Wide<N> {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<const N: usize> BitXor for Wide<N> {
    type Output = Self;

    #[inline]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl<const N: usize> Not for Wide<N> {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl<const N: usize> Bits for Wide<N> {
    const NONE: Self = Self([0; N]);
    const CAPACITY: usize = 64 * N;

    fn bit(index: u32) -> Self {
        let mut set = Self::NONE;
        set.insert(index);
        set
    }

    #[inline]
    fn insert(&mut self, index: u32) {
        if let Some(word) = self.0.get_mut(index as usize / 64) {
            *word |= 1 << (index % 64);
        }
    }

    #[inline]
    fn up(self, count: u32) -> Self {
        let (words, bits) = (count as usize / 64, count % 64);
        let mut from = self.0;
        if words > 0 {
            from = [0; N];
            from[words..].copy_from_slice(&self.0[..N - words]);
        }
        let mut moved = [0; N];
        moved[0] = from[0] << bits;
        for i in 1..N {
            // Shifted in two steps, since one of 64 bits is not possible.
            moved[i] = (from[i] << bits) | ((from[i - 1] >> 1) >> (63 - bits));
        }
        Self(moved)
    }

    #[inline]
    fn down(self, count: u32) -> Self {
        let (words, bits) = (count as usize / 64, count % 64);
        let mut from = self.0;
        if words > 0 {
            from = [0; N];
            from[..N - words].copy_from_slice(&self.0[words..]);
        }
        let mut moved = [0; N];
        moved[N - 1] = from[N - 1] >> bits;
        for i in 0..N - 1 {
            moved[i] = (from[i] >> bits) | ((from[i + 1] << 1) << (63 - bits));
        }
        Self(moved)
    }

    #[inline]
    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    fn lowest(self) -> u32 {
        let found = (0..).zip(self.0).find(|&(_, word)| word != 0);
        found.map_or(0, |(i, word)| 64 * i + word.trailing_zeros())
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline]
    fn hash(self, seed: u64) -> u64 {
        self.0.iter().fold(seed, |hash, &word| mix(hash, word))
    }
}
