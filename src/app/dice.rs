/// The environment variable that makes chance repeatable: a number, for tests and scripts.
pub const SEEDED_BY: &str = "OUTFLANK_SEED";

/// Chance: the only source of it besides the secrets of the operating system.
#[derive(Debug)]
pub struct Dice(fastrand::Rng);

impl Dice {
    /// Dice that nobody can foresee.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn from_os() -> Result<Self, getrandom::Error> {
        getrandom::u64().map(Self::seeded)
    }

    /// Dice that always fall in the same way.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A word of so many lower-case letters and digits.
    pub fn word(&mut self, length: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        (0..length).map(|_| char::from(LETTERS[self.0.usize(..LETTERS.len())])).collect()
    }

    /// A number of seconds within a quarter of this one, above or below.
    pub fn jitter(&mut self, seconds: i64) -> i64 {
        let quarter = (seconds / 4).max(0);
        seconds + self.0.i64(-quarter..=quarter)
    }
}
