//! `web`: serves the pages until stopped.

use std::io::{self, Write};
use std::sync::Arc;

use tracing::warn;

use super::args::{Global, Web};
use super::failure::Failure;
use super::{environment, log};
use crate::app::{OpenApp, one_line, redacted};
use crate::web;

/// Serves the pages until SIGINT or SIGTERM.
pub(super) fn run(command: &Web, global: &Global) -> Result<(), Failure> {
    log::start(command.log.unwrap_or_default())?;
    let global = global.clone();
    let open: OpenApp = match command.read_only {
        true => Arc::new(move || environment::follow(&global)),
        false => Arc::new(move || environment::open(&global)),
    };
    let listening = |address| {
        // The pages are served, even if nobody reads this.
        let _ = writeln!(io::stdout(), "Listening on http://{address}");
        let _ = io::stdout().flush();
    };
    let print = Box::new(move |problem: &str| warn!("{}", one_line(&redacted(problem))));
    Ok(web::serve(command.listen, &open, listening, print)?)
}
