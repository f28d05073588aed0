//! A line on the host's terminal that says how far a long command is.

use std::cell::RefCell;

use crate::app::{FrontEnd, Meter, Progress, Searched};

/// A line with a changing text. It disappears when it is dropped.
pub(crate) struct ProgressLine<'a> {
    show: Progress<'a>,
    searched: Searched,
    shown: RefCell<Option<Shown>>,
}

/// What the line shows now.
struct Shown {
    text: String,
    total: Option<usize>,
    meter: Box<dyn Meter>,
}

impl<'a> ProgressLine<'a> {
    /// Returns a line that is shown when it has a text, with this number behind it.
    pub(crate) fn new(front_end: &FrontEnd<'a>, searched: Searched) -> Self {
        Self { show: front_end.progress(), searched, shown: RefCell::default() }
    }

    /// Replaces the text.
    pub(crate) fn set(&self, text: &str) {
        self.begin(text, None);
    }

    /// Shows how many of how many things, named by the text, are done.
    pub(crate) fn count(&self, done: usize, total: usize, things: &str) {
        let is_shown = |it: &Shown| it.total == Some(total) && it.text == things;
        if !self.shown.borrow().as_ref().is_some_and(is_shown) {
            self.begin(things, Some(total));
        }
        if let Some(shown) = &*self.shown.borrow() {
            shown.meter.set_done(done);
        }
    }

    fn begin(&self, text: &str, total: Option<usize>) {
        // The earlier line ends before the next begins.
        self.shown.replace(None);
        let meter = (self.show)(text, total, &self.searched);
        self.shown.replace(Some(Shown { text: text.to_owned(), total, meter }));
    }
}
