use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Lines that one thread reads and another answers, in order.
#[derive(Debug, Clone)]
pub struct Inbox {
    shared: Arc<Shared>,
    interrupts: fn(&str) -> bool,
}

#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Lines>,
    changed: Condvar,
    /// How many of the waiting lines end a search.
    interrupting: AtomicUsize,
}

#[derive(Debug, Default)]
struct Lines {
    waiting: VecDeque<String>,
    is_closed: bool,
}

impl Inbox {
    /// Returns an empty inbox. `interrupts` returns whether a line ends a search on arrival.
    pub(super) fn new(interrupts: fn(&str) -> bool) -> Self {
        Self { shared: Arc::default(), interrupts }
    }

    /// Adds a line.
    pub fn push(&self, line: String) {
        if (self.interrupts)(&line) {
            self.shared.interrupting.fetch_add(1, Ordering::Relaxed);
        }
        self.lock().waiting.push_back(line);
        self.shared.changed.notify_all();
    }

    /// Closes the inbox: no line will follow.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.shared.changed.notify_all();
    }

    /// Waits for the next line and takes it; `None` when no line will follow.
    pub fn next(&self) -> Option<String> {
        let is_empty = |lines: &mut Lines| lines.waiting.is_empty() && !lines.is_closed;
        let waited = self.shared.changed.wait_while(self.lock(), is_empty);
        let line = waited.unwrap_or_else(PoisonError::into_inner).waiting.pop_front()?;
        if (self.interrupts)(&line) {
            self.shared.interrupting.fetch_sub(1, Ordering::Relaxed);
        }
        Some(line)
    }

    /// Returns whether a waiting line ends a search.
    pub fn is_interrupted(&self) -> bool {
        self.shared.interrupting.load(Ordering::Relaxed) > 0
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.shared.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
