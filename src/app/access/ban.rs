//! Bans: mail from a banned mailbox gets no answer. Only a keyed hash of the mailbox is stored.

use ring::hmac;

use crate::app::{Env, Error};
use crate::command::mailbox;
use crate::store::{Db, Tx};

/// Returns the keyed hash of the mailbox of an address; `None` while there is no installation.
fn hash(db: &Db, address: &str) -> Result<Option<Vec<u8>>, Error> {
    let Some(secret) = db.installation_secret()? else { return Ok(None) };
    let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
    let text = format!("ban {}", mailbox(address).to_lowercase());
    Ok(Some(hmac::sign(&key, text.as_bytes()).as_ref().to_vec()))
}

/// Bans the mailbox of an address. The installation must exist.
pub(crate) fn add(env: &Env, tx: &Tx, address: &str) -> Result<(), Error> {
    let hash = hash(tx, address)?.ok_or_else(|| Error::fault("there is no installation yet"))?;
    Ok(tx.add_ban(&hash, env.now())?)
}

/// Lifts the ban of the mailbox of an address, if there is one.
pub(crate) fn lift(tx: &Tx, address: &str) -> Result<(), Error> {
    hash(tx, address)?.map_or(Ok(()), |hash| Ok(tx.lift_ban(&hash)?))
}

/// Returns whether the mailbox of an address is banned.
pub(crate) fn is_banned(db: &Db, address: &str) -> Result<bool, Error> {
    hash(db, address)?.map_or(Ok(false), |hash| Ok(db.has_ban(&hash)?))
}
