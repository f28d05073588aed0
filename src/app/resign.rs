use clap::Args;

use super::change::{change, goes_on};
use super::{Actor, Error, Reply, Session, UseCase, look_up};
use crate::game::{Color, Game, GameId};
use crate::render::words::Names;

/// Give a game up, on turn or not
#[derive(Debug, Clone, Args)]
pub struct Resign {
    /// The number of the game
    pub(super) game: GameId,
}

impl UseCase for Resign {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let resign = |names: Names, own: Option<Color>, game: &mut Game| {
            goes_on(self.game, names, game)?;
            let own = own.ok_or(Error::WhoActs("resign"))?;
            game.resign(own).map_err(|reason| Error::Illegal { reason, legal: String::new() })?;
            Ok(None)
        };
        change(session, self.game, resign, false)
    }

    fn check(&self, actor: &Actor) -> Result<(), Error> {
        look_up::needs_player(actor, "resign")
    }
}
