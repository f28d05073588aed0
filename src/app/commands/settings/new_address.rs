//! `set address`: a new address after a `yes` from the old one, and then one from the new one.

use chrono::TimeDelta;

use crate::app::access::sign_up::refuse_own_address;
use crate::app::effects::due::Hold;
use crate::app::effects::outbox::Cause;
use crate::app::run::session::Writing;
use crate::app::{Env, Error, access::ban};
use crate::command::Address;
use crate::store::{Db, NewOutboxEntry, Tx};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::{About, HeldKind, HeldLine, Player};

/// The most requests of a player in a day.
const MAX_REQUESTS: u32 = 3;

const DAY: TimeDelta = TimeDelta::days(1);

/// Asks the player at the present address whether the new one is wanted. Returns a sentence about it.
pub(crate) fn ask_old(
    writing: &mut Writing,
    player: &Player,
    address: &Address,
) -> Result<&'static str, Error> {
    let (tx, env) = (writing.tx, writing.env);
    let line = request(env, tx, player, address)?;
    let old = player.address.as_deref().unwrap_or_default();
    let mark = env.rng.mark();
    let held = tx.hold(Some(player.id), old, &[line], true, &mark, env.now())?;
    let entry = NewOutboxEntry::to(player, MailContent::of_held(MessageKind::Confirm, held));
    // The player has asked for it.
    writing.outbox.add_held(&entry, Cause::COMMAND, Hold::Immediate)?;
    Ok("A mail to the present address asks whether it was you. Then another goes to the new one.")
}

/// Counts a request for a new address. Returns the line to be confirmed at the present one.
pub(crate) fn request(
    env: &Env,
    tx: &Tx,
    player: &Player,
    address: &Address,
) -> Result<HeldLine, Error> {
    check(env, player, address)?;
    let now = env.now();
    check_limit(tx.count_address_request(player.id, now - DAY, now)?)?;
    Ok(line(address))
}

/// Returns the line to be confirmed at the present address.
pub(crate) fn line(address: &Address) -> HeldLine {
    let sentence = "your mail goes there after a yes from there, too".to_owned();
    HeldLine {
        kind: HeldKind::Address,
        words: format!("set address {address}"),
        about: Some(About { events: Some(0), sentence }),
    }
}

/// Asks at the new address, which the player has confirmed at the present one. A taken address gets no
/// mail, which the answer does not reveal.
pub(crate) fn ask_new(
    writing: &mut Writing,
    player: &Player,
    address: &Address,
) -> Result<&'static str, Error> {
    let (tx, env) = (writing.tx, writing.env);
    check(env, player, address)?;
    check_limit(tx.new_addresses_since(player.id, env.now() - DAY)? + 1)?;
    let held = tx.hold_new_address(player.id, address.as_str(), &env.rng.mark(), env.now())?;
    if is_free(tx, address)? {
        let entry = NewOutboxEntry::to_address(
            address.as_str(),
            MailContent::of_held(MessageKind::NewAddress, held),
        );
        // The owner of the new address has not asked for it yet.
        writing.outbox.add(&entry, Cause::UNVERIFIED)?;
    }
    Ok("The new address is asked, too. When it has answered, your mail goes there.")
}

/// Returns whether neither a player nor a ban has this address.
pub(crate) fn is_free(db: &Db, address: &Address) -> Result<bool, Error> {
    Ok(db.player_at(address.as_str())?.is_none() && !ban::is_banned(db, address.as_str())?)
}

/// Refuses an address that cannot be the player's new one, for a reason that the player may know.
fn check(env: &Env, player: &Player, address: &Address) -> Result<(), Error> {
    let (name, text) = (&player.name, address.as_str());
    if player.address.is_none() {
        let error = Error::refused(format!("{name} has no address that could confirm a new one"));
        let host = env.host();
        return Err(error.with_hint(format!("{host} writes `outflank address {name} {text}`")));
    }
    if player.is_at(text) {
        return Err(Error::refused(format!("{text} is the address of {name} already")));
    }
    refuse_own_address(env, address, "give your own address")
}

fn check_limit(requests: u32) -> Result<(), Error> {
    if requests <= MAX_REQUESTS {
        return Ok(());
    }
    let limit = format!("limit of {MAX_REQUESTS} requests for a new address in a day reached");
    Err(Error::refused(limit).with_hint("try again tomorrow"))
}
