use clap::Args;

use super::{Error, Reply, Session, UseCase, play};
use crate::command::{GameAt, MoveAt};
use crate::game::Move;

/// Pass, where the rules ask for it as a move
#[derive(Debug, Clone, Args)]
pub struct Pass {
    /// The number of the game; with #PLY only if the pass is move number PLY
    #[arg(value_name = "GAME[#PLY]")]
    pub(super) game: GameAt,
    /// Send a copy to the player who passes, too
    #[arg(long)]
    pub(super) receipt: bool,
}

impl UseCase for Pass {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let pass = MoveAt { mv: Move::Pass, ply: self.game.ply };
        play::play(session, self.game.game, &[pass], self.receipt)
    }
}
