//! The log of the commands that run until stopped: a line on standard error for each thing they do.

use std::fmt;
use std::io;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use super::environment;
use super::failure::Failure;
use crate::app::LogFormat;
use crate::clock::Clock;

/// The time of a line, which tests can fix.
struct LogTime(Box<dyn Clock>);

impl FormatTime for LogTime {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write!(writer, "{}", self.0.now().format("%Y-%m-%dT%H:%M:%SZ"))
    }
}

/// Starts the log for the rest of the process, at the level that the environment gives.
pub(super) fn start(format: LogFormat) -> Result<(), Failure> {
    let level = level()?;
    let time = LogTime(environment::clock()?);
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(io::stderr)
        .with_target(false)
        .with_timer(time);
    // Only a second call in one process fails, and then there is a log already.
    let _ = match format {
        LogFormat::Text => tracing::subscriber::set_global_default(log.with_ansi(false).finish()),
        LogFormat::Json => {
            let log = log.json().flatten_event(true).with_current_span(false);
            tracing::subscriber::set_global_default(log.with_span_list(false).finish())
        }
    };
    Ok(())
}

/// Returns the level of the environment; `info` without one.
fn level() -> Result<LevelFilter, Failure> {
    let Some(text) = environment::log_level() else { return Ok(LevelFilter::INFO) };
    let is_word = text.chars().all(|c| c.is_ascii_alphabetic());
    text.parse().ok().filter(|_| is_word).ok_or_else(|| {
        Failure::fault(format!(
            "{}={text:?} is not a level; use off, error, warn, info, debug or trace",
            environment::LOG
        ))
    })
}
