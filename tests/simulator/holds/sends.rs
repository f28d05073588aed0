//! What `send` says that it has done: docs/json.md, docs/operating.md.

use serde_json::json;

use super::views::{difference, time};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// `send` says how many mails it has sent, deferred and given up, how many wait and until when, and how many jobs
/// wait.
pub fn sends_say_what_they_did(change: &Change) -> Result<(), Violation> {
    let (before, after) = (change.before, change.after);
    let Some(ran) = change.ran.filter(|_| change.words == ["send"]) else { return Ok(()) };
    let shown = ran.shown();
    if !shown.is_object() {
        return Ok(());
    }
    let of = |tables: &Tables, id| {
        let row = tables.columns_of("outbox", id, ["state", "tries"]).next();
        row.map(|[state, tries]| (state.unwrap_or_default().to_owned(), number(tries)))
    };
    let count = |state: &str| {
        let new = after.new_rows("outbox", before).into_iter();
        let new = new.filter(|id| {
            let (old, new) = (of(before, *id), of(after, *id).unwrap_or_default());
            let has_tried = old.as_ref().map_or(Some(0), |it| it.1) != new.1;
            new.0 == state && has_tried
        });
        new.count()
    };
    let due = due(after, "outbox");
    // Each mail that was sent was accepted, unless nobody can know.
    let sent = if change.has_mail_faults {
        shown["sent"].clone()
    } else {
        change.new_mails().len().into()
    };
    let mut expected = json!({
        "sent": sent, "deferred": count("queued"), "failed": count("failed"),
        "waiting": due.len(), "next": due.iter().min().map(|at| time(*at)),
    });
    if shown["jobs"].is_object() {
        expected["jobs"] = json!({ "waiting": after.columns("job", ["id"]).count() });
    }
    match difference(&expected, &shown, String::new()) {
        None => Ok(()),
        Some(wrong) => violated("sends_say_what_they_did", format!("{wrong}: {shown}")),
    }
}

/// Returns when each of the mails that wait, or of the jobs, is tried next.
pub(super) fn due(tables: &Tables, table: &str) -> Vec<i64> {
    let rows = tables.columns(table, ["state", "due_at", "lease_until"]);
    // A job has no state: it is gone when it is done.
    let waiting = rows.filter(|[state, ..]| state.is_none_or(|it| it == "queued"));
    // Nobody else tries what a process has claimed.
    waiting.filter_map(|[_, due_at, claimed]| number(due_at).max(number(claimed))).collect()
}
