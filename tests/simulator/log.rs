//! What a process logs, at all levels.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;

#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Returns what adds the lines to it.
    pub fn subscriber(&self) -> impl Subscriber + Send + Sync + use<> {
        let log = self.clone();
        let lines = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_ansi(false);
        lines.without_time().with_writer(move || log.clone()).finish()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
