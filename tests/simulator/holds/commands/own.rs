//! What belongs to a player changes only by that player.

use std::collections::BTreeSet;

use super::Given;
use crate::simulator::Violation;
use crate::simulator::holds::{Change, HOST, replies, violated};
use crate::simulator::tables::Tables;

/// What belongs to players: the columns of a table, with the owner first, and the commands that change it.
const THINGS: [(&str, [&str; 4], &[&str]); 4] = [
    ("blocked", ["player", "author", "", ""], &["block", "unblock"]),
    ("unsubscribed", ["player", "game", "", ""], &["mute", "unmute", "subscribe", "unsubscribe"]),
    ("watcher", ["player", "game", "", ""], &["watch", "unwatch"]),
    ("absence", ["player", "from_at", "until_at", ""], &["away"]),
];

/// The columns of the settings, with their words. The column `clock` has three.
const SETTINGS: [(&str, &[&str]); 11] = [
    ("receipt", &["receipt"]),
    ("reminders", &["reminders"]),
    ("letter", &["letter"]),
    ("named", &["named"]),
    ("mail_mode", &["mail"]),
    ("style", &["style"]),
    ("grace", &["grace"]),
    ("subject", &["subject"]),
    ("watchers", &["watchers"]),
    ("challenges", &["challenges"]),
    ("clock", &["timezone", "weekend", "quiet"]),
];

/// A player's settings, blocks, absences, watched and muted games change only by the player, and each only by its
/// command; `set` changes nothing but the setting that it names.
pub fn only_own_things_change(change: &Change) -> Result<(), Violation> {
    const OF: &str = "only_own_things_change";
    let Some(first) = change.words.first() else { return Ok(()) };
    let given = Given::of(change);
    let owner = match (change.incoming, given) {
        (Some(mail), _) => replies::author(mail, change),
        (None, Some(given)) => given.actor.map(|it| it.id),
        // What a mail was about that did not count is not known.
        (None, None) if first == "receive" => return Ok(()),
        (None, None) => {
            let mut players = change.before.columns("player", ["id", "name"]);
            players
                .find(|[_, name]| {
                    change.actor != HOST
                        && name.is_some_and(|it| it.eq_ignore_ascii_case(change.actor))
                })
                .and_then(|[id, _]| id)
        }
    };
    let left = |id: Option<&str>| {
        let mut rows = change.after.columns("player", ["id", "left_at"]);
        rows.any(|[it, left_at]| it == id && left_at.is_some())
    };
    for (table, columns, words) in THINGS {
        if change.after.is_same(change.before, table) {
            continue;
        }
        let rows = |tables| -> BTreeSet<[Option<&str>; 4]> {
            Tables::columns(tables, table, columns).collect()
        };
        for row in rows(change.before).symmetric_difference(&rows(change.after)) {
            let is_of_command = given.is_none_or(|given| words.contains(&given.word));
            if !(row[0] == owner && is_of_command || left(row[0])) {
                let found = format!("{table} {row:?}: {} gave {:?}", change.actor, change.words);
                return violated(OF, found);
            }
        }
    }
    if change.after.is_same(change.before, "player") {
        return Ok(());
    }
    let settings = SETTINGS.map(|(column, _)| column);
    let ids = change.after.columns("player", ["id"]).flatten().flatten();
    for id in ids.filter_map(|id| id.parse().ok()) {
        let of = |tables| Tables::columns_of(tables, "player", id, settings).next();
        let (Some(before), Some(after)) = (of(change.before), of(change.after)) else { continue };
        for ((column, words), (old, new)) in SETTINGS.iter().zip(before.into_iter().zip(after)) {
            let parts = |value: Option<&str>| -> Vec<String> {
                let value = value.unwrap_or_default();
                match *column == "clock" {
                    true => value.split(' ').map(str::to_owned).collect(),
                    false => vec![value.to_owned()],
                }
            };
            for (word, (old, new)) in words.iter().zip(parts(old).into_iter().zip(parts(new))) {
                let is_its = given.is_none_or(|given| {
                    given.word == *word
                        || given.word == "set"
                            && given.rest.first().is_some_and(|it| it.eq_ignore_ascii_case(word))
                });
                if old != new && !(is_its && owner == Some(&*id.to_string())) {
                    let found = format!(
                        "{word} of player {id} becomes {new:?}: {} gave {:?}",
                        change.actor, change.words
                    );
                    return violated(OF, found);
                }
            }
        }
    }
    Ok(())
}
