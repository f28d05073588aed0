//! The notice to the host: docs/operating.md.

use super::mail_texts::flat;
use super::rows::{Mail, name_of, of_player};
use super::{Change, Part, each_holds};
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// Kinds of news about a player.
const OF_PLAYERS: [&str; 3] = ["bounce", "pause", "signup"];

/// Something that the host is to be told.
#[derive(Debug)]
struct Item<'a> {
    kind: &'a str,
    about: i64,
    count: i64,
    text: &'a str,
    first_at: i64,
    last_at: i64,
    /// The notice that has it and was not delivered yet, and how often that says it has happened.
    mail: Option<i64>,
    told: i64,
}

impl<'a> Item<'a> {
    fn all(tables: &'a Tables) -> Vec<Self> {
        let columns = ["kind", "about", "count", "text", "first_at", "last_at", "mail", "told"];
        let item = |row: [Option<&'a str>; 8]| {
            let [kind, about, count, text, first_at, last_at, mail, told] = row;
            Some(Self {
                kind: kind?,
                about: number(about)?,
                count: number(count)?,
                text: text?,
                first_at: number(first_at)?,
                last_at: number(last_at)?,
                mail: number(mail),
                told: number(told)?,
            })
        };
        tables.columns("news", columns).filter_map(item).collect()
    }

    fn is_same(&self, other: &Item) -> bool {
        (self.kind, self.about) == (other.kind, other.about)
    }
}

/// The host is told of what needs a person: of each thing once, at most once a day, and without anybody's address.
pub fn hosts_are_told(change: &Change) -> Result<(), Violation> {
    const TABLES: [&str; 4] = ["news", "outbox", "player", "mail_outage"];
    let is_same = || TABLES.iter().all(|it| change.after.is_same(change.before, it));
    if change.words.is_empty() || is_same() {
        return Ok(());
    }
    let parts: [(_, Part); 4] = [
        ("trouble_is_noted_for_the_host", trouble_is_noted),
        ("the_host_is_told_when_due", is_told_when_due),
        ("notices_to_the_host_have_all", notices_have_all),
        ("the_host_is_told_once", is_told_once),
    ];
    each_holds(change, &parts)
}

/// Returns the notices that a step has queued.
fn new_notices(change: &Change) -> Vec<Mail> {
    let new = change.after.new_rows("outbox", change.before).into_iter();
    let new = new.filter(|id| Mail::of(change.before, *id).is_none());
    let new = new.filter_map(|id| Mail::of(change.after, id));
    new.filter(|mail| mail.kind == "host").collect()
}

/// Returns whether a notice waits.
fn has_queued(tables: &Tables) -> bool {
    let mut rows = tables.columns("outbox", ["kind", "state"]);
    rows.any(|it| it == [Some("host"), Some("queued")])
}

/// Returns when the last notice was queued.
fn notified_at(tables: &Tables) -> Option<i64> {
    tables.columns("installation", ["host_notified_at"]).next().and_then(|[at]| number(at))
}

/// A mail that bounces, a pause, a player who signs up by mail and a mail server that cannot be reached are noted.
fn trouble_is_noted(change: &Change) -> Result<(), String> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    // What a notice of the same step has told is gone.
    if !new_notices(change).is_empty() {
        return Ok(());
    }
    let items = Item::all(after);
    let note = |kind, about| {
        let is_here = about == 0 || of_player(after, about, "left_at").is_none();
        let is_it = |it: &Item| it.kind == kind && it.about == about && it.last_at == now;
        match is_here && !items.iter().any(is_it) {
            true => Err(format!("no {kind} about {about} is noted: {items:?}")),
            false => Ok(()),
        }
    };
    for player in after.changed(before, "player") {
        let is_paused = |tables| of_player(tables, player, "paused_at").is_some();
        if is_paused(after) && !is_paused(before) {
            note("pause", player)?;
        }
        if change.incoming.is_some() && name_of(before, player).is_none() {
            note("signup", player)?;
        }
    }
    let is_down = |tables: &Tables| tables.columns("mail_outage", ["since"]).next().is_some();
    if is_down(after) && !is_down(before) {
        note("sending", 0)?;
    }
    let bounces = |tables: &Tables, id| {
        let row = tables.columns_of("outbox", id, ["bounces", "player"]).next();
        row.map(|[bounces, player]| (number(bounces), number(player)))
    };
    for id in after.new_rows("outbox", before) {
        if let Some((count, Some(player))) = bounces(after, id)
            && bounces(before, id).is_some_and(|(known, _)| known < count)
        {
            note("bounce", player)?;
        }
    }
    Ok(())
}

