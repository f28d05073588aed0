/// A xorshift generator.
pub(super) struct Random(u64);

impl Random {
    /// Returns a generator with this state, which must not be 0.
    pub(super) const fn new(state: u64) -> Self {
        Self(state)
    }

    /// Returns a number below a limit.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * u128::from(limit)) >> 64) as u64
    }

    /// Returns a number from -1 to 1.
    pub(super) fn signed(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Puts items into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
