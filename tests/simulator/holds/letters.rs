//! What holds of the letters of the club: docs/club.md.

mod week;

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Weekday};

use self::week::Week;
use super::clocks::Settings;
use super::rows::{Mail, name_of, of_new_mails, of_player};
use super::{Change, violated};
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// The longest time, in seconds, within which no two weeks have the same days.
const MAX_APART: i64 = 300 * 86_400;

/// Letters come once for a week, to those who want them, about the week before, and name nobody who does not
/// want that. After `send` none is due.
pub fn letters_come_as_they_should(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        let Some(player) = row.player.filter(|_| row.kind == "letter") else { continue };
        let found = |what: &str| format!("{} at {}: {what}", mail.id, change.now);
        for (of, check) in CHECKS {
            check(change, mail, &row, player).or_else(|what| violated(of, found(&what)))?;
        }
        has_all_of_its_week(change, mail, &row, player)?;
    }
    no_letter_is_lost(change)?;
    no_letter_is_forgotten(change)?;
    letters_are_planned_for_mondays(change)
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
    if !row.is_tried_first(change) {
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

/// At its first try it has what happened in its week, as it stood before or after the step.
fn has_all_of_its_week(
    change: &Change,
    mail: &Accepted,
    row: &Mail,
    player: i64,
) -> Result<(), Violation> {
    let now = change.now.timestamp();
    if !row.is_tried_first(change) {
        return Ok(());
    }
    let weeks = [change.before, change.after].map(|it| week(it, player, now));
    let [Some(was), Some(week)] = &weeks else { return Ok(()) };
    let text = mail.words().replace('\r', "").replace(['\u{2039}', '\u{203a}'], "");
    for (of, check) in Week::PARTS {
        let found = |what: String| violated(of, format!("{} at {now}: {what}\n{text}", mail.id));
        check(was, &text).or_else(|_| check(week, &text)).or_else(found)?;
    }
    match was.is_empty() && week.is_empty() {
        true => violated("letters_have_something_to_say", format!("{}: {text}", mail.id)),
        false => Ok(()),
    }
}

/// Returns the week before that in which it is now where a player is.
fn week(tables: &Tables, player: i64, now: i64) -> Option<Week<'_>> {
    let calendar = Settings::of(tables, player)?.calendar;
    let monday = calendar.local(now).date().week(Weekday::Mon).first_day();
    let begin = |day: NaiveDate| calendar.first(day.and_time(NaiveTime::MIN));
    Week::of(tables, player, [begin(monday - Days::new(7)), begin(monday)])
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

/// A letter that was never tried is given up only if nothing has happened in its week.
fn no_letter_is_lost(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    let tables = [change.before, change.after];
    for id in change.after.new_rows("outbox", change.before) {
        let given_up = Mail::of(change.after, id).filter(|it| {
            let was = Mail::of(change.before, id);
            let is_new = was.is_none_or(|it| it.state == "queued" && it.first_try_at.is_none());
            it.kind == "letter" && it.state == "superseded" && is_new && it.first_try_at.is_none()
        });
        let Some((mail, player)) = given_up.and_then(|it| Some((it.clone(), it.player?))) else {
            continue;
        };
        // One that was written names people, who may not want that any more.
        let text = change.before.columns_of("outbox", id, ["text"]).next();
        let is_written = text.is_some_and(|[text]| text.is_some_and(|it| it.contains('\n')));
        let is_lost = !is_written
            && tables.iter().all(|tables| {
                let is_here = of_player(tables, player, "left_at").is_none();
                let wants = is_here && of_player(tables, player, "letter") == Some("1");
                wants && week(tables, player, now).is_some_and(|it| it.has_news(mail.created_at))
            });
        if is_lost {
            return violated("no_letter_is_lost", format!("{mail:?}, now {now}"));
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

/// The next letter is planned for the begin of a Monday where its reader is: for the next one, and never for one that
/// had a letter. Another time zone moves it.
fn letters_are_planned_for_mondays(change: &Change) -> Result<(), Violation> {
    const OF: &str = "letters_are_planned_for_mondays";
    let Change { before, after, .. } = *change;
    if change.words.is_empty() || after.is_same(before, "player") {
        return Ok(());
    }
    let tomorrow = change.now.timestamp() + DAY;
    let columns = ["letter", "letter_at", "clock", "left_at"];
    for id in after.changed(before, "player") {
        let [old, new] = [before, after].map(|it| it.columns_of("player", id, columns).next());
        let Some([Some("1"), Some(at), Some(clock), None]) = new else { continue };
        let Some([was_on, known, old_clock, _]) = old else { continue };
        let (known, was_on) = (number(known), was_on == Some("1"));
        let is_set = !was_on || old_clock != Some(clock);
        if known == number(Some(at)) && !is_set || !was_on && old_clock != Some(clock) {
            continue;
        }
        let from = match known {
            Some(known) if was_on && is_set => known,
            Some(known) if is_set => known.max(tomorrow),
            _ => tomorrow,
        };
        let Some(calendar) = Settings::of(after, id).map(|it| it.calendar) else { continue };
        let sunday = calendar.local(from).date() + Days::new(6);
        let monday = sunday.week(Weekday::Mon).first_day().and_time(NaiveTime::MIN);
        let expected = calendar.first(monday);
        if number(Some(at)) != Some(expected) {
            let found = format!("{id} at {}: {at}, not {expected}, was {old:?}", change.now);
            return violated(OF, found);
        }
    }
    Ok(())
}
