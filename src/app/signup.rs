use clap::Args;
use serde::Serialize;

use super::{App, Error, Reply, Session, UseCase};
use crate::command::{Address, Name};
use crate::store::{Db, Player};

/// Sign a player up
#[derive(Debug, Clone, Args)]
pub struct Signup {
    /// What the player is called: a letter, then letters, digits, `.`, `_` or `-`
    name: Name,
    /// Where the player's mail goes
    address: Address,
}

impl UseCase for Signup {
    fn founds(&self) -> bool {
        true
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let App { store, .. } = session.app;
        let player = store.write(|db| sign_up(session.app, db, &self.name, &self.address))?;
        Ok(reply(&player, "is signed up; mail goes to"))
    }
}

/// Signs a player up whose name and address are nobody's.
pub(super) fn sign_up(app: &App, db: &Db, name: &Name, address: &Address) -> Result<Player, Error> {
    address_is_free(db, address)?;
    if let Some(known) = db.player_named(name.as_str())? {
        return Err(Error::NameTaken(known.name));
    }
    let secret = app.dice.secret()?;
    Ok(db.add_player(name.as_str(), address.as_str(), &secret.0, app.now())?)
}

/// Refuses an address that is somebody's.
pub(super) fn address_is_free(db: &Db, address: &Address) -> Result<(), Error> {
    match db.player_at(address.as_str())? {
        Some(known) => {
            Err(Error::AddressTaken { address: address.to_string(), player: known.name })
        }
        None => Ok(()),
    }
}

/// Tells the host of a player.
pub(super) fn reply(player: &Player, what: &str) -> Reply {
    #[derive(Serialize)]
    struct Json<'a> {
        player: &'a str,
        address: &'a str,
    }
    Reply::new(&Json { player: &player.name, address: &player.address })
        .text(format!("{} {what} {}.", player.name, player.address))
}
