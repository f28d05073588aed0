//! The time. No other module reads a clock.
//!
//! Other modules receive a [`Clock`] (wall time, for stored and shown times) or a [`Deadline`]
//! (monotonic time, for limits).

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound, Utc};

/// The environment variable with a fixed time (RFC 3339) for tests and scripts.
pub const NOW_VARIABLE: &str = "OUTFLANK_NOW";

/// A wall clock in UTC with whole seconds.
pub trait Clock: Send + Sync {
    /// Returns the current time, truncated to the second.
    fn now(&self) -> DateTime<Utc>;
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(0)
    }
}

/// A clock with a fixed time, for tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub DateTime<Utc>);

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.trunc_subsecs(0)
    }
}

thread_local! {
    static IS_STOPPED: Cell<bool> = const { Cell::new(false) };
}

/// How much later each [`Deadline`] is in a thread for which no time passes.
const DELAY: Duration = Duration::from_secs(3600);

/// Lets no time pass any more for the [`Stopwatch`]es and [`Deadline`]s of this thread, up to an hour: a
/// simulation must not depend on how fast the machine is.
pub fn stop_passing() {
    IS_STOPPED.set(true);
}

/// Measures the time since its start. Changes of the wall clock do not affect it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts the stopwatch.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since its start.
    pub fn elapsed(self) -> Duration {
        if IS_STOPPED.get() { Duration::ZERO } else { self.0.elapsed() }
    }
}

/// The time when waiting must end. Changes of the wall clock do not affect it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline `span` from now.
    pub fn after(span: Duration) -> Self {
        Self(Instant::now() + span + if IS_STOPPED.get() { DELAY } else { Duration::ZERO })
    }

    /// Returns the remaining time; zero after the deadline.
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Returns whether the deadline has passed.
    pub fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }

    /// Calls `check` until it returns a value, or returns `None` at the deadline.
    pub(crate) fn poll<T>(self, mut check: impl FnMut() -> Option<T>) -> Option<T> {
        // The first pauses are short, since most programs end fast.
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(result) = check() {
                return Some(result);
            }
            let left = self.remaining();
            if left.is_zero() {
                return None;
            }
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(25));
        }
    }
}
