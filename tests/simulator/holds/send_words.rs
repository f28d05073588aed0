//! What `send` says to people, and how it ends: docs/json.md, docs/operating.md.

use chrono::{DateTime, Local};
use serde_json::Value;

use super::remarks::counted;
use super::sends::due;
use super::{Accepted, Change, violated};
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables::{Tables, number};

/// `send` ends with 0 and JSON, or says why it does not. Its sentence has how many mails were sent, how many mails and
/// jobs wait and until when, and how many mails are paused; if it fails, also each mail that was tried in vain.
pub fn sends_say_it_in_words(change: &Change) -> Result<(), Violation> {
    const OF: &str = "sends_say_it_in_words";
    let is_send = match change.words {
        [word] => word == "send",
        [word, option] => word == "send" && option == "--after-outage",
        _ => false,
    };
    let Some(ran) = change.ran.filter(|_| is_send) else { return Ok(()) };
    let is_done = ran.json.as_ref().is_some_and(|it| !it.is_empty());
    if is_done != (ran.status == 0) {
        return violated(
            OF,
            format!("ended with {}: {:?} {:?}", ran.status, ran.json, ran.sentences),
        );
    }
    let wrong = match is_done {
        true => wrong_sentence(change, ran),
        false => wrong_fault(change, ran),
    };
    match wrong {
        None => Ok(()),
        Some(wrong) => violated(OF, format!("{wrong}: {:?} {:?}", ran.sentences, ran.json)),
    }
}

/// Returns what is wrong with what a `send` says that has done its work.
fn wrong_sentence(change: &Change, ran: &Ran) -> Option<String> {
    if !ran.has_sentences() {
        return None;
    }
    let shown = ran.shown();
    let done = shown["jobs"]["done"].as_i64().unwrap_or_default();
    let some = |value: &Value| value.as_i64().filter(|it| *it > 0);
    let deferred = some(&shown["deferred"]).map(|it| format!("{it} deferred"));
    let failed = some(&shown["failed"]).map(|it| format!("{it} failed"));
    let done = (done > 0).then(|| format!("{} done", counted(done, "job")));
    let parts = [Some(format!("{} sent", shown["sent"])), deferred, failed, done];
    let first = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let sentences = [first].into_iter().chain(waiting(change)?);
    let expected = sentences.map(|it| format!("{it}.")).collect::<Vec<_>>().join(" ");
    (ran.sentences != [&*expected]).then(|| format!("does not say {expected:?}"))
}

/// Returns what is wrong with what a failed `send` says.
fn wrong_fault(change: &Change, ran: &Ran) -> Option<String> {
    let message = ran.sentences.first().map(String::as_str).unwrap_or_default();
    // The built program prints it in JSON, and a line feed.
    if message.starts_with('{') || message.ends_with('\n') {
        return None;
    }
    let vain = tried_in_vain(change);
    let head = message.split_once(" sent; ").and_then(|(sent, _)| sent.parse::<usize>().ok());
    let Some(sent) = head else {
        // It can also fail before it sends anything.
        return (!vain.is_empty()).then(|| format!("does not say that {vain:?} were tried"));
    };
    let is_known = |it: &&Accepted| !it.may_come_again;
    let accepted = change.new_mails().iter().filter(is_known).count();
    if ran.status != 3 || sent != accepted && !message.contains("not marked as sent") {
        return Some(format!("{accepted} were sent, and the status is {}", ran.status));
    }
    let told: Vec<_> = message.split("; mail ").skip(1).collect();
    let told = told.into_iter().filter_map(|it| {
        let (id, rest) = it.split_once(" to ")?;
        Some((id.parse::<i64>().ok()?, rest))
    });
    let told: Vec<_> = told.collect();
    let is_told = |(id, said): &&(i64, &str)| {
        told.iter().any(|(told, rest)| told == id && rest.contains(*said))
    };
    // While the mail server cannot be reached, not each of them is named.
    if !vain.is_empty() && !vain.iter().any(|it| is_told(&it)) {
        return Some(format!("lacks {vain:?}"));
    }
    if let Some((id, _)) = told.iter().find(|(id, _)| was_not_tried(change, *id)) {
        return Some(format!("mail {id} was not tried"));
    }
    let waiting = waiting(change)?.join("; ");
    (!message.ends_with(&waiting)).then(|| format!("does not end with {waiting:?}"))
}

/// Returns the mails that were tried in the step and not sent, each with what is said of it. What becomes of those that
/// are refused is another matter.
fn tried_in_vain(change: &Change) -> Vec<(i64, &'static str)> {
    let new = change.after.new_rows("outbox", change.before).into_iter();
    let tried = new.filter_map(|id| {
        let [state, tries, bounced_at] =
            change.after.columns_of("outbox", id, ["state", "tries", "bounced_at"]).next()?;
        let said = match (state?, bounced_at) {
            ("queued", None) => " could not be delivered yet and will be retried: ",
            ("failed", None) => " failed: ",
            _ => return None,
        };
        (number(tries) > Some(tries_of(change.before, id))).then_some((id, said))
    });
    tried.collect()
}

/// Returns whether a mail was surely not tried. One that was refused can begin anew, and the record of one to somebody
/// who has left can be gone.
fn was_not_tried(change: &Change, id: i64) -> bool {
    let row = change.after.columns_of("outbox", id, ["bounced_at", "state"]).next();
    match row {
        Some([None, Some("sent")]) => true,
        Some([None, _]) => tries_of(change.after, id) == tries_of(change.before, id),
        _ => false,
    }
}

/// Returns how often a mail was tried.
fn tries_of(tables: &Tables, id: i64) -> i64 {
    let row = tables.columns_of("outbox", id, ["tries"]).next();
    row.and_then(|[tries]| number(tries)).unwrap_or_default()
}

/// Returns a moment as the host reads it on this machine.
fn shown(at: i64) -> Option<String> {
    let local = DateTime::from_timestamp(at, 0)?.with_timezone(&Local);
    let offset = local.format("%:z").to_string();
    let offset = if offset == "+00:00" { "Z" } else { &offset };
    Some(format!("{}{offset}", local.format("%Y-%m-%d %H:%M")))
}

/// Returns what is said of mails and jobs that wait, and of paused mails; `None` if that is not known.
fn waiting(change: &Change) -> Option<Vec<String>> {
    let (after, now) = (change.after, change.now.timestamp());
    let mut sentences = Vec::new();
    for (what, table) in [("mail", "outbox"), ("job", "job")] {
        let due = due(after, table);
        let Some(next) = due.iter().min().copied() else { continue };
        let until = shown(next)?;
        sentences.push(match (due.len(), next <= now) {
            (1, true) => format!("1 {what} waits and is due now"),
            (1, false) => format!("1 {what} waits until {until}"),
            (count, true) => format!("{count} {what}s wait and are due now or later"),
            (count, false) => format!("{count} {what}s wait, the first until {until}"),
        });
    }
    let states = after.columns("outbox", ["state"]);
    match states.filter(|[state]| *state == Some("paused")).count() {
        0 => {}
        1 => sentences.push("1 mail is paused, because earlier ones failed".to_owned()),
        paused => {
            sentences.push(format!("{paused} mails are paused, because earlier ones failed"));
        }
    }
    Some(sentences)
}
