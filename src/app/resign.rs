use clap::Args;

use super::change::change;
use super::{Error, Reply, Session, UseCase};
use crate::command::PlayerRef;
use crate::game::GameId;
use crate::render::words;

/// Give a game up, on turn or not (needs --as)
#[derive(Debug, Clone, Args)]
pub struct Resign {
    /// The number of the game
    game: GameId,
}

impl UseCase for Resign {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        change(session, self.game, |names, own, game| {
            let own = own.ok_or(Error::WhoResigns)?;
            game.resign(own).map_err(|_| Error::GameOver {
                game: self.game,
                result: words::result(game, names).unwrap_or_default(),
            })?;
            Ok(None)
        })
    }

    fn check(&self, actor: Option<&PlayerRef>) -> Result<(), Error> {
        if actor.is_some() { Ok(()) } else { Err(Error::WhoResigns) }
    }
}
