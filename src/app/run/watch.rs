//! Commands that run until stopped.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tracing::info;

use crate::app::host_items::Outage;
use crate::app::{App, Error, Session};
use crate::clock::Deadline;
use crate::files;

/// The time between two rounds when no file changes: a retry may be due, and some file systems
/// report no changes.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long to wait after a change for those that follow it.
const SETTLING_TIME: Duration = Duration::from_millis(50);

/// Repeats a round until the stop flag is set: each second, and when a file in the folder changes with a name
/// that begins with `prefix`. Each round gets a function that returns whether to continue.
/// Errors are reported, repeated ones once, and do not end the loop. A replaced database file is
/// opened again.
pub(crate) fn watch(
    session: &mut Session,
    stop: &AtomicBool,
    folder: &Path,
    prefix: &str,
    mut round: impl FnMut(&mut Session, &dyn Fn() -> bool) -> Result<(), Error>,
) -> Result<(), Error> {
    let is_active = || !stop.load(Ordering::Relaxed);
    let (mut last_error, mut outage) = (None, None::<Outage>);
    let mut watcher = wake_on_change(folder, prefix);
    info!("watching");
    while is_active() {
        let done = reopen(session).and_then(|()| round(session, &is_active));
        if let Err(error) = &done
            && error.is_fault()
        {
            let (from, reason) = (session.app()?.env.now(), error.to_string());
            let reported = BTreeMap::new();
            let known = outage.get_or_insert(Outage { from, reason: reason.clone(), reported });
            known.reason = reason;
        }
        if let Some(outage) = &mut outage {
            // It is tried again after the next round if this fails.
            let _ = session.app()?.report_outage(outage);
        }
        if done.is_ok() {
            outage.take_if(|outage| outage.reported.contains_key(&outage.reason));
        }
        let error = done.err().map(|error| error.in_full());
        if let Some(message) = error.as_deref().filter(|_| error != last_error) {
            session.front_end.report(message);
        }
        last_error = error;
        if is_active() {
            let pause = Deadline::after(INTERVAL);
            thread::park_timeout(INTERVAL);
            if !pause.has_passed() {
                thread::sleep(SETTLING_TIME);
            }
        }
        if watcher.is_none() {
            // The folder may exist now.
            watcher = wake_on_change(folder, prefix);
        }
    }
    info!("stopped");
    Ok(())
}

/// Opens the database again if its file was replaced since it was opened, and reports that.
fn reopen(session: &mut Session) -> Result<(), Error> {
    if let Some(message) = session.app()?.reopen()? {
        session.front_end.report(message);
    }
    Ok(())
}

impl App {
    /// Opens the database again if its file was replaced since it was opened. Returns a message about
    /// that for the host.
    pub(crate) fn reopen(&mut self) -> Result<Option<&'static str>, Error> {
        if !self.store.is_replaced() {
            return Ok(None);
        }
        let existed = self.store.must_exist().is_ok();
        self.store = self.store.reopened()?;
        let is_replaced = existed && self.store.must_exist().is_ok();
        Ok(is_replaced.then_some("the database file was replaced; the new one is used from now on"))
    }
}

/// Wakes this thread when a file changes. `None` if the system cannot report changes.
fn wake_on_change(folder: &Path, prefix: &str) -> Option<RecommendedWatcher> {
    let (thread, prefix) = (thread::current(), prefix.to_owned());
    let is_watched = move |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
    };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Opening a file or listing the folder changes nothing.
        let is_change = event
            .is_ok_and(|it| !it.kind.is_access() && it.paths.iter().any(|path| is_watched(path)));
        if is_change {
            thread.unpark();
        }
    })
    .ok()?;
    watcher.watch(files::or_current(folder), RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
