//! A line on the terminal while the program thinks.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::app::Searched;

/// How often the line moves.
const TICK: Duration = Duration::from_millis(200);

/// A line that disappears when it is dropped.
struct Line(ProgressBar);

/// Shows what is being done and how many positions were searched on standard error, if that is a
/// terminal, until the value is dropped.
pub(super) fn show(what: &str, searched: &Searched) -> Box<dyn Send> {
    if !io::stderr().is_terminal() {
        return Box::new(());
    }
    let style = ProgressStyle::default_spinner().tick_chars("|/-\\ ");
    // How long the present step takes shows that something is being done.
    let style = style.clone().template("{spinner} {msg}{searched} ({elapsed})").unwrap_or(style);
    let searched = searched.clone();
    let style = style.with_key("searched", move |_: &ProgressState, text: &mut dyn Write| {
        let _ = write!(text, "{searched}");
    });
    let line = ProgressBar::new_spinner().with_style(style);
    line.set_message(what.to_owned());
    line.enable_steady_tick(TICK);
    Box::new(Line(line))
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
