//! Bans of mailboxes. docs/club.md, Leaving.

use std::collections::BTreeMap;

use super::commands::{Given, Member};
use super::quotas::mailbox;
use super::{Change, HOST, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// The mailboxes that the host has banned, by the hashes that are stored.
#[derive(Debug, Default)]
pub struct Bans(BTreeMap<String, String>);

impl Bans {
    /// Learns which hash a mailbox has that the host bans.
    pub fn learn(&mut self, change: &Change) {
        let given = Given::of(change).filter(|it| it.word == "remove" && change.status == 0);
        let is_ban = |given: &Given| given.rest.iter().any(|it| it == "--ban");
        let Some(given) = given.filter(is_ban) else { return };
        let mut names = given.rest.iter().filter_map(|it| Member::named(given.tables, it));
        let Some(address) = names.next().and_then(|it| it.address) else { return };
        let old = hashes(change.before);
        let new = hashes(change.after).into_iter().filter(|it| !old.contains(it));
        self.0.extend(new.map(|hash| (hash, mailbox(address))));
    }

    /// Returns the mailboxes that are banned, and have no player.
    pub fn of(&self, tables: &Tables) -> Vec<&str> {
        let hashes = hashes(tables);
        let members: Vec<_> =
            Member::all(tables).filter_map(|it| it.address.map(mailbox)).collect();
        let banned = self.0.iter().filter(|(hash, _)| hashes.contains(hash));
        banned
            .map(|(_, it)| it.as_str())
            .filter(|it| !members.iter().any(|own| own == it))
            .collect()
    }
}

fn hashes(tables: &Tables) -> Vec<String> {
    tables.columns("ban", ["mailbox"]).filter_map(|[hash]| hash.map(str::to_owned)).collect()
}

/// A mailbox that is banned, with or without a `+`, gets no mail any more, and nobody but the host signs it up.
pub fn banned_mailboxes_get_no_mail(change: &Change, bans: &Bans) -> Result<(), Violation> {
    const OF: &str = "banned_mailboxes_get_no_mail";
    let given = Given::of(change).filter(|it| it.word == "remove" && change.status == 0);
    if let Some(given) = given.filter(|it| it.rest.iter().any(|it| it == "--ban")) {
        let mut names = given.rest.iter().filter_map(|it| Member::named(given.tables, it));
        let address = names.next().and_then(|it| it.address).map(mailbox);
        let is_known = |it: &String| {
            bans.0.iter().any(|(hash, own)| own == it && hashes(change.after).contains(hash))
        };
        if let Some(address) = address.filter(|it| !is_known(it)) {
            return violated(OF, format!("{address} is not banned by {:?}", change.words));
        }
    }
    // The host may write to anybody.
    if change.actor == HOST && change.incoming.is_none() || change.words.is_empty() {
        return Ok(());
    }
    let after = bans.of(change.after);
    let banned: Vec<_> =
        bans.of(change.before).into_iter().filter(|it| after.contains(it)).collect();
    if banned.is_empty() {
        return Ok(());
    }
    let columns = ["id", "sent_to", "kind", "created_at"];
    for [id, to, kind, created_at] in change.after.columns("outbox", columns) {
        let is_new = number(created_at) == Some(change.now.timestamp())
            && change
                .before
                .columns_of("outbox", number(id).unwrap_or_default(), ["id"])
                .next()
                .is_none();
        if let Some(to) = to.filter(|to| is_new && banned.contains(&&*mailbox(to))) {
            return violated(OF, format!("{to} gets {kind:?} after {:?}", change.words));
        }
    }
    Ok(())
}
