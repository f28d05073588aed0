use clap::Args;

use crate::app::effects::change::{Change, change, refuse_finished};
use crate::app::views::reply::Drawing;
use crate::app::{Concerns, Error, Reply, Session, UseCase, find};
use crate::log::GameId;

/// Resign a game, on turn or not
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: resign 12")]
pub struct Resign {
    /// The number of the game
    game: GameId,
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for Resign {
    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        const PURPOSE: &str = "who resigns";
        find::acting(&session.actor, "resign", PURPOSE)?;
        let reply = change(session, self.game, false, |&Change { names, own, .. }, game| {
            refuse_finished(self.game, names, game)?;
            let own = own.ok_or_else(|| Error::usage(PURPOSE))?;
            game.resign(own).map_err(Error::refused)
        })?;
        Ok(reply.drawn(self.drawing))
    }
}
