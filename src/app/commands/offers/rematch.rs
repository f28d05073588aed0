use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::{Concerns, Error, Reply, Session, UseCase};
use crate::log::{GameId, Offer};

/// Offer to play a finished game again, with the other colours
#[derive(Debug, Clone, Args)]
#[command(after_help = "The new game starts when the opponent accepts.\n\nExample: rematch 12")]
pub struct Rematch {
    /// The number of the game
    game: GameId,
}

impl UseCase for Rematch {
    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::offer(session, self.game, Offer::Rematch)
    }
}
