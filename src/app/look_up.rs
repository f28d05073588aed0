//! Finding what a command names, or saying that it is not there.

use super::{Actor, Error, suggest};
use crate::command::PlayerRef;
use crate::game::{Color, GameId};
use crate::store::{Db, Player, StoredGame};

/// The game of this number.
pub(super) fn game(db: &Db, id: GameId) -> Result<StoredGame, Error> {
    db.game(id)?.ok_or(Error::NoGame(id))
}

/// The player of this name or address.
pub(super) fn player(db: &Db, named: &PlayerRef) -> Result<Player, Error> {
    let found = match named {
        PlayerRef::Name(name) => db.player_named(name)?,
        PlayerRef::Address(address) => db.player_at(address)?,
    };
    match found {
        Some(player) => Ok(player),
        None => {
            let names = db.players()?.into_iter().map(|player| player.name);
            let near = suggest::near(named.as_str(), names);
            Err(Error::NoPlayer { name: named.to_string(), near })
        }
    }
}

/// The colour that whoever acts has in the game; `None` when the host acts for whoever is on turn.
pub(super) fn own_color(db: &Db, game: &StoredGame, actor: &Actor) -> Result<Option<Color>, Error> {
    let Some(named) = actor.player() else { return Ok(None) };
    let player = player(db, named)?;
    match game.color_of(player.id) {
        Some(color) => Ok(Some(color)),
        None => Err(Error::NotInGame { player: player.name, game: game.id }),
    }
}

/// The player who acts.
pub(super) fn acting(db: &Db, actor: &Actor) -> Result<Player, Error> {
    match actor {
        Actor::Player(named) => player(db, named),
        Actor::Host => Err(Error::WhoActs("this")),
    }
}

/// Refuses the host, who is nobody in particular, for this command.
pub(super) const fn needs_player(actor: &Actor, command: &'static str) -> Result<(), Error> {
    match actor {
        Actor::Player(_) => Ok(()),
        Actor::Host => Err(Error::WhoActs(command)),
    }
}
