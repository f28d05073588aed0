//! Bans of mailboxes. docs/club.md, Leaving.

use std::collections::BTreeMap;

use super::commands::{Given, Member};
use super::quotas::mailbox;
use super::{Change, HOST, violated};
use crate::simulator::Violation;
use crate::simulator::tables::Tables;

/// The mailboxes that the host has banned, by the hashes that are stored.
#[derive(Debug, Default)]
pub struct Bans(BTreeMap<String, String>);

impl Bans {
    /// Learns which hash a mailbox has that the host bans.
    pub fn learn(&mut self, change: &Change) {
        let Some(mailbox) = newly_banned(change) else { return };
        let old = hashes(change.before);
        let new = hashes(change.after).into_iter().filter(|it| !old.contains(it));
        self.0.extend(new.map(|hash| (hash, mailbox.clone())));
    }

    /// Returns the mailboxes that are banned, and have no player.
    pub fn of(&self, tables: &Tables) -> Vec<&str> {
        let hashes = hashes(tables);
        let members: Vec<_> =
            Member::all(tables).filter_map(|it| it.address.map(mailbox)).collect();
        let banned = self.0.iter().filter(|(hash, _)| hashes.contains(hash));
        let banned = banned.map(|(_, it)| it).filter(|it| !members.contains(it));
        banned.map(String::as_str).collect()
    }
}

/// Returns the mailbox that the command of a change bans.
fn newly_banned(change: &Change) -> Option<String> {
    let given = Given::of(change).filter(|it| it.word == "remove" && change.status == 0)?;
    let mut names = given.rest.iter().filter_map(|it| Member::named(given.tables, it));
    let is_ban = given.rest.iter().any(|it| it == "--ban");
    names.next().filter(|_| is_ban)?.address.map(mailbox)
}

/// Returns the address of a player whom the host has signed up.
fn signed_up_by_host<'a>(change: &Change<'a>) -> Option<&'a str> {
    let given = Given::of(change).filter(|it| it.word == "signup" && change.status == 0)?;
    let new = Member::named(change.after, given.rest.first()?)?;
    new.address.filter(|_| given.actor.is_none())
}

fn hashes(tables: &Tables) -> Vec<String> {
    tables.columns("ban", ["mailbox"]).filter_map(|[hash]| hash.map(str::to_owned)).collect()
}

/// A mailbox that is banned, with or without a `+`, gets no mail any more, and nobody but the host signs it up.
pub fn banned_mailboxes_get_no_mail(change: &Change, bans: &Bans) -> Result<(), Violation> {
    const OF: &str = "banned_mailboxes_get_no_mail";
    let is_known = |it: &String| {
        let hashes = hashes(change.after);
        bans.0.iter().any(|(hash, own)| own == it && hashes.contains(hash))
    };
    if let Some(mailbox) = newly_banned(change).filter(|it| !is_known(it)) {
        return violated(OF, format!("{mailbox} is not banned by {:?}", change.words));
    }
    if let Some(address) = signed_up_by_host(change).filter(|it| is_known(&mailbox(it))) {
        return violated(OF, format!("{address} is signed up by the host, and still banned"));
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
    for id in change.after.new_rows("outbox", change.before) {
        if change.before.columns_of("outbox", id, ["id"]).next().is_some() {
            continue;
        }
        for [to, address, kind] in
            change.after.columns_of("outbox", id, ["sent_to", "address", "kind"])
        {
            if let Some(to) = to.or(address).filter(|to| banned.contains(&&*mailbox(to))) {
                return violated(OF, format!("{to} gets {kind:?} after {:?}", change.words));
            }
        }
    }
    Ok(())
}
