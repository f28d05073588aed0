//! The time: the only module that asks what time it is.
//!
//! Everything else is handed a [`Clock`] (wall time, for what is stored and shown) or a
//! [`Deadline`] (monotonic time, for what must not take too long).

use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound, Utc};

/// The environment variable that stops the clock: an RFC 3339 time, for tests and scripts.
pub const NOW_VARIABLE: &str = "OUTFLANK_NOW";

/// Tells the wall-clock time, in UTC and whole seconds.
pub trait Clock: Send + Sync {
    /// The time now, cut to the second.
    fn now(&self) -> DateTime<Utc>;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(0)
    }
}

/// A clock that stands still, for tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub DateTime<Utc>);

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.trunc_subsecs(0)
    }
}

/// A moment after which waiting must end. Unaffected by changes of the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// The moment `span` from now.
    #[must_use]
    pub fn after(span: Duration) -> Self {
        Self(Instant::now() + span)
    }

    /// The time left: zero once the moment has passed.
    #[must_use]
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether the moment has passed.
    #[must_use]
    pub fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }
}
