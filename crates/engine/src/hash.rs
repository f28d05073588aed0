/// Mixes the bits of two numbers into one. This is the only hash function of the engine: of positions
/// by their bitboards, and of seeds by what they are for.
#[inline(always)]
pub const fn mix(first: u64, second: u64) -> u64 {
    let mut hash = (first ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 32) ^ second).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 29)
}
