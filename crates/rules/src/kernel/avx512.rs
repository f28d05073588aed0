//! The kernel for x86-64 processors with AVX-512, as far as its instructions do more on 256 bits than those
//! of AVX2: they count leading zeros, and combine three words at once.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2::{Avx2, load, placements, union};
use super::portable::{Kernel, RAYS, Task};

/// The kernel. As with [`Avx2`], nothing but [`Avx512::start`] calls a function with it.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Returns the kernel if this processor has its instructions.
    pub(super) fn detect() -> Option<Self> {
        let has_all = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        has_all.then_some(Self(()))
    }

    /// Calls a function with this kernel.
    pub(super) fn start<T: Task>(self, task: T) -> T::Output {
        Self::run(|| task.run::<Self>())
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512cd")]
fn with_instructions<R>(body: impl FnOnce() -> R) -> R {
    body()
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn flips(own: u64, other: u64, square: usize) -> u64 {
        // SAFETY: an `Avx512` exists only on processors with these instructions.
        unsafe { flips(own, other, square) }
    }

    #[inline(always)]
    fn placements(own: u64, other: u64) -> u64 {
        // SAFETY: an `Avx512` exists only on processors with these instructions.
        unsafe { placements(own, other) }
    }

    #[inline(always)]
    fn prefetch<T>(value: &T) {
        Avx2::prefetch(value);
    }

    #[inline(always)]
    fn run<R>(body: impl FnOnce() -> R) -> R {
        // SAFETY: an `Avx512` exists only on processors with these instructions.
        unsafe { with_instructions(body) }
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512cd")]
fn flips(own: u64, other: u64, square: usize) -> u64 {
    let rays = &RAYS[square & 63];
    let (up, down) = (load(&rays.up), load(&rays.down));
    let own = _mm256_set1_epi64x(own.cast_signed());
    let other = _mm256_set1_epi64x(other.cast_signed());
    let zero = _mm256_setzero_si256();

    // Upwards, the first square without a disc of `other` is the lowest bit.
    let ends = _mm256_andnot_si256(other, up);
    let first = _mm256_and_si256(ends, _mm256_sub_epi64(zero, ends));
    let outflanks = _mm256_test_epi64_mask(first, own);
    let below = _mm256_add_epi64(first, _mm256_set1_epi64x(-1));
    let flipped_up = _mm256_maskz_and_epi64(outflanks, below, up);

    // Downwards, it is the highest bit. A shift by 64 leaves nothing.
    let ends = _mm256_andnot_si256(other, down);
    let top = _mm256_set1_epi64x(i64::MIN);
    let first = _mm256_srlv_epi64(top, _mm256_lzcnt_epi64(ends));
    let outflank = _mm256_and_si256(first, own);
    let above = _mm256_sub_epi64(zero, _mm256_add_epi64(outflank, outflank));
    let flipped_down = _mm256_and_si256(above, down);

    union(_mm256_or_si256(flipped_up, flipped_down))
}
