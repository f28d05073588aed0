use std::cell::RefCell;

use ring::rand::{SecureRandom, SystemRandom};

use crate::app::Error;
use crate::mail::token::Secret;

/// The environment variable that makes randomness repeatable: a number, for tests and scripts.
pub const SEED_VARIABLE: &str = "OUTFLANK_SEED";

/// The only source of randomness.
#[derive(Debug)]
pub struct Rng {
    rng: RefCell<fastrand::Rng>,
    /// For marks, so that they change no other value.
    marks: RefCell<fastrand::Rng>,
    /// Whether secrets come from the generator too.
    seeded: bool,
}

impl Rng {
    /// Returns an unpredictable generator.
    ///
    /// # Errors
    /// When the operating system has no randomness.
    pub fn from_os() -> Result<Self, Error> {
        let mut seed = [0; 8];
        fill_from_os(&mut seed)?;
        Ok(Self { seeded: false, ..Self::seeded(u64::from_ne_bytes(seed)) })
    }

    /// Returns a generator that always gives the same values.
    pub fn seeded(seed: u64) -> Self {
        let generator = |seed| RefCell::new(fastrand::Rng::with_seed(seed));
        Self { rng: generator(seed), marks: generator(!seed), seeded: true }
    }

    /// Returns a word of this many lower-case letters and digits.
    pub fn word(&self, length: usize) -> String {
        word(&mut self.rng.borrow_mut(), length)
    }

    /// Returns the mark of a new row, which distinguishes it from others with the same number.
    pub fn mark(&self) -> String {
        const LENGTH: usize = 12;
        word(&mut self.marks.borrow_mut(), LENGTH)
    }

    /// Returns a number of seconds that differs from this one by at most a quarter.
    pub fn jitter(&self, seconds: i64) -> i64 {
        let quarter = (seconds / 4).max(0);
        seconds + self.rng.borrow_mut().i64(-quarter..=quarter)
    }

    /// Returns one of two values.
    pub fn either<T>(&self, one: T, other: T) -> T {
        if self.rng.borrow_mut().bool() { one } else { other }
    }

    /// Returns a secret, taken from the operating system unless the generator is seeded.
    ///
    /// # Errors
    /// When the operating system has no randomness.
    pub fn secret(&self) -> Result<Secret, Error> {
        let mut bytes = [0; 32];
        if self.seeded {
            self.rng.borrow_mut().fill(&mut bytes);
        } else {
            fill_from_os(&mut bytes)?;
        }
        Ok(Secret(bytes))
    }
}

fn word(rng: &mut fastrand::Rng, length: usize) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    (0..length).map(|_| char::from(LETTERS[rng.usize(..LETTERS.len())])).collect()
}

/// Fills bytes with randomness of the operating system.
fn fill_from_os(bytes: &mut [u8]) -> Result<(), Error> {
    let filled = SystemRandom::new().fill(bytes);
    filled.map_err(|_| Error::fault("the operating system has no randomness"))
}
