use clap::Args;

use crate::app::commands::host::decision::{WithReason, end};
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::SideRef;
use outflank_model::log::{Action, GameId};

/// Declare a game lost for a player
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank forfeit 12 bob --reason \"has left the club\"")]
pub struct Forfeit {
    /// The number of the game
    game: GameId,
    /// The player who loses
    player: SideRef,
    #[command(flatten)]
    reason: WithReason,
}

impl UseCase for Forfeit {
    const TRAITS: Traits = Traits::new("forfeit", Heading::Host);

    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reason = self.reason.text()?;
        end(session, self.game, |change| {
            let player = find::color_of_side(change.db, change.stored, &self.player)?;
            Ok(Action::Forfeit { player, reason })
        })
    }
}
