use clap::Args;
use serde::Serialize;

use crate::app::session::Writing;
use crate::app::{Env, Error, Reply, Session, UseCase};
use crate::command::{Address, Name};
use crate::store::{Db, Player, Tx};

/// Sign a player up
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank signup alice alice@example.org")]
pub struct Signup {
    /// The player's name: a letter, then letters, digits, ".", "_" or "-"
    name: Name,
    /// The address for the player's mail
    address: Address,
}

impl UseCase for Signup {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|Writing { tx, env, .. }| {
            let player = sign_up(env, tx, &self.name, &self.address)?;
            Ok(player_reply(&player, "is signed up; mail goes to"))
        })
    }
}

/// Signs a player up, whose name and address must be new.
pub(crate) fn sign_up(env: &Env, tx: &Tx, name: &Name, address: &Address) -> Result<Player, Error> {
    check_address_is_free(env, tx, address)?;
    if let Some(known) = tx.player_named(name.as_str())? {
        let taken = format!("the name {} is taken", known.name);
        return Err(Error::refused(taken).with_hint("choose another"));
    }
    let secret = env.rng.secret()?;
    Ok(tx.add_player(name.as_str(), address.as_str(), &secret.0, env.now())?)
}

/// Refuses an address that a player or this server has.
pub(crate) fn check_address_is_free(env: &Env, db: &Db, address: &Address) -> Result<(), Error> {
    if env.is_own_address(address.as_str()) {
        return Err(Error::refused(format!("{address} is the address of this server"))
            .with_hint("give the player's own address"));
    }
    match db.player_at(address.as_str())? {
        Some(Player { name, .. }) => {
            Err(Error::refused(format!("{address} is the address of {name}"))
                .with_hint(format!("use the name {name}")))
        }
        None => Ok(()),
    }
}

/// Returns a reply about a player for the host.
pub(crate) fn player_reply(player: &Player, what: &str) -> Reply {
    #[derive(Serialize)]
    struct AddressJson<'a> {
        player: &'a str,
        address: &'a str,
    }
    Reply::new(&AddressJson { player: &player.name, address: &player.address })
        .text(format!("{} {what} {}.", player.name, player.address))
}
