//! The last lines of a reply say to whom the command's mails went: docs/playing.md, docs/ssh.md.

use std::collections::BTreeSet;

use super::commands::Given;
use super::rows::name_of;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables::number;

/// The kinds of mail that are surely the command's own.
const OWN: [&str; 8] =
    ["turn", "started", "over", "challenge", "receipt", "flagged", "tournament", "notice"];

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
    match misnamed(change, ran) {
        None => Ok(()),
        Some(wrong) => {
            let found = format!("{} gave {:?}: {wrong}", change.actor, change.words.join(" "));
            violated("replies_say_who_is_mailed", found)
        }
    }
}

/// Returns whom the last lines of a reply name in vain, or do not name.
fn misnamed(change: &Change, ran: &Ran) -> Option<String> {
    let mails = mails(change);
    let lines: Vec<_> = ran.sentences.iter().flat_map(|text| text.lines()).collect();
    OUTCOMES.into_iter().find_map(|(outcome, ends)| {
        let named = named(&lines, ends);
        let of = |is_meant: fn(&Mail) -> bool| -> BTreeSet<&str> {
            let own = mails.iter().filter(|it| it.outcome == outcome && is_meant(it));
            own.map(|it| &*it.name).collect()
        };
        let (mut must, may) = (of(|it| it.is_own), of(|_| true));
        must.retain(|name| !comes_later(&mails, name, outcome));
        let is_right = must.is_subset(&named) && named.is_subset(&may);
        (!is_right).then(|| format!("{outcome} to {named:?}, not {must:?} {mails:?}"))
    })
}

/// Returns whether somebody has another new mail that goes later or not at all. A reply names only what comes last.
fn comes_later(mails: &[Mail], name: &str, outcome: &str) -> bool {
    let mut own = mails.iter().filter(|it| it.is_own && it.name == name);
    own.any(|it| it.outcome != outcome && it.outcome != "sent")
}

/// What a reply says of mails that were tried in vain, or cannot be tried, and the words for it.
const IN_VAIN: [(&str, &[&str]); 3] = [
    ("paused", &[" waits, because earlier ones failed", " wait, because earlier ones failed"]),
    ("waits", &[" waits", " wait"]),
    ("failed", &[" failed"]),
];

/// The reply to a command, or to a mail that came in, names those whose mail waits because it could not be sent, has
/// failed, or is paused.
pub fn replies_say_which_mails_wait(change: &Change) -> Result<(), Violation> {
    let is_pipe = is_pipe(change);
    let is_judged = change.status == 0 && (is_pipe || Given::of(change).is_some());
    let Some(ran) = change.ran.filter(|ran| is_judged && ran.has_sentences()) else {
        return Ok(());
    };
    let mails = mails(change);
    let lines = ran.sentences.iter().flat_map(|text| text.lines());
    let told: BTreeSet<_> = lines.filter_map(in_vain).flatten().collect();
    let own = || mails.iter().filter(|it| it.is_own);
    // Of one who will be mailed later in any case, no more is said.
    let later: Vec<_> = own().filter(|it| it.outcome == "later").map(|it| &it.name).collect();
    let vain = own().filter(|it| it.outcome != "sent" && !later.contains(&&it.name));
    let must: BTreeSet<_> = vain.map(|it| (it.outcome, &*it.name)).collect();
    // A mail that waits already can be the command's, too.
    let may = all_in_vain(change);
    if must.is_subset(&told) && told.is_subset(&may) {
        return Ok(());
    }
    let found = format!("{} gave {:?}", change.actor, change.words.join(" "));
    let found = format!("{found}: {told:?}, not {must:?} {mails:?}: {:?}", ran.sentences);
    violated("replies_say_which_mails_wait", found)
}

/// Returns those who have mails that are not sent, each with the outcome.
fn all_in_vain<'a>(change: &Change<'a>) -> BTreeSet<(&'static str, &'a str)> {
    let rows = change.after.columns("outbox", ["state", "player", "address"]);
    let vain = rows.filter_map(|[state, player, address]| {
        let outcome = match state? {
            "queued" => "waits",
            "failed" => "failed",
            "paused" => "paused",
            _ => return None,
        };
        let name = number(player).and_then(|player| name_of(change.after, player));
        Some((outcome, name.or(address)?))
    });
    vain.collect()
}

