//! `play`: the board that fills the terminal, or else a dialogue in lines.

use std::sync::Arc;

use super::args::{Board, Global, OutputOptions};
use super::failure::Failure;
#[cfg(feature = "tui")]
use super::screen;
use super::{dialogue, environment};
use crate::app::{Actor, OpenApp, Seat};
#[cfg(feature = "tui")]
use crate::{app::ColorOption, command::PlayerRef};

/// Plays until the person leaves.
pub(super) fn run(
    board: &Board,
    actor: &Actor,
    global: &Global,
    output: OutputOptions,
) -> Result<(), Failure> {
    let (global, user) = (global.clone(), environment::user());
    let open: OpenApp = Arc::new(move || environment::open_for_play(&global));
    let (mut seat, game) = Seat::take(open, &board.play, actor.player(), &user)?;
    let game = seat.game(game)?;
    #[cfg(feature = "tui")]
    if !board.lines && !output.json && screen::is_possible() {
        return screen::run(seat, game, output, false);
    }
    dialogue::run(seat, game, output)
}

/// Plays on the board with a player who comes over ssh.
#[cfg(feature = "tui")]
pub(super) fn run_over_ssh(player: &PlayerRef, global: &Global) -> Result<(), Failure> {
    let global = global.clone();
    let open: OpenApp = Arc::new(move || environment::open(&global));
    let (mut seat, game) = Seat::take_over_ssh(open, player)?;
    let game = seat.game(game)?;
    let output = OutputOptions { json: false, ascii: false, color: ColorOption::Auto };
    screen::run(seat, game, output, true)
}
