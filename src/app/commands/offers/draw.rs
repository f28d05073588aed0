use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::{Concerns, Error, Reply, Session, UseCase};
use crate::log::{GameId, Offer};

/// Offer a draw, or accept the opponent's
#[derive(Debug, Clone, Args)]
#[command(after_help = "The offer ends when the opponent moves.\n\nExample: draw 12")]
pub struct Draw {
    /// The number of the game
    game: GameId,
}

impl UseCase for Draw {
    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::offer(session, self.game, Offer::Draw)
    }
}
