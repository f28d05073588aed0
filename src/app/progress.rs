//! A line on the host's terminal that says how far a long command is.

use std::cell::RefCell;

use crate::app::{FrontEnd, Progress, Searched};

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
