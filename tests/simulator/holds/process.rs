//! What holds of processes: what they print, and what they leave behind.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::violated;
use crate::simulator::process::Ran;
use crate::simulator::tables::Tables;
use crate::simulator::world::away::Away;
use crate::simulator::{Violation, sentence};

/// How long the server recognises a mail that comes again.
const SEEN_FOR: TimeDelta = TimeDelta::days(90);

/// Tables about the work of the server itself, which a process changes while it delivers mails and does jobs.
const OF_SERVER: [&str; 3] = ["outbox", "job", "installation"];

type Row<'a> = [Option<&'a str>; 3];

/// Nothing panics, the status is one of the contract, the JSON parses, and sentences read well.
pub fn reply_is_well_formed(words: &[String], ran: &Ran) -> Result<(), Violation> {
    let of = "reply_is_well_formed";
    let words = words.join(" ");
    if let Some(panic) = &ran.panic {
        return violated(of, format!("`{words}` panicked: {panic}"));
    }
    // Nothing outside fails but the mail server, and mail counts only for `send`. Only the club's configuration sends.
    let is_of_other = words.starts_with("mail retry ")
        && ran.sentences.iter().any(|it| it.contains("is not the configuration of this club"));
    let may_fail = matches!(&*words, "send" | "send --after-outage") || is_of_other;
    if ran.status > 2 && (ran.status > 3 || !may_fail) {
        return violated(of, format!("`{words}` ended with {}: {:?}", ran.status, ran.sentences));
    }
    if let Some(json) = ran.json.as_ref().filter(|json| !json.is_empty())
        && let Err(error) = serde_json::from_str::<Value>(json)
    {
        return violated(
            of,
            format!("`{words}` printed JSON that does not parse: {error}: {json}"),
        );
    }
    let lines = ran.sentences.iter().flat_map(|text| text.lines());
    let fault = lines.filter(|line| sentence::is_sentence(line)).find_map(sentence::fault);
    fault.map_or(Ok(()), |fault| violated(of, format!("`{words}` said {fault}")))
}

/// What was acknowledged is there: all events of games, and that a player's mail was seen in the last months.
pub fn acknowledged_stays(
    words: &[String],
    before: &Tables,
    left: &Tables,
    now: DateTime<Utc>,
) -> Result<(), Violation> {
    let oldest = (now - SEEN_FOR).timestamp();
    // Records with the address of somebody who has left are deleted.
    let is_kept = |[_, sender, at]: &Row| {
        at.and_then(|at| at.parse().ok()).is_some_and(|at: i64| at > oldest)
            && sender.is_some_and(|it| it.starts_with("player "))
    };
    let lost = lost(before, left, "event", ["game", "number", "author"], |_| true);
    let lost =
        lost.or_else(|| self::lost(before, left, "seen", ["digest", "sender", "seen_at"], is_kept));
    lost.map_or(Ok(()), |lost| {
        violated("acknowledged_stays", format!("{lost:?} is lost with `{}`", words.join(" ")))
    })
}

/// Returns a row of a table that must be kept and is not there any more.
fn lost<'a>(
    before: &'a Tables,
    left: &'a Tables,
    table: &str,
    columns: [&str; 3],
    is_kept: impl Fn(&Row) -> bool,
) -> Option<Row<'a>> {
    if before.0.get(table) == left.0.get(table) {
        return None;
    }
    let left: HashSet<_> = left.columns(table, columns).collect();
    before.columns(table, columns).find(|row| is_kept(row) && !left.contains(row))
}

/// A refused command changes nothing, but a flag that has fallen is recorded.
pub fn refusal_changes_nothing(
    words: &[String],
    ran: &Ran,
    before: &Tables,
    after: &Tables,
) -> Result<(), Violation> {
    if before == after || has_new_host_event(before, after) || words[0] == "send" {
        return Ok(());
    }
    let found =
        format!("`{}` {:?}: {:?}", words.join(" "), ran.sentences, before.differences(after));
    violated("refusal_changes_nothing", found)
}

/// After a cut, a command is done or not: all tables but those of the server's own work stand as before it or
/// as when it was acknowledged.
pub fn nothing_is_half_done(
    words: &[String],
    before: &Tables,
    acknowledged: Option<&Tables>,
    left: &Tables,
    now: DateTime<Utc>,
) -> Result<(), Violation> {
    // These do many things, each in a transaction.
    if matches!(&*words[0], "send" | "receive") || has_new_host_event(before, left) {
        return acknowledged_stays(words, before, left, now);
    }
    let is_like = |state: &Tables| {
        let names = state.0.keys().chain(left.0.keys());
        let mut names = names.filter(|name| !OF_SERVER.contains(&name.as_str()));
        names.all(|name| state.0.get(name) == left.0.get(name))
    };
    if is_like(before) || acknowledged.is_some_and(is_like) {
        return Ok(());
    }
    let found = format!(
        "`{}`: before it {:?}, after it {:?}",
        words.join(" "),
        before.differences(left),
        acknowledged.map(|acknowledged| acknowledged.differences(left))
    );
    violated("nothing_is_half_done", found)
}

/// Returns whether the clock or the host has added an event.
fn has_new_host_event(before: &Tables, after: &Tables) -> bool {
    let by_host = |tables: &Tables| {
        tables.columns("event", ["author"]).filter(|author| *author == [Some("h")]).count()
    };
    by_host(after) > by_host(before)
}

/// `verify` finds nothing.
pub fn verify_finds_nothing(ran: &Ran) -> Result<(), Violation> {
    match ran.status {
        0 => Ok(()),
        _ => violated("verify_finds_nothing", format!("{:?} {:?}", ran.json, ran.sentences)),
    }
}

/// While the database is away, nothing is created in its place, nobody is mailed, and each command that needs it
/// fails.
pub fn nothing_is_made_without_the_database(away: &Away) -> Result<(), Violation> {
    let Away { words, ran, files: [before, after], sent } = away;
    let is_right = match &*words[0] {
        // They need no database.
        "help" | "rules" => true,
        // As a pipe, the mail server keeps the mail.
        "receive" => matches!(ran.status, 3 | 75),
        "send" => matches!(ran.status, 2 | 3),
        // Names, rules and options that do not go together are refused before that.
        _ => (1..=3).contains(&ran.status),
    };
    if is_right && ran.panic.is_none() && before == after && *sent == 0 {
        return Ok(());
    }
    let words = words.join(" ");
    let found = format!(
        "`{words}` ended with {} {:?}; files {before:?}, then {after:?}; {sent} mails",
        ran.status, ran.sentences
    );
    violated("nothing_is_made_without_the_database", found)
}
