use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Lines that one thread reads and another answers, in order.
#[derive(Debug, Clone)]
pub struct Inbox {
    shared: Arc<(Mutex<Lines>, Condvar)>,
    interrupts: fn(&str) -> bool,
}

#[derive(Debug, Default)]
struct Lines {
    waiting: VecDeque<String>,
    /// How many of the waiting lines end a search.
    interrupting: usize,
    is_closed: bool,
}

impl Inbox {
    /// Returns an empty inbox. `interrupts` returns whether a line ends a search on arrival.
    pub(super) fn new(interrupts: fn(&str) -> bool) -> Self {
        Self { shared: Arc::default(), interrupts }
    }

    /// Adds a line.
    pub fn push(&self, line: String) {
        let mut lines = self.lock();
        lines.interrupting += usize::from((self.interrupts)(&line));
        lines.waiting.push_back(line);
        self.shared.1.notify_all();
    }

    /// Closes the inbox: no line will follow.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.shared.1.notify_all();
    }

    /// Waits for the next line and takes it; `None` when no line will follow.
    pub fn next(&self) -> Option<String> {
        let is_empty = |lines: &mut Lines| lines.waiting.is_empty() && !lines.is_closed;
        let waited = self.shared.1.wait_while(self.lock(), is_empty);
        let mut lines = waited.unwrap_or_else(PoisonError::into_inner);
        let line = lines.waiting.pop_front()?;
        lines.interrupting -= usize::from((self.interrupts)(&line));
        Some(line)
    }

    /// Returns whether a waiting line ends a search.
    pub fn is_interrupted(&self) -> bool {
        self.lock().interrupting > 0
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
