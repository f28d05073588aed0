//! Problems of the server, for the host. No request is reported, since addresses contain tokens.

use std::sync::{Mutex, PoisonError};

/// Prints a problem.
pub type Printer = Box<dyn Fn(&str) + Send + Sync>;

/// Prints problems, repeated ones once.
pub(super) struct Report {
    print: Printer,
    last: Mutex<Option<String>>,
}

impl Report {
    pub(super) const fn new(print: Printer) -> Self {
        Self { print, last: Mutex::new(None) }
    }

    /// Prints a problem, unless it is the same as the last one.
    pub(super) fn problem(&self, problem: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_deref() != Some(problem) {
            (self.print)(problem);
            *last = Some(problem.to_owned());
        }
    }
}
