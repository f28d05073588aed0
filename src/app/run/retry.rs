//! When failed work is tried again: the delivery of mails, and jobs.

use chrono::TimeDelta;

use crate::app::Env;

/// How long a mail is tried, as mail servers do.
pub(crate) const RETRIED_FOR: TimeDelta = TimeDelta::days(5);
/// The pause after the first failure. Each further failure doubles it.
const FIRST_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// The longest pause between two tries, give or take a quarter.
const MAX_PAUSE: TimeDelta = TimeDelta::hours(6);
/// Longer than any such pause. A longer one was set by a clock that was ahead.
pub(crate) const BEYOND_PAUSES: TimeDelta = TimeDelta::hours(8);
/// The pause after a fault or panic in work that has no record of its failures.
pub(crate) const PAUSE_AFTER_FAULT: TimeDelta = TimeDelta::hours(1);

impl Env {
    /// Returns the pause after a failure that follows this number of failures.
    pub(crate) fn pause_after(&self, failures: u32) -> TimeDelta {
        let pause = (FIRST_PAUSE * (1 << failures.min(16))).min(MAX_PAUSE);
        TimeDelta::seconds(self.rng.jitter(pause.num_seconds()))
    }
}
