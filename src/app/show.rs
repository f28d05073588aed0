use clap::Args;

use super::view::View;
use super::{Error, Reply, Session, UseCase, look_up};
use crate::command::GameAt;

/// Show a game: the figure, whose turn it is, the score and the last move
#[derive(Debug, Clone, Args)]
pub struct Show {
    /// The number of the game; with #PLY as it stood after so many moves
    #[arg(value_name = "GAME[#PLY]")]
    pub(super) game: GameAt,
    /// Draw the last move with arrows, as the rules do
    #[arg(long)]
    arrows: bool,
}

impl UseCase for Show {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let stored = session.app.store.read(|db| look_up::game(db, self.game.game))?;
        let Some(asked) = self.game.ply else {
            return Ok(View::new(&stored, &stored.game).reply(self.arrows));
        };
        match stored.game.at(asked) {
            Some(earlier) => Ok(View::new(&stored, &earlier).reply(self.arrows)),
            None => {
                let made = stored.game.plies().len();
                Err(Error::NoPly { game: stored.id, asked, made })
            }
        }
    }
}
