use clap::Args;

use crate::app::commands::host::decision::{WithReason, end};
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase};
use outflank_model::log::{Action, GameId};

/// Annul a game, over or not, so that it counts in nobody's record
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank annul 12 --reason \"started by mistake\"")]
pub struct Annul {
    /// The number of the game
    game: GameId,
    #[command(flatten)]
    reason: WithReason,
}

impl UseCase for Annul {
    const TRAITS: Traits = Traits::new("annul", Heading::Host);

    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reason = self.reason.text()?;
        end(session, self.game, |_| Ok(Action::Annul { reason }))
    }
}
