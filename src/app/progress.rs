//! A line on the host's terminal that says how far a long command is.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::app::{FrontEnd, Progress};

/// How many positions were searched, counted while the search runs.
#[derive(Debug, Clone, Default)]
pub struct Searched {
    /// The number.
    pub nodes: Arc<AtomicU64>,
    /// How many there will be, if that is known: the order of magnitude, in words.
    pub estimate: Option<String>,
}

/// Writes the number after a comma; nothing before the first.
impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millions = self.nodes.load(Ordering::Relaxed) as f64 / 1e6;
        match &self.estimate {
            Some(estimate) => write!(f, ", {millions:.1} million of about {estimate} positions"),
            None if millions > 0.0 => write!(f, ", {millions:.1} million positions"),
            None => Ok(()),
        }
    }
}

/// A line whose text changes. It disappears when it is dropped.
pub(crate) struct ProgressLine {
    show: Progress,
    searched: Searched,
    shown: RefCell<Option<Box<dyn Send>>>,
}

impl ProgressLine {
    /// Returns a line that is shown when it has a text, with this number behind it.
    pub(crate) fn new(front_end: &FrontEnd, searched: Searched) -> Self {
        Self { show: front_end.progress(), searched, shown: RefCell::default() }
    }

    /// Replaces the text.
    pub(crate) fn set(&self, text: &str) {
        // The earlier line ends before the next begins.
        self.shown.replace(None);
        self.shown.replace(Some((self.show)(text, &self.searched)));
    }
}
