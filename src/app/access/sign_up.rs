//! Signs players up: by the host's commands and by mail.

use crate::app::{Env, Error, access::ban};
use crate::command::{Address, Name};
use crate::store::{Db, Tx};
use outflank_model::Player;

/// Signs a player up with a new name and a new address. Without an address the player gets no mail.
/// A ban of the mailbox ends: its own mail cannot sign it up, so the host does.
pub(crate) fn sign_up(
    env: &Env,
    tx: &Tx,
    name: &Name,
    address: Option<&Address>,
) -> Result<Player, Error> {
    if let Some(address) = address {
        check_address_is_free(env, tx, address)?;
        ban::lift(tx, address.as_str())?;
    }
    if let Some(known) = tx.player_named(name.as_str())? {
        let taken = format!("the name {} is taken", known.name);
        return Err(Error::refused(taken).with_hint("choose another"));
    }
    let secret = env.rng.secret()?.0;
    Ok(match address {
        Some(address) => tx.add_player(name.as_str(), address.as_str(), &secret, env.now())?,
        None => tx.add_player_without_mail(name.as_str(), &secret, env.now())?,
    })
}

/// Refuses an address of this server.
pub(crate) fn refuse_own_address(env: &Env, address: &Address, hint: &str) -> Result<(), Error> {
    if !env.is_own_address(address.as_str()) {
        return Ok(());
    }
    let error = Error::refused(format!("{address} is the address of this server"));
    Err(error.with_hint(hint))
}

/// Refuses an address that a player or this server has.
pub(crate) fn check_address_is_free(env: &Env, db: &Db, address: &Address) -> Result<(), Error> {
    refuse_own_address(env, address, "give the player's own address")?;
    match db.player_at(address.as_str())? {
        Some(Player { name, .. }) => {
            Err(Error::refused(format!("{address} is the address of {name}"))
                .with_hint(format!("use the name {name}")))
        }
        None => Ok(()),
    }
}
