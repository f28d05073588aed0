use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::kind::{BadSettings, Delivered, Open, Readiness, Transport};
use super::message::{DeliveryError, Message};
use crate::clock::Deadline;

/// The time between a deadline and abandoning the thread. A transport that checks the deadline
/// itself ends first, with an error that says more.
const ABANDON_DELAY: Duration = Duration::from_millis(250);
/// How long a delivery may continue after the program was asked to stop.
const MAX_STOP_DELAY: Duration = Duration::from_secs(1);
/// How often a delivery checks whether the program must stop.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The longest wait at the end for the transport to close its connection.
const MAX_CLOSE_WAIT: Duration = Duration::from_millis(250);

/// A transport on a thread of its own, unless it is local, so that it cannot hold up the program: a
/// resolver accepts no time limit, and the time limit of a socket starts again with each byte.
pub struct Worker {
    open: Open,
    settings: toml::Table,
    /// Opened to check the settings. One that is not local moves to the thread when it is first used.
    idle: Option<Box<dyn Transport>>,
    running: Option<Running>,
}

struct Running {
    jobs: Sender<(Vec<Message>, Deadline)>,
    /// The results of each job, then `None`.
    results: Receiver<Option<Delivered>>,
}

impl Worker {
    pub(super) fn new(open: Open, settings: toml::Table) -> Result<Self, BadSettings> {
        let idle = Some(open(settings.clone())?);
        Ok(Self { open, settings, idle, running: None })
    }

    /// Delivers messages in order until the deadline, or until a second after `is_active` returns
    /// false. Returns the results in order; the remaining messages have not been tried, except that
    /// the first of them may still be on its way after such a stop.
    pub fn deliver(
        &mut self,
        messages: Vec<Message>,
        deadline: Deadline,
        is_active: &dyn Fn() -> bool,
    ) -> Vec<Result<(), DeliveryError>> {
        if let Some(transport) = self.idle.as_mut().filter(|transport| transport.is_local()) {
            let mut results = Vec::new();
            transport.deliver(&messages, deadline, &mut |result| results.push(result));
            return results;
        }
        let running = match self.running.take().map_or_else(|| self.start(), Ok) {
            Ok(running) => running,
            Err(error) => return vec![Err(error)],
        };
        let mut results = Vec::new();
        let end = Deadline::after(deadline.remaining() + ABANDON_DELAY);
        let mut stop_deadline = None;
        // If the thread has ended, its closed channel reports that below.
        let _ = running.jobs.send((messages, deadline));
        let failure = loop {
            match running.results.recv_timeout(STOP_POLL_INTERVAL.min(end.remaining())) {
                Ok(Some(result)) => results.push(result),
                Ok(None) => {
                    self.running = Some(running);
                    return results;
                }
                // lettre panics when a line of the EHLO reply is blank.
                Err(RecvTimeoutError::Disconnected) => break "the reply was malformed",
                Err(RecvTimeoutError::Timeout) if end.has_passed() => break "no reply in time",
                Err(RecvTimeoutError::Timeout) if is_active() => {}
                Err(RecvTimeoutError::Timeout) => {
                    let limit =
                        *stop_deadline.get_or_insert_with(|| Deadline::after(MAX_STOP_DELAY));
                    if limit.has_passed() {
                        return results;
                    }
                }
            }
        };
        results.push(Err(unavailable(&format!("the delivery was given up: {failure}"))));
        results
    }

    /// Returns whether the transport is ready to deliver a message, without delivering one.
    ///
    /// # Errors
    /// [`DeliveryError`] when a message could not be delivered now.
    pub fn check(mut self, deadline: Deadline) -> Result<Readiness, DeliveryError> {
        let mut transport =
            self.idle.take().ok_or_else(|| unavailable("the transport is in use"))?;
        let (report, reports) = mpsc::channel();
        spawn(move || drop(report.send(transport.check(deadline))))?;
        match reports.recv_timeout(deadline.remaining() + ABANDON_DELAY) {
            Ok(checked) => checked,
            Err(RecvTimeoutError::Timeout) => Err(unavailable("no reply in time")),
            Err(RecvTimeoutError::Disconnected) => Err(unavailable("the reply was malformed")),
        }
    }

    fn start(&mut self) -> Result<Running, DeliveryError> {
        let transport = self.idle.take().map_or_else(|| (self.open)(self.settings.clone()), Ok);
        let mut transport = transport.map_err(|bad| unavailable(&bad.to_string()))?;
        let (jobs, waiting) = mpsc::channel::<(Vec<Message>, _)>();
        let (report, results) = mpsc::channel();
        spawn(move || {
            for (messages, deadline) in waiting {
                transport.deliver(&messages, deadline, &mut |result| {
                    let _ = report.send(Some(result));
                });
                if report.send(None).is_err() {
                    break;
                }
            }
        })?;
        Ok(Running { jobs, results })
    }
}

/// Starts a thread. A panic on it shows as a closed channel.
fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), DeliveryError> {
    let started = thread::Builder::new().name("delivery".into()).spawn(work);
    started.map(drop).map_err(|_| unavailable("no thread could be started"))
}

fn unavailable(why: &str) -> DeliveryError {
    DeliveryError::Unavailable(why.to_owned())
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(Running { jobs, results }) = self.running.take() {
            drop(jobs);
            // The channel closes when the thread has dropped the transport.
            let _ = results.recv_timeout(MAX_CLOSE_WAIT);
        }
    }
}
