//! What goes on until it is stopped.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::{Error, Session};
use crate::clock::Deadline;

/// How often to look whether there is something to do.
const INTERVAL: Duration = Duration::from_secs(2);
/// How soon a request to stop is noticed.
const MOMENT: Duration = Duration::from_millis(50);

/// Does a round again and again until it is asked to stop; each is handed what tells whether to go
/// on. Trouble is reported, the same trouble once, and does not end it.
pub(super) fn watch(
    session: &mut Session,
    mut round: impl FnMut(&mut Session, &dyn Fn() -> bool) -> Result<(), Error>,
) {
    let stop = Arc::clone(&session.door.stop);
    let goes_on = || !stop.load(Ordering::Relaxed);
    let mut last_trouble = None;
    while goes_on() {
        let trouble = round(session, &goes_on).err().map(|error| error.to_string());
        if let Some(said) = trouble.as_deref().filter(|_| trouble != last_trouble) {
            (session.door.report)(said);
        }
        last_trouble = trouble;
        let next = Deadline::after(INTERVAL);
        while goes_on() && !next.has_passed() {
            thread::sleep(MOMENT.min(next.remaining()));
        }
    }
}
