use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::effects::change::{Change, Decision, refuse_finished};
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase};
use outflank_model::log::{Action, GameId, Offer};

/// Ask to stop the clocks of a game, or agree to it
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The clocks stop when both players have asked. A game without a clock
cannot be paused.

Example: pause 12")]
pub struct Pause {
    /// The number of the game
    game: GameId,
}

/// End the pause of a game: the clocks run again
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: unpause 12")]
pub struct Unpause {
    /// The number of the game
    game: GameId,
}

impl UseCase for Pause {
    const TRAITS: Traits = Traits {
        on_board: false,
        ..Traits::offered("pause", Heading::Offers).by("who offers it").button(
            Place::Buttons,
            "Pause the game",
            "The clocks stand still if your opponent agrees.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::act(session, self)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        offer::offer(change, Offer::Pause)
    }
}

impl UseCase for Unpause {
    const TRAITS: Traits = Traits {
        done: Some("The pause is over."),
        on_board: false,
        ..Traits::offered("unpause", Heading::Offers).by("who ends the pause").button(
            Place::Buttons,
            "End the pause",
            "The pause ends at once.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::act(session, self)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        let game = &change.stored.game;
        // The log allows it: a game that ends in a pause stays paused.
        refuse_finished(self.game, change.names, game)?;
        let sentence = match game.flagged() {
            None => "The pause is over: the clocks run again.".to_owned(),
            Some(late) => {
                let late = change.names.of(late);
                format!("The pause is over. The time of {late} is over, so no clock runs.")
            }
        };
        offer::decide(change, |_| Ok((Action::Unpause, sentence)))
    }
}