/// Returns those whose mails a line says were not sent, each with the outcome.
fn in_vain(line: &str) -> Option<Vec<(&'static str, &str)>> {
    let (owners, rest) = [" mails", " mail"].iter().find_map(|it| {
        let (owners, rest) = line.split_once(it)?;
        owners.ends_with("'s").then_some((owners, rest))
    })?;
    let begins = |words: &&[&str]| words.iter().any(|it| rest.starts_with(it));
    let (outcome, _) = IN_VAIN.iter().find(|(_, words)| begins(words))?;
    let owners = owners.split(", ").flat_map(|it| it.split(" and "));
    let owners: Vec<_> = owners.map(|it| it.strip_suffix("'s").unwrap_or(it)).collect();
    // A sentence of a help text names nobody.
    let are_names = owners.iter().all(|it| !it.contains(' '));
    are_names.then(|| owners.into_iter().map(|it| (*outcome, it)).collect())
}

/// `receive` names those who were mailed at once: none but those who were, and whoever got the answer to the mail.
pub fn answers_say_who_is_mailed(change: &Change) -> Result<(), Violation> {
    let is_judged = is_pipe(change) && change.status == 0;
    let Some(ran) = change.ran.filter(|ran| is_judged && ran.has_sentences()) else {
        return Ok(());
    };
    misnamed(change, ran).map_or(Ok(()), |wrong| violated("answers_say_who_is_mailed", wrong))
}

/// Returns whether a mail was piped into the program.
fn is_pipe(change: &Change) -> bool {
    change.incoming.is_some() && change.words.first().is_some_and(|it| it == "receive")
}

/// Returns those whom the line names that ends in one of these ways.
fn named<'a>(lines: &[&'a str], ends: [&str; 2]) -> BTreeSet<&'a str> {
    let named = lines.iter().find_map(|line| ends.iter().find_map(|end| line.strip_suffix(end)));
    let named = named.unwrap_or_default().split(", ").flat_map(|it| it.split(" and "));
    let named = named.map(|it| it.trim_start_matches("and "));
    named.filter(|it| !it.is_empty()).collect()
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
    // A notice can also say that a computer player cannot move.
    let has_bot = |game: Option<&str>| {
        let bots = ["black_bot", "white_bot"];
        let mut rows = number(game).into_iter().flat_map(|id| after.columns_of("game", id, bots));
        rows.any(|bots| bots != [None; 2])
    };
    let answered = change.incoming.filter(|_| is_pipe(change)).map(|mail| &*mail.id);
    let columns = ["kind", "player", "address", "state", "tries", "due_at", "occasion"];
    let mail = |id| {
        let [kind, player, address, state, tries, due_at, occasion] =
            after.columns_of("outbox", id, columns).next()?;
        let is_secret = occasion == Some("deleted plan") || kind?.starts_with("watched");
        let outcome = match state? {
            "sent" => "sent",
            "queued" if tries == Some("0") && number(due_at)? > change.now.timestamp() => "later",
            "queued" => "waits",
            "failed" => "failed",
            "paused" => "paused",
            _ => return None,
        };
        let name = number(player).and_then(|player| name_of(after, player)).or(address)?;
        let is_new = before.columns_of("outbox", id, ["id"]).next().is_none();
        let [game, challenge, in_reply_to] =
            after.columns_of("outbox", id, ["game", "challenge", "in_reply_to"]).next()?;
        let is_about = is_about("game", game) || is_about("challenge", challenge);
        let is_own = match answered {
            // What shows a game can be replaced while it is delivered.
            Some(_) => is_new && kind? == "answer" && in_reply_to == answered,
            // Nobody need be told of a mail to themselves.
            None => {
                let is_own = OWN.contains(&kind?) && !(kind? == "notice" && has_bot(game));
                is_new && is_about && is_own && name != change.actor
            }
        };
        (!is_secret).then(|| Mail { name: name.to_owned(), outcome, is_own })
    };
    new.filter_map(mail).collect()
}
