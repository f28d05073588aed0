use crate::app::{NO_PROGRESS, Progress};

/// The resources of a job besides the database.
pub(crate) struct Thinking<'a> {
    /// Returns whether the work must stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Shows the progress to the host.
    pub progress: Progress<'a>,
}

impl<'a> Thinking<'a> {
    /// Returns the resources of a job that nobody watches.
    pub(crate) fn unseen(stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { stop, progress: NO_PROGRESS }
    }
}

/// Why a job has no result.
#[derive(Debug)]
pub(crate) enum NoResult {
    /// The process must stop, or its claim is lost.
    Stopped,
    /// It failed: the reason for the host.
    Failed(String),
}
