use clap::Args;

use super::reply::Drawing;
use super::session::Reading;
use super::view::View;
use super::{Concerns, Error, Reply, Session, UseCase, find};
use crate::command::GameAt;

/// Show a game: the board, the last move, the score and whose turn it is
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: show 12#4")]
pub struct Show {
    /// The number of the game; with #PLY as it stood after so many moves
    #[arg(value_name = "GAME[#PLY]")]
    game: GameAt,
    /// Draw the last move with arrows, as the rules do
    #[arg(long)]
    arrows: bool,
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for Show {
    fn concerns(&self) -> Concerns {
        Concerns::Reads(self.game.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let stored = session.read(|Reading { db, .. }| find::game(db, self.game.game))?;
        let Some(ply) = self.game.ply else {
            return Ok(View::new(&stored, &stored.game).reply(self.arrows).drawn(self.drawing));
        };
        let earlier = stored.game.at(ply).ok_or_else(|| find::no_such_ply(&stored, ply))?;
        Ok(View::new(&stored, &earlier).reply(self.arrows).drawn(self.drawing))
    }
}
