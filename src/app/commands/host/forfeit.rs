use clap::Args;

use crate::app::commands::host::decision::{WithReason, end};
use crate::app::{Concerns, Error, Reply, Session, UseCase, find};
use crate::command::SideRef;
use crate::log::{Action, GameId};

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
    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reason = self.reason.text()?;
        end(session, self.game, |at| {
            let player = find::color_of_side(at.tx, at.stored, &self.player)?;
            Ok(Action::Forfeit { player, reason })
        })
    }
}
