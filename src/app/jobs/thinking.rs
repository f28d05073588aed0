use crate::app::Progress;

/// What a job needs besides the database.
pub(crate) struct Thinking<'a> {
    /// Returns whether the work must stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Shows the host what is being done.
    pub progress: Progress,
}

/// Why a job has no result.
#[derive(Debug)]
pub(crate) enum NoResult {
    /// The process must stop, or its claim is lost.
    Stopped,
    /// It failed: the reason for the host.
    Failed(String),
}
