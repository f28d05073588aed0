//! When the board can fill the terminal, and how it looks there.

use std::io::{self, IsTerminal};

use anstream::ColorChoice;

use super::args::OutputOptions;
use super::environment;
use super::failure::Failure;
use super::streams::stdout_color;
use crate::app::{LiveGame, Seat};
use crate::tui;
use crate::tui::look::{Colors, Look};

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
    let colors = match stdout_color(output.color) {
        ColorChoice::Never => Colors::None,
        _ if environment::has_many_colors() => Colors::Many,
        _ => Colors::Sixteen,
    };
    Ok(tui::run(seat, live, Look { colors, ascii: output.ascii }, over_ssh)?)
}
