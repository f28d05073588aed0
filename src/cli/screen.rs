//! When the board can fill the terminal, and how it looks there.

use std::io::{self, IsTerminal};

use super::args::OutputOptions;
use super::environment;
use super::failure::Failure;
use super::streams::stdout_color;
use crate::app::{LiveGame, Seat};
use crate::tui;
use crate::tui::look::Look;

/// Returns whether the board can fill the terminal.
pub(super) fn is_possible() -> bool {
    environment::has_cursor() && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Fills the terminal with a game until the person leaves.
pub(super) fn run(
    seat: Seat,
    live: LiveGame,
    output: OutputOptions,
    over_ssh: bool,
) -> Result<(), Failure> {
    let colors = environment::colors(stdout_color(output.color));
    let ascii = output.ascii || environment::shows_only_ascii();
    Ok(tui::run(seat, live, Look { colors, ascii }, over_ssh)?)
}
