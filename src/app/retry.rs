//! When failed work is tried again: the delivery of mails, and jobs.

use chrono::TimeDelta;

use crate::app::Env;

/// The pause after the first failure. Each further failure doubles it.
const FIRST_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// The longest pause between two tries.
const MAX_PAUSE: TimeDelta = TimeDelta::hours(6);

impl Env {
    /// Returns the pause after a failure that follows this number of failures.
    pub(crate) fn pause_after(&self, failures: u32) -> TimeDelta {
        let pause = (FIRST_PAUSE * (1 << failures.min(16))).min(MAX_PAUSE);
        TimeDelta::seconds(self.rng.jitter(pause.num_seconds()))
    }
}
