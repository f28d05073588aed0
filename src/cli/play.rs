//! `play`: a board in the terminal, or a dialogue in lines.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use super::args::{Board, Global, OutputOptions};
use super::failure::Failure;
use super::{dialogue, environment};
use crate::app::{Actor, OpenApp, Seat};

/// Plays until the person leaves.
pub(super) fn run(
    play: &Board,
    actor: &Actor,
    global: &Global,
    output: OutputOptions,
) -> Result<(), Failure> {
    let global = global.clone();
    let open: OpenApp = Arc::new(move || environment::open(&global));
    let (mut seat, game) = Seat::take(open, &play.play, actor.player(), &environment::user())?;
    let game = seat.game(game)?;
    dialogue::run(seat, game, output)
}

/// Returns whether the board can fill the terminal.
fn fills_terminal(play: &Board, output: OutputOptions) -> bool {
    cfg!(feature = "tui")
        && !play.lines
        && !output.json
        && environment::has_cursor()
        && io::stdin().is_terminal()
        && io::stdout().is_terminal()
}
