//! What holds of the letters of the club: docs/club.md.

use chrono::{DateTime, Datelike, Days, NaiveDate, Weekday};

use super::clocks::Settings;
use super::rows::{Mail, name_of, of_accepted, of_player};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// The longest time, in seconds, within which no two weeks have the same days.
const MAX_APART: i64 = 300 * 86_400;

/// Letters come once for a week, to those who want them, about the week before, and name nobody who does not
/// want that. After `send` none is due.
pub fn letters_come_as_they_should(change: &Change) -> Result<(), Violation> {
    let new = &change.accepted[change.accepted_before.min(change.accepted.len())..];
    for (mail, row) in of_accepted(change, new) {
        let Some(player) = row.player.filter(|_| row.kind == "letter") else { continue };
        let found = |what: &str| format!("{} at {}: {what}", mail.id, change.now);
        for (of, check) in CHECKS {
            check(change, mail, &row, player).or_else(|what| violated(of, found(&what)))?;
        }
    }
    no_letter_is_forgotten(change)
}

type Check = fn(&Change, &Accepted, &Mail, i64) -> Result<(), String>;

/// What holds of each, with its name.
const CHECKS: [(&str, Check); 4] = [
    ("a_week_has_one_letter", is_the_only_one),
    ("letters_are_wanted", is_wanted),
    ("letters_are_about_the_week_before", is_about_the_week_before),
    ("letters_name_those_who_want_it", names_those_who_want_it),
];

fn is_the_only_one(change: &Change, mail: &Accepted, _: &Mail, _: i64) -> Result<(), String> {
    let date = |mail: &Accepted| {
        let date = DateTime::parse_from_rfc2822(&mail.field("Date")?).ok()?;
        Some(date.timestamp())
    };
    let about = |mail: &Accepted| [mail.field("Subject"), mail.field("To")];
    let name = |mail: &Accepted| {
        let [subject, to] = about(mail);
        (subject, to.and_then(|to| Some(to.split_once(" <")?.0.to_owned())))
    };
    let is_near = |it: &&Accepted| match (date(it), date(mail)) {
        (Some(one), Some(other)) => (one - other).abs() < MAX_APART,
        _ => true,
    };
    let others = change.accepted.iter().filter(|it| it.id != mail.id && name(it) == name(mail));
    match others.filter(is_near).map(|it| &it.id).next() {
        Some(other) => Err(format!("{other} was about the same week")),
        None => Ok(()),
    }
}

fn is_wanted(change: &Change, _: &Accepted, _: &Mail, player: i64) -> Result<(), String> {
    let wants = |tables: &Tables| of_player(tables, player, "letter") == Some("1");
    match wants(change.before) || wants(change.after) {
        true => Ok(()),
        false => Err("its reader wants none".to_owned()),
    }
}

/// At its first try it is about the days from Monday to Sunday before this week, where its reader is.
fn is_about_the_week_before(
    change: &Change,
    mail: &Accepted,
    row: &Mail,
    player: i64,
) -> Result<(), String> {
    let now = change.now.timestamp();
    if row.first_try_at != Some(now) {
        return Ok(());
    }
    let subject = mail.field("Subject").unwrap_or_default();
    let mut zones = [change.before, change.after].into_iter();
    let is_right = |tables: &Tables| {
        Settings::of(tables, player).is_some_and(|it| {
            subject == format!("The club {}", week_before(it.calendar.local(now).date()))
        })
    };
    if zones.any(is_right) { Ok(()) } else { Err(format!("is about {subject:?}")) }
}

/// Returns the days of the week before that of this day.
fn week_before(day: NaiveDate) -> String {
    let monday = day.week(Weekday::Mon).first_day();
    let (first, last) = (monday - Days::new(7), monday - Days::new(1));
    let format = match (first.year() == last.year(), first.month() == last.month()) {
        (true, true) => ["%-d", "%-d %B"],
        (true, false) => ["%-d %B"; 2],
        (false, _) => ["%-d %B %Y"; 2],
    };
    format!("from {} to {}", first.format(format[0]), last.format(format[1]))
}

/// Opponents of the reader stand in the reader's own week.
fn names_those_who_want_it(
    change: &Change,
    mail: &Accepted,
    _: &Mail,
    player: i64,
) -> Result<(), String> {
    let text = mail.words();
    let is_part = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
    let words: Vec<_> = text.split(|it| !is_part(it)).map(|it| it.trim_matches('.')).collect();
    let played = |other: i64| {
        let pair = [Some(player), Some(other)];
        let mut games = change.after.columns("game", ["black", "white"]);
        games.any(|it| {
            let [black, white] = it.map(number);
            [black, white] == pair || [white, black] == pair
        })
    };
    for [id, named] in change.before.columns("player", ["id", "named"]) {
        let Some(other) = number(id).filter(|it| *it != player && named == Some("off")) else {
            continue;
        };
        let is_hidden = of_player(change.after, other, "named") == Some("off") && !played(other);
        if let Some(name) = name_of(change.after, other).filter(|_| is_hidden)
            && words.contains(&name)
        {
            return Err(format!("names {name} in\n{text}"));
        }
    }
    Ok(())
}

/// After `send`, no letter is to be queued, unless the clock is doubted.
fn no_letter_is_forgotten(change: &Change) -> Result<(), Violation> {
    let is_doubted = change.after.columns("clock_doubt", ["known"]).next().is_some();
    if change.words != ["send"] || change.status != 0 || is_doubted {
        return Ok(());
    }
    let columns = ["id", "letter", "left_at", "letter_at"];
    let mut players = change.after.columns("player", columns);
    let due = players.find(|[_, letter, left_at, letter_at]| {
        *letter == Some("1")
            && left_at.is_none()
            && number(*letter_at) <= Some(change.now.timestamp())
    });
    match due {
        Some(due) => violated("no_letter_is_forgotten", format!("{due:?} at {}", change.now)),
        None => Ok(()),
    }
}
