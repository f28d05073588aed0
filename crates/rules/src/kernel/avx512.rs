//! The kernel for x86-64 processors with AVX-512, as far as its instructions do more on 256 bits than those
//! of AVX2: they count leading zeros, and combine three words at once.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2::{load, placements, union};
use super::portable::{Kernel, RAYS, Task};
use super::wide::kernel;

kernel! {
    /// The kernel.
    Avx512: "avx2" "bmi1" "bmi2" "lzcnt" "popcnt" "avx512f" "avx512cd" "avx512vl"
}

#[inline]
#[target_feature(enable = "avx512cd,avx512vl")]
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
