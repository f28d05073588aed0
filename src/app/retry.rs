//! When failed work is tried again: the delivery of mails, and jobs.

use chrono::TimeDelta;

use crate::app::Env;

/// The pause after the first failure; each further one doubles it.
const FIRST_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// The longest pause between two tries.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(6);

impl Env {
    /// Returns how long to wait after a failure, when there were so many before.
    pub(crate) fn pause_after(&self, failures: u32) -> TimeDelta {
        let pause = (FIRST_PAUSE * (1 << failures.min(16))).min(LONGEST_PAUSE);
        TimeDelta::seconds(self.rng.jitter(pause.num_seconds()))
    }
}
