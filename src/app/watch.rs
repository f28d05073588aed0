//! Commands that run until stopped.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::{Error, Session};
use crate::clock::Deadline;

/// How often to look for work.
const INTERVAL: Duration = Duration::from_secs(2);
/// How soon a request to stop is noticed.
const MOMENT: Duration = Duration::from_millis(50);

/// Repeats a round until the front end asks to stop; each is passed a function that says whether
/// to continue. Errors are reported, repeated ones once, and do not end it.
pub(super) fn watch(
    session: &mut Session,
    mut round: impl FnMut(&mut Session, &dyn Fn() -> bool) -> Result<(), Error>,
) -> Result<(), Error> {
    let stop = (session.front_end.stop)();
    let stop = stop.map_err(|error| Error::fault(format!("cannot watch: {error}")))?;
    let is_active = || !stop.load(Ordering::Relaxed);
    let mut last_error = None;
    while is_active() {
        let error = round(session, &is_active).err().map(|error| error.to_string());
        if let Some(message) = error.as_deref().filter(|_| error != last_error) {
            (session.front_end.report)(message);
        }
        last_error = error;
        let next = Deadline::after(INTERVAL);
        while is_active() && !next.has_passed() {
            thread::sleep(MOMENT.min(next.remaining()));
        }
    }
    Ok(())
}
