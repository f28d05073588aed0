use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::{Concerns, Error, Reply, Session, UseCase};
use crate::log::{Action, GameId, Offer};

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
    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::offer(session, self.game, Offer::Pause)
    }
}

impl UseCase for Unpause {
    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::act(session, self.game, "unpause", "who ends the pause", |_, _, _| {
            Ok((Action::Unpause, "The pause is over: the clocks run again.".to_owned()))
        })
    }
}
