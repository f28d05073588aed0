//! A line on the terminal while the program thinks.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::app::{Meter, Searched};

/// How often the line moves.
const TICK: Duration = Duration::from_millis(200);

/// A line that disappears when it is dropped.
struct Line(ProgressBar);

/// Shows progress and the number of searched positions on standard error, if that is a terminal, until the
/// value is dropped; a bar if the total is known.
pub(super) fn show(what: &str, total: Option<usize>, searched: &Searched) -> Box<dyn Meter> {
    if !io::stderr().is_terminal() {
        return Box::new(());
    }
    let (line, template) = match total {
        // How long the present step takes shows that something is being done.
        None => (ProgressBar::new_spinner(), "{spinner} {msg}{searched} ({elapsed})"),
        Some(total) => (
            ProgressBar::new(total as u64),
            "{spinner} [{bar:20}] {human_pos} of {human_len} {msg}{searched} ({elapsed})",
        ),
    };
    let style = ProgressStyle::default_bar().tick_chars("|/-\\ ").progress_chars("=> ");
    let style = style.clone().template(template).unwrap_or(style);
    let searched = searched.clone();
    let style = style.with_key("searched", move |_: &ProgressState, text: &mut dyn Write| {
        let _ = write!(text, "{searched}");
    });
    let line = line.with_style(style).with_message(what.to_owned());
    line.tick();
    line.enable_steady_tick(TICK);
    Box::new(Line(line))
}

impl Meter for Line {
    fn set_done(&self, done: usize) {
        self.0.set_position(done as u64);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
