use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::effects::change::{Change, Decision};
use crate::app::{AtBoard, Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase};
use outflank_model::log::{GameId, Offer};

/// Offer a draw, or accept the opponent's
#[derive(Debug, Clone, Args)]
#[command(after_help = "The offer ends when the opponent moves.\n\nExample: draw 12")]
pub struct Draw {
    /// The number of the game
    game: GameId,
}

impl UseCase for Draw {
    const TRAITS: Traits = Traits::offered("draw", Heading::Offers).by("who offers it").button(
        Place::Buttons,
        "Offer a draw",
        "The game ends in a draw if your opponent accepts.",
    );

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn question(&self, at: &AtBoard) -> Option<String> {
        if at.is_shared {
            return Some("Do both of you agree to a draw?".to_owned());
        }
        // A computer player may agree at once.
        at.has_bot.then(|| format!("Offer a draw in game {}?", self.game))
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::act(session, self)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        offer::offer(change, Offer::Draw)
    }
}
