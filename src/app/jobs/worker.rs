//! Runs queued jobs: once, or in a thread until stopped.

use std::sync::mpsc::Sender;
use std::thread;

use crate::app::jobs::{App, Done, Error, Jobs, Thinking};

/// The result of running queued jobs.
#[derive(Debug, Default)]
pub(crate) struct Worked {
    /// Jobs that were done.
    pub done: u32,
    /// A line for each job that failed.
    pub problems: Vec<String>,
}

impl App {
    /// Runs due jobs until none is left or the process must stop, and calls `after_each` after each.
    pub(crate) fn work_off_jobs(
        &mut self,
        thinking: &Thinking,
        mut after_each: impl FnMut(&mut Self),
    ) -> Result<Worked, Error> {
        let mut worked = Worked::default();
        while !(thinking.stop)() {
            match self.do_job(Jobs::All, thinking)? {
                Some(Done::Stored(_)) => worked.done += 1,
                Some(Done::Failed(problem)) => worked.problems.push(problem),
                Some(Done::Discarded) => {}
                Some(Done::Stopped) | None => break,
            }
            after_each(self);
        }
        Ok(worked)
    }
}

/// Runs these jobs until the process must stop, and returns how many were done. When none is due, it waits
/// until the thread is unparked. Problems are sent, repeated ones once.
#[expect(clippy::needless_pass_by_value, reason = "the thread owns its application")]
pub(crate) fn work(mut app: App, jobs: Jobs, thinking: &Thinking, problems: Sender<String>) -> u32 {
    let mut done = 0;
    let mut last_error = None;
    while !(thinking.stop)() {
        let worked = app.reopen().and_then(|_| app.do_job(jobs, thinking));
        let (is_busy, error) = match worked {
            Ok(Some(Done::Failed(problem))) => {
                let _ = problems.send(problem);
                (true, None)
            }
            Ok(result) => {
                done += u32::from(matches!(result, Some(Done::Stored(_))));
                (result.is_some(), None)
            }
            Err(error) => (false, Some(error.to_string())),
        };
        if let Some(message) = error.as_ref().filter(|_| error != last_error) {
            let _ = problems.send(message.clone());
        }
        last_error = error;
        if !is_busy {
            thread::park();
        }
    }
    done
}
