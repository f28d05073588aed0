//! The items of the host's daily mail, if the configuration names an address for it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::app::text::redact::redacted;
use crate::app::{Env, Error};
use crate::store::{HostItemKind, Tx};
use outflank_model::PlayerId;

/// The most characters of a reason.
const MAX_CHARS: usize = 300;

/// Adds something about a player, a game or nothing for the next mail, without addresses and tokens.
pub(crate) fn add(
    env: &Env,
    tx: &Tx,
    kind: HostItemKind,
    about: i64,
    reason: &str,
) -> Result<(), Error> {
    if env.config.host.mail.is_none() {
        return Ok(());
    }
    let reason: String = redacted(reason).chars().take(MAX_CHARS).collect();
    Ok(tx.add_host_item(kind, about, &reason, env.now())?)
}

/// Adds something about a player, unless the player has left meanwhile.
pub(crate) fn add_about(
    env: &Env,
    tx: &Tx,
    kind: HostItemKind,
    player: PlayerId,
    reason: &str,
) -> Result<(), Error> {
    if tx.player(player)?.left_at.is_some() {
        return Ok(());
    }
    add(env, tx, kind, player.0, reason)
}

/// An outage of a command that runs until stopped.
pub(crate) struct Outage {
    /// When it began.
    pub from: DateTime<Utc>,
    /// Why, the last time.
    pub reason: String,
    /// The reasons that were added to the next mail, and when last.
    pub reported: BTreeMap<String, DateTime<Utc>>,
}

impl Env {
    /// Returns how the host is named in a sentence for players, with the address if there is one.
    pub(crate) fn host(&self) -> String {
        match &self.config.host.mail {
            Some(address) => format!("the host ({address})"),
            None => "the host".to_owned(),
        }
    }
}
