//! The size of the terminal.

use std::{env, io};

use rustix::termios::{Winsize, tcgetwinsize};

/// Returns the width of standard output in columns; `None` if it has no limit.
pub(super) fn width() -> Option<usize> {
    side_of_terminal(|size| size.ws_col).or_else(|| variable("COLUMNS", 20))
}

/// Returns the height of standard output in lines; `None` if it has no limit.
pub(super) fn height() -> Option<usize> {
    side_of_terminal(|size| size.ws_row).or_else(|| variable("LINES", 5))
}

/// Returns the side of a terminal that does not report it, as this variable says; `None` below this least one.
fn variable(name: &str, least: usize) -> Option<usize> {
    env::var(name).ok()?.parse().ok().filter(|&side| side >= least)
}

/// Returns one side of the terminal that is standard output; `None` if it does not report it.
fn side_of_terminal(side: fn(Winsize) -> u16) -> Option<usize> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(side(size))).filter(|&side| side > 0)
}
