use clap::Args;
use serde::Serialize;

use super::{Error, Reply, Session, UseCase};
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
        let now = session.app.now();
        let player = session.app.store.write(|db| {
            address_is_free(db, &self.address)?;
            if let Some(known) = db.player_named(self.name.as_str())? {
                return Err(Error::NameTaken(known.name));
            }
            Ok(db.add_player(self.name.as_str(), self.address.as_str(), now)?)
        })?;
        Ok(reply(&player, "is signed up; mail goes to"))
    }
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