/// After `send`, nothing waits that a notice could have told; and no notice comes within a day of another one.
fn is_told_when_due(change: &Change) -> Result<(), String> {
    let (before, now) = (change.before, change.now.timestamp());
    let (known, last) = (has_queued(before), notified_at(before));
    let new = new_notices(change);
    // The clock may have been set back.
    let is_early = last.is_some_and(|last| last <= now && now - last < DAY);
    if !new.is_empty() && is_early || new.len() > 1 {
        return Err(format!("{new:?} come after one at {last:?}, now {now}"));
    }
    let items = Item::all(before);
    let is_due = !known && last.is_none_or(|last| now - last >= DAY);
    let is_here = |it: &Item| {
        !OF_PLAYERS.contains(&it.kind) || of_player(change.after, it.about, "left_at").is_none()
    };
    let is_sent = change.words == ["send"] && change.status == 0;
    match is_sent && is_due && items.iter().any(is_here) && new.is_empty() {
        true => Err(format!("{items:?} wait since {last:?}, now {now}")),
        false => Ok(()),
    }
}

/// A notice has a line for each thing that was noted, with the player whom it is about, how often it has happened
/// and the reason; and it has nobody's address.
fn notices_have_all(change: &Change) -> Result<(), String> {
    let [new] = &new_notices(change)[..] else { return Ok(()) };
    let text = change.after.columns_of("outbox", new.id, ["text"]).next();
    let text = text.and_then(|[text]| text).unwrap_or_default();
    let addresses = change.after.columns("player", ["address"]).flatten().flatten();
    if let Some(address) = addresses.into_iter().find(|it| text.contains(*it)) {
        return Err(format!("{text:?} has {address}"));
    }
    let items = Item::all(change.before);
    let flat = flat(text);
    // More can happen in the same step, and there is more to say of the clock.
    let is_settled = !change.has_mail_faults;
    for item in items.iter().filter(|it| it.kind != "clock") {
        let of_player = OF_PLAYERS.contains(&item.kind);
        if of_player && name_of(change.after, item.about).is_none() {
            continue;
        }
        let name = name_of(change.after, item.about).filter(|_| of_player).unwrap_or_default();
        let is_delivered = item.mail.and_then(|id| Mail::of(change.after, id));
        let is_delivered = is_delivered.is_some_and(|it| it.state == "sent");
        // What was told before is not told again.
        let count = if is_delivered { item.count - item.told } else { item.count };
        if count == 0 {
            continue;
        }
        let times = match count {
            ..2 => String::new(),
            count => format!("{count} times"),
        };
        let is_again = is_settled && !["pause", "signup"].contains(&item.kind);
        let has_left = of_player && self::of_player(change.after, item.about, "left_at").is_some();
        let mut lines = text.lines().filter(|it| it.contains(name));
        let is_told = lines.any(|it| !is_again || it.contains(&times) && it.contains(item.text));
        if !has_left && !is_told {
            return Err(format!("{flat:?} lacks {item:?}"));
        }
    }
    Ok(())
}

/// What a delivered notice has told is not told again: only how often it has happened since, and since when.
fn is_told_once(change: &Change) -> Result<(), String> {
    let (before, after) = (change.before, change.after);
    let (old, new) = (Item::all(before), Item::all(after));
    for item in &old {
        let told = item.mail.and_then(|id| Some([Mail::of(before, id)?, Mail::of(after, id)?]));
        let Some([was, is]) = told else { continue };
        if was.kind != "host" || [&*was.state, &*is.state] != ["queued", "sent"] {
            continue;
        }
        let again = item.count - item.told;
        let Some(left) = new.iter().find(|it| it.is_same(item)) else {
            let has_left = OF_PLAYERS.contains(&item.kind)
                && of_player(after, item.about, "left_at").is_some();
            match again > 0 && !has_left && new_notices(change).is_empty() {
                true => return Err(format!("{item:?} has happened again, and is lost")),
                false => continue,
            }
        };
        let is_stale = left.first_at == item.first_at && item.first_at < was.created_at;
        // It can happen once more in the same second.
        let is_now = left.last_at == change.now.timestamp() && left.count > again;
        let is_counted = left.last_at != item.last_at || left.count == again || is_now;
        if is_stale || !is_counted || left.mail == item.mail {
            return Err(format!("{left:?} was {item:?}, which {was:?} has told"));
        }
    }
    Ok(())
}
