//! What mails say about absences: docs/time.md, docs/mail.md.

use chrono::{DateTime, NaiveDate};
use chrono_tz::Tz;

use super::mail_texts::flat;
use super::rows::{Mail, name_of, of_new_mails, of_player};
use super::turn_mails::away_until;
use super::{Change, violated};
use crate::simulator::mailer;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// A mail about absences says when an opponent is away as of its first try, and does not come otherwise.
pub fn mails_say_who_is_away(change: &Change) -> Result<(), Violation> {
    // A process that was not alone may have had other absences before it.
    if change.words.is_empty() {
        return Ok(());
    }
    for (mail, row) in of_new_mails(change) {
        let was_tried = Mail::of(change.before, row.id).is_some_and(|it| it.first_try_at.is_some());
        let is_first = !was_tried && row.first_try_at == Some(change.now.timestamp());
        let Some(of) = row.absent().filter(|_| is_first) else { continue };
        let [text, _] = mailer::parts(mail);
        let (text, states) = (flat(&text), [change.before, change.after]);
        if states.iter().any(|tables| is_true(tables, change.now.timestamp(), of, &row, &text)) {
            continue;
        }
        return violated("mails_say_who_is_away", format!("{}: {text:?} of player {of}", mail.id));
    }
    Ok(())
}

/// What waits about the absences of a player is one mail to each reader.
pub fn news_of_absences_wait_in_one_mail(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() || change.after.is_same(change.before, "outbox") {
        return Ok(());
    }
    let columns = ["kind", "player", "state", "first_try_at"];
    let waits = |id| {
        let row = change.after.columns_of("outbox", id, columns).next()?;
        let [Some("notice"), Some(_), Some("queued"), None] = row else { return None };
        let mail = Mail::of(change.after, id)?;
        Some((mail.player, mail.absent()?))
    };
    for id in change.after.added("outbox", change.before) {
        let Some(about) = waits(id) else { continue };
        let all = change.after.columns("outbox", ["id", "state"]);
        let queued = all.filter(|[_, state]| *state == Some("queued"));
        let mut others = queued.filter_map(|[id, _]| number(id)).filter(|it| *it != id);
        // One that waits for longer than a day is another day's.
        let is_recent = |it: &i64| {
            let at = change.after.columns_of("outbox", *it, ["created_at"]).next();
            at.is_some_and(|[at]| number(at) > Some(change.now.timestamp() - DAY))
        };
        if let Some(other) = others.find(|it| waits(*it) == Some(about) && is_recent(it)) {
            let found = format!("mails {other} and {id} wait about {about:?}: {:?}", change.words);
            return violated("news_of_absences_wait_in_one_mail", found);
        }
    }
    Ok(())
}

/// Returns whether this holds of a player, for the reader.
fn is_true(tables: &Tables, now: i64, player: i64, row: &Mail, text: &str) -> bool {
    let Some(name) = name_of(tables, player) else { return false };
    let says = |what: &str| text.contains(&format!("Your opponent {name} is {what}"));
    let days = days(tables, now, player);
    let holds = if says("absent ") {
        let named = text.matches("day, ").count();
        let expected: usize = days.iter().map(|(from, to)| if from == to { 1 } else { 2 }).sum();
        let is_listed = |(from, to): &(NaiveDate, NaiveDate)| {
            [from, to].iter().all(|day| text.contains(&day.format("%A, %-d %B %Y").to_string()))
        };
        !days.is_empty() && days.iter().all(is_listed) && named == expected
    } else if says("back.") || says("not absent after all.") {
        away_until(tables, player, now).is_none()
    } else {
        says("not absent.") && days.is_empty()
    };
    holds && row.player.is_some_and(|reader| have_a_game(tables, player, reader))
}

/// Returns the first and the last day of each absence that is not over, where the player lives.
fn days(tables: &Tables, now: i64, player: i64) -> Vec<(NaiveDate, NaiveDate)> {
    let clock = of_player(tables, player, "clock").unwrap_or_default();
    let zone: Tz = clock.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(Tz::UTC);
    let day = |at| Some(DateTime::from_timestamp(at, 0)?.with_timezone(&zone).date_naive());
    let absences = tables.columns_of("absence", player, ["from_at", "until_at"]);
    let absences = absences.filter_map(|[from, until]| Some((number(from)?, number(until)?)));
    let absences = absences.filter(|(_, until)| *until > now);
    absences.filter_map(|(from, until)| Some((day(from)?, day(until - 1)?))).collect()
}

/// Returns whether two players have a game in which absences stop the clock.
fn have_a_game(tables: &Tables, player: i64, reader: i64) -> bool {
    let mut games = tables.columns("game", ["black", "white", "reason", "absences"]);
    games.any(|[black, white, reason, absences]| {
        let people = [number(black), number(white)];
        reason.is_none()
            && absences == Some("1")
            && people.contains(&Some(player))
            && people.contains(&Some(reader))
    })
}
