use std::cell::RefCell;

use crate::mail::token::Secret;

/// The environment variable that makes chance repeatable: a number, for tests and scripts.
pub const SEEDED_BY: &str = "OUTFLANK_SEED";

/// Chance: the only source of it besides the secrets of the operating system.
#[derive(Debug)]
pub struct Dice {
    rng: RefCell<fastrand::Rng>,
    /// Whether secrets are foreseen, too.
    seeded: bool,
}

impl Dice {
    /// Dice that nobody can foresee.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn from_os() -> Result<Self, getrandom::Error> {
        let seed = getrandom::u64()?;
        Ok(Self { seeded: false, ..Self::seeded(seed) })
    }

    /// Dice that always fall in the same way.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { rng: RefCell::new(fastrand::Rng::with_seed(seed)), seeded: true }
    }

    /// A word of so many lower-case letters and digits.
    pub fn word(&self, length: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let mut rng = self.rng.borrow_mut();
        (0..length).map(|_| char::from(LETTERS[rng.usize(..LETTERS.len())])).collect()
    }

    /// A number of seconds within a quarter of this one, above or below.
    pub fn jitter(&self, seconds: i64) -> i64 {
        let quarter = (seconds / 4).max(0);
        seconds + self.rng.borrow_mut().i64(-quarter..=quarter)
    }

    /// A secret: from the operating system itself, unless everything is to be foreseen.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn secret(&self) -> Result<Secret, getrandom::Error> {
        let mut bytes = [0; 32];
        if self.seeded {
            self.rng.borrow_mut().fill(&mut bytes);
        } else {
            getrandom::fill(&mut bytes)?;
        }
        Ok(Secret(bytes))
    }
}
