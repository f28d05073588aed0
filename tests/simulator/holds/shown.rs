//! What holds of what mails and pages show.

use chrono::DateTime;
use chrono_tz::Tz;

use super::rows::with_message_id;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{self, Tables};

/// Stands before a deadline that is shown.
const TIME_ENDS: &str = "time ends on ";

/// A mail about a turn that is tried for the first time shows the deadline of its game.
pub fn mails_show_the_deadline(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp().to_string();
    // A mail that ends an outage of the mail server shows the deadline after it. If its sender was killed before it
    // moved the deadline, the next one moves it.
    let outage = change.after.columns("mail_outage", ["until"]).next();
    if outage.is_some_and(|[until]| until.is_some() || change.words.is_empty()) {
        return Ok(());
    }
    for mail in change.new_mails() {
        // The server did not say that it has accepted the mail, so the outage goes on.
        if outage.is_some() && mail.may_come_again {
            continue;
        }
        let columns = ["game", "kind", "first_try_at", "events", "player"];
        let row = with_message_id(change.after, &mail.id, columns);
        let Some([Some(game), Some(kind), first_try_at, knew, reader]) = row else { continue };
        let deadline = deadline(change.after, game);
        // The deadline can have moved after the mail was composed, and a mail about a start that was followed by
        // moves shows the start.
        let mut events = change.after.columns("game", ["id", "events"]);
        let events = events.find(|[id, _]| *id == Some(game)).and_then(|[_, events]| events);
        let is_settled = deadline == self::deadline(change.before, game)
            && kind != "started"
            && (knew.is_none() || knew == events);
        // Other mails are sent as they are.
        let is_current = matches!(kind, "turn" | "started" | "reminder");
        if !is_current || first_try_at != Some(&now) || !is_settled {
            continue;
        }
        if let Some(wrong) = deadline.and_then(|it| wrong_deadline(mail.words(), it)) {
            let found = format!("{} shows {wrong:?}, and the deadline is {deadline:?}", mail.id);
            return violated("mails_show_the_deadline", found);
        }
        // It is in the time zone of the player it is for.
        let zone = time_and_zone(mail.words()).map(|(_, zone)| zone);
        let reader = tables::number(reader);
        let is_of = |zone: &String| {
            let mut states = [change.before, change.after].into_iter();
            reader.is_none_or(|reader| states.any(|tables| is_zone_of(tables, reader, zone)))
        };
        if let Some(zone) = zone.filter(|zone| !is_of(zone)) {
            let found = format!("{} to player {reader:?} has times in {zone}", mail.id);
            return violated("mails_show_the_deadline", found);
        }
    }
    Ok(())
}

/// Returns the deadline that a text shows, and its time zone, without the offset that an hour which comes twice has.
pub fn time_and_zone(text: &str) -> Option<(String, String)> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, shown) = text.split_once(TIME_ENDS)?;
    let (time, rest) = shown.split_once(" (")?;
    Some((time.to_owned(), rest.split([',', ')']).next()?.to_owned()))
}

/// Returns whether a player has set this time zone.
pub fn is_zone_of(tables: &Tables, player: i64, zone: &str) -> bool {
    let clock = tables.columns_of("player", player, ["clock"]).next();
    clock.is_some_and(|[clock]| clock.and_then(|it| it.split(' ').next()) == Some(zone))
}

/// Returns the deadline that a text shows if it is not this one.
pub fn wrong_deadline(text: &str, deadline: i64) -> Option<String> {
    let (time, zone) = time_and_zone(text)?;
    let zone: Tz = zone.parse().ok()?;
    let deadline = DateTime::from_timestamp(deadline, 0)?.with_timezone(&zone);
    // In its last minute it has seconds, and in an hour that comes twice the offset.
    let expected = deadline.format("%A, %-d %B %Y, %H:%M").to_string();
    (!time.starts_with(&expected)).then_some(time)
}

/// Returns a moment in words to the minute, in a zone.
pub(super) fn in_words_of(zone: Tz, at: i64) -> Option<String> {
    let local = DateTime::from_timestamp(at, 0)?.with_timezone(&zone);
    Some(local.format("%A, %-d %B %Y, %H:%M").to_string())
}

/// Returns a moment in words to the minute, where a player lives.
pub(super) fn in_words(tables: &Tables, player: i64, at: i64) -> Option<String> {
    let [clock] = tables.columns_of("player", player, ["clock"]).next()?;
    in_words_of(clock?.split(' ').next()?.parse().ok()?, at)
}

/// Returns the deadline of a game; `None` if no clock runs.
pub fn deadline(tables: &Tables, game: &str) -> Option<i64> {
    let mut rows = tables.columns("game", ["id", "deadline"]);
    let [_, deadline] = rows.find(|[id, _]| *id == Some(game))?;
    tables::deadline(deadline)
}
