//! The kernel for x86-64 processors with AVX2 and the instructions that came with it (2013 and
//! later).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::portable::{INNER, Kernel, RAYS, STEPS, Task};
use super::wide::kernel;

kernel! {
    /// The kernel.
    Avx2: "avx2" "bmi1" "bmi2" "lzcnt" "popcnt"
}

/// Loads four words.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: the reference points to 32 bytes that can be read, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// Returns the four words combined by `or`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn union(words: __m256i) -> u64 {
    let halves = _mm_or_si128(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    let low = _mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si64(low).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
fn flips(own: u64, other: u64, square: usize) -> u64 {
    let rays = &RAYS[square & 63];
    let (up, down, steps) = (load(&rays.up), load(&rays.down), load(&STEPS.map(u64::from)));
    let own = _mm256_set1_epi64x(own.cast_signed());
    let other = _mm256_set1_epi64x(other.cast_signed());
    let zero = _mm256_setzero_si256();

    // Upwards, the first square without a disc of `other` is the lowest bit.
    let ends = _mm256_andnot_si256(other, up);
    let first = _mm256_and_si256(ends, _mm256_sub_epi64(zero, ends));
    let outflank = _mm256_and_si256(first, own);
    let none = _mm256_cmpeq_epi64(outflank, zero);
    let below = _mm256_sub_epi64(_mm256_add_epi64(outflank, _mm256_set1_epi64x(-1)), none);
    let flipped_up = _mm256_and_si256(below, up);

    // Downwards, it is the highest bit: everything below it is filled.
    let mut filled = _mm256_andnot_si256(other, down);
    filled = _mm256_or_si256(filled, _mm256_srlv_epi64(filled, steps));
    let twice = _mm256_add_epi64(steps, steps);
    filled = _mm256_or_si256(filled, _mm256_srlv_epi64(filled, twice));
    filled = _mm256_or_si256(filled, _mm256_srlv_epi64(filled, _mm256_add_epi64(twice, twice)));
    let first = _mm256_andnot_si256(_mm256_srlv_epi64(filled, steps), filled);
    let none = _mm256_cmpeq_epi64(_mm256_and_si256(first, own), zero);
    let flipped_down = _mm256_andnot_si256(none, _mm256_andnot_si256(filled, down));

    union(_mm256_or_si256(flipped_up, flipped_down))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn placements(own: u64, other: u64) -> u64 {
    let discs = own | other;
    let steps = load(&STEPS.map(u64::from));
    let twice = _mm256_add_epi64(steps, steps);
    let own = _mm256_set1_epi64x(own.cast_signed());
    let other = _mm256_set1_epi64x(other.cast_signed());
    let crossed = _mm256_and_si256(other, load(&INNER));

    // As in the portable kernel: the reach doubles.
    let mut up = _mm256_and_si256(crossed, _mm256_sllv_epi64(own, steps));
    let mut down = _mm256_and_si256(crossed, _mm256_srlv_epi64(own, steps));
    up = _mm256_or_si256(up, _mm256_and_si256(crossed, _mm256_sllv_epi64(up, steps)));
    down = _mm256_or_si256(down, _mm256_and_si256(crossed, _mm256_srlv_epi64(down, steps)));
    let pairs_up = _mm256_and_si256(crossed, _mm256_sllv_epi64(crossed, steps));
    let pairs_down = _mm256_srlv_epi64(pairs_up, steps);
    for _ in 0..2 {
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
        down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    }
    let reached = _mm256_or_si256(_mm256_sllv_epi64(up, steps), _mm256_srlv_epi64(down, steps));
    union(reached) & !discs
}
