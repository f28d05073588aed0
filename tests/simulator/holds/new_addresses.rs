//! What a new address ends. docs/club.md.

use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::Tables;

/// With a new address, requests for other ones end. If the player has changed it and not the host, replies to earlier
/// mails are refused, and the old address does not hear where the mail goes.
pub(super) fn new_addresses_end_the_old_ones(change: &Change) -> Result<(), Violation> {
    const OF: &str = "new_addresses_end_the_old_ones";
    if change.words.is_empty() || change.after.is_same(change.before, "player") {
        return Ok(());
    }
    for id in change.after.changed(change.before, "player") {
        let of = |tables| Tables::columns_of(tables, "player", id, ["address", "secret"]).next();
        let (Some([old, old_secret]), Some([Some(new), secret])) =
            (of(change.before), of(change.after))
        else {
            continue;
        };
        if old == Some(new) {
            continue;
        }
        let name = id.to_string();
        let mut held = change.after.columns("held", ["player", "is_new_address", "done_at", "id"]);
        let asks = |[of, is_address, done_at, _]: &[Option<&str>; 4]| {
            *of == Some(&*name) && *is_address == Some("1") && done_at.is_none()
        };
        if let Some(row) = held.find(asks) {
            return violated(OF, format!("player {id} has a new address, and {row:?} still asks"));
        }
        // A mail with an answer is how players change theirs.
        if old.is_none() || change.words[0] != "receive" {
            continue;
        }
        if secret == old_secret {
            return violated(OF, format!("player {id} has moved, and earlier replies still count"));
        }
        for mail in change.after.added("outbox", change.before) {
            let row = change.after.columns_of("outbox", mail, ["kind", "address", "text"]).next();
            let Some([Some("moved"), address, text]) = row else { continue };
            if address != old || text.is_some_and(|it| it.contains(new)) {
                return violated(OF, format!("{address:?} hears {text:?} of {old:?}"));
            }
        }
    }
    Ok(())
}
