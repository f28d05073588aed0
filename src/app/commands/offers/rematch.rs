use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::effects::change::{Change, Decision};
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase};
use outflank_model::log::{GameId, Offer};

/// Offer to play a finished game again, with the other colours
#[derive(Debug, Clone, Args)]
#[command(after_help = "The new game starts when the opponent accepts.\n\nExample: rematch 12")]
pub struct Rematch {
    /// The number of the game
    game: GameId,
}

impl UseCase for Rematch {
    const TRAITS: Traits = Traits::offered("rematch", Heading::Offers).by("who offers it").button(
        Place::Buttons,
        "Offer a rematch",
        "The same game again, with the other colours, if your opponent accepts.",
    );

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::act(session, self)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        offer::offer(change, Offer::Rematch)
    }
}
