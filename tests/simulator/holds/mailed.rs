//! The last lines of a reply say to whom the command's mails went: docs/playing.md, docs/ssh.md.

use std::collections::BTreeSet;

use super::commands::Given;
use super::rows::name_of;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::number;

/// The kinds of mail that are surely the command's own.
const OWN: [&str; 7] = ["turn", "started", "over", "challenge", "receipt", "flagged", "tournament"];

/// What a reply says of mails, and how each line about it ends.
const OUTCOMES: [(&str, [&str; 2]); 2] = [
    ("sent", [" was mailed.", " were mailed."]),
    ("later", [" will be mailed later.", " will be mailed later."]),
];

/// The reply to a command names those who were mailed at once, and those who will be mailed later.
pub fn replies_say_who_is_mailed(change: &Change) -> Result<(), Violation> {
    let (Some(_), Some(ran), 0) = (Given::of(change), change.ran, change.status) else {
        return Ok(());
    };
    if !ran.has_sentences() {
        return Ok(());
    }
    let mails = mails(change);
    let lines: Vec<_> = ran.sentences.iter().flat_map(|text| text.lines()).collect();
    for (outcome, ends) in OUTCOMES {
        let named =
            lines.iter().find_map(|line| ends.iter().find_map(|end| line.strip_suffix(end)));
        let named = named.unwrap_or_default().split(", ").flat_map(|it| it.split(" and "));
        let named: BTreeSet<_> = named.map(|it| it.trim_start_matches("and ")).collect();
        let named: BTreeSet<_> = named.into_iter().filter(|it| !it.is_empty()).collect();
        let of = |is_meant: fn(&Mail) -> bool| -> BTreeSet<&str> {
            let own = mails.iter().filter(|it| it.outcome == outcome && is_meant(it));
            own.map(|it| &*it.name).collect()
        };
        let (must, may) = (of(|it| it.is_own), of(|_| true));
        if !must.is_subset(&named) || !named.is_subset(&may) {
            let found = format!("{} gave {:?}", change.actor, change.words.join(" "));
            let found = format!("{found}: {outcome} to {named:?}, not {must:?} {mails:?}");
            return violated("replies_say_who_is_mailed", found);
        }
    }
    Ok(())
}

/// A mail that a command has queued.
#[derive(Debug)]
struct Mail {
    name: String,
    outcome: &'static str,
    /// Whether it is surely the command's.
    is_own: bool,
}

/// Returns the mails that are new in a step, but not those about which nobody may know.
fn mails(change: &Change) -> Vec<Mail> {
    let (before, after) = (change.before, change.after);
    // A mail that gathers several things can be there already.
    let new = after.new_rows("outbox", before).into_iter();
    let named = Given::of(change).and_then(|given| given.id());
    // Other mails can be queued while the command's are delivered.
    let is_about = |table: &str, id: Option<&str>| {
        let id = number(id);
        let is_known = |id| before.columns_of(table, id, ["id"]).next().is_some();
        id.is_some() && (id == named || id.is_some_and(|id| !is_known(id)))
    };
    let columns = ["kind", "player", "address", "state", "tries", "due_at", "occasion"];
    let mail = |id| {
        let [kind, player, address, state, tries, due_at, occasion] =
            after.columns_of("outbox", id, columns).next()?;
        let is_secret = occasion == Some("deleted plan") || kind?.starts_with("watched");
        let outcome = match state? {
            "sent" => "sent",
            "queued" if tries == Some("0") && number(due_at)? > change.now.timestamp() => "later",
            _ => return None,
        };
        let name = number(player).and_then(|player| name_of(after, player)).or(address)?;
        let is_new = before.columns_of("outbox", id, ["id"]).next().is_none();
        let [game, challenge] = after.columns_of("outbox", id, ["game", "challenge"]).next()?;
        let is_about = is_about("game", game) || is_about("challenge", challenge);
        // Nobody need be told of a mail to themselves.
        let is_own = is_new && is_about && OWN.contains(&kind?) && name != change.actor;
        (!is_secret).then(|| Mail { name: name.to_owned(), outcome, is_own })
    };
    new.filter_map(mail).collect()
}
