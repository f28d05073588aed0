use clap::Args;

use super::change::{change, refuse_finished};
use super::host_decision::WithReason;
use super::{Concerns, Error, Reply, Session, UseCase};
use crate::game::{Action, Event, GameId};

/// End a game without a result; it counts in nobody's record
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank annul 12 --reason \"started by mistake\"")]
pub struct Annul {
    /// The number of the game
    game: GameId,
    #[command(flatten)]
    reason: WithReason,
}

impl UseCase for Annul {
    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reason = self.reason.text()?;
        change(session, self.game, false, |at, game| {
            refuse_finished(self.game, at.names, game)?;
            game.apply(Event::by_host(Action::Annul { reason })).map_err(Error::refused)
        })
    }
}
