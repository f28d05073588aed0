/// Mixes the bits of two numbers into one. This is the only hash function of the engine: of positions
/// by their bitboards, and of seeds by their purpose.
#[inline(always)]
pub const fn mix(first: u64, second: u64) -> u64 {
    let mut hash = (first ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 32) ^ second).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 29)
}

/// Returns one of the items with a value at most `loss` below the best. The seed decides.
pub(crate) fn pick<T: Copy>(items: &[(T, i32)], loss: i32, seed: u64) -> Option<(T, i32)> {
    let best = items.iter().map(|&(_, value)| value).max()?;
    let good: Vec<_> = items.iter().filter(|&&(_, value)| value >= best - loss).collect();
    let index = mix(seed, 0) % u64::try_from(good.len()).ok()?;
    good.get(usize::try_from(index).ok()?).copied().copied()
}
