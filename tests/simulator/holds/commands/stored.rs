//! What a command stores is what it says.

use chrono::{Datelike, Days, Months, NaiveDate, NaiveTime};

use super::{Game, Given, Member};
use crate::simulator::holds::clocks::Calendar;
use crate::simulator::holds::{Change, plans, violated};
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// The most days of a year that a player can be away.
const MAX_AWAY: usize = 30;

/// A command that is done stores what it says.
pub fn commands_store_what_they_say(change: &Change) -> Result<(), Violation> {
    let Some(given) = Given::of(change) else { return Ok(()) };
    if let (0, None, Some(wrong)) = (change.status, given.actor, wrong_decision(change, &given)) {
        return violated("commands_store_what_they_say", format!("{:?}: {wrong}", change.words));
    }
    let (true, Some(actor)) = (change.status == 0, given.actor) else {
        return refused_absences_are_not_allowed(change, &given);
    };
    let wrong = wrong_in_tables(change, &given, actor);
    match wrong {
        Some(wrong) => violated(
            "commands_store_what_they_say",
            format!("{} gave {:?}: {wrong}", actor.name, change.words.join(" ")),
        ),
        None => Ok(()),
    }
}

/// Returns what a command that is done has not stored as it says.
pub fn wrong_in_tables(change: &Change, given: &Given, actor: Member) -> Option<String> {
    match given.word {
        "set" | "receipt" => wrong_setting(change, given, actor),
        "block" | "unblock" | "mute" | "subscribe" | "unmute" | "unsubscribe" | "watch"
        | "unwatch" => wrong_row(change, given, actor),
        "note" | "say" => wrong_words(change, given, actor),
        "plan" => wrong_plan(change, given, actor),
        "away" => wrong_absence(change, given, actor),
        "abort" | "resign" | "claim" => wrong_end(change, given, actor),
        _ => None,
    }
}

/// Returns how a game has ended, if not as the command of a player that ends it says.
fn wrong_end(change: &Change, given: &Given, actor: Member) -> Option<String> {
    let id = given.id()?;
    let [black, reason, winner] =
        change.after.columns_of("game", id, ["black", "reason", "winner"]).next()?;
    let [own, other] = match black == Some(actor.id) {
        true => ["black", "white"],
        false => ["white", "black"],
    };
    let expected = match given.word {
        "abort" => (Some("declined"), None),
        "resign" => (Some("resigned"), Some(other)),
        _ => (Some("claimed"), Some(own)),
    };
    ((reason, winner) != expected)
        .then(|| format!("game {id} has ended with {reason:?} for {winner:?}"))
}

/// Returns what the host should have decided in a game, if that is not there.
fn wrong_decision(change: &Change, given: &Given) -> Option<String> {
    if let ("extend", [all, span, of @ ..]) = (given.word, given.rest)
        && all == "all"
    {
        return wrong_extensions(change, given, seconds(span)?, of.first());
    }
    let game = Game::of(given.tables, given.id()?)?;
    let color = |name: &String| game.color_of(Member::named(given.tables, name)?.id);
    let expected = match (given.word, &given.rest[1..]) {
        ("annul", _) => "annul".to_owned(),
        ("forfeit", [name, ..]) => format!("forfeit {}", color(name)?),
        ("extend", [span]) => {
            format!("extend {} {}", game.replayed.turn()?, seconds(span)?)
        }
        ("extend", [span, name]) => format!("extend {} {}", color(name)?, seconds(span)?),
        _ => return None,
    };
    let new = shown::log(change.after, &game.id.to_string());
    let mut new = new.iter().skip(game.replayed.events).filter(|event| event.author == "h");
    (!new.any(|event| event.action.trim_end().starts_with(&expected)))
        .then(|| format!("no event of game {} is {expected:?}", game.id))
}

/// Returns which game with a clock got no time from `extend all`, or which other one got some. Only the player to
/// move gets it, and with a name only that player: docs/time.md.
fn wrong_extensions(
    change: &Change,
    given: &Given,
    span: i64,
    of: Option<&String>,
) -> Option<String> {
    let of = match of {
        Some(name) => Some(Member::named(given.tables, name)?.id),
        None => None,
    };
    let columns = ["id", "turn", "to_move", "clock", "deadline", "events"];
    for [id, turn, to_move, clock, deadline, events] in given.tables.columns("game", columns) {
        // A clock that has run out may end the game first.
        if turn.is_some() && number(deadline).is_some_and(|at| at <= given.now) {
            continue;
        }
        let is_meant = turn.is_some()
            && to_move.is_some()
            && clock != Some("none")
            && of.is_none_or(|of| to_move == Some(of));
        let log = shown::log(change.after, id?);
        // An outage may end in this step, too.
        let is_extension =
            |event: &&shown::Event| event.author == "h" && event.action.starts_with("extend ");
        let new = log.iter().skip(events?.parse().ok()?).filter(is_extension);
        let new: Vec<_> = new.map(|event| event.action.trim_end().to_owned()).collect();
        let color = if turn == Some("white") { 'w' } else { 'b' };
        let expected = is_meant.then(|| format!("extend {color} {span}"));
        if new != expected.iter().cloned().collect::<Vec<_>>() {
            return Some(format!("game {id:?} has {new:?} and not {expected:?}"));
        }
    }
    None
}

/// Returns the seconds of a span such as `1d12h`.
pub fn seconds(span: &str) -> Option<i64> {
    let parts = span.split_inclusive(|it: char| it.is_alphabetic());
    let seconds = parts.map(|part| {
        let (count, unit) = part.split_at_checked(part.len() - 1)?;
        let unit = match unit {
            "d" => DAY,
            "h" => 3_600,
            "m" => 60,
            _ => return None,
        };
        Some(count.parse::<i64>().ok()? * unit)
    });
    seconds.sum()
}

/// Returns what a setting has become, if it is not what it was to become.
fn wrong_setting(change: &Change, given: &Given, actor: Member) -> Option<String> {
    let (setting, words) = match given.word {
        "receipt" => ("receipt", given.rest),
        _ => given.rest.split_first().map(|(word, rest)| (word.as_str(), rest))?,
    };
    let value = words.iter().filter(|it| !it.is_empty()).map(String::as_str);
    let value = value.collect::<Vec<_>>().join(" ");
    if value.is_empty() {
        return None;
    }
    let column = match setting {
        "mail" => "mail_mode",
        "timezone" | "weekend" | "quiet" => "clock",
        "address" => return None,
        _ => setting,
    };
    let row = change.after.columns_of("player", actor.id.parse().ok()?, [column]).next()?;
    let stored = match setting {
        "timezone" | "weekend" | "quiet" => {
            let at = ["timezone", "weekend", "quiet"].iter().position(|it| *it == setting)?;
            row[0]?.split(' ').nth(at)?
        }
        "receipt" | "letter" => ["off", "on"][usize::from(row[0]? == "1")],
        _ => row[0]?,
    };
    let value = match (setting, &*value) {
        ("quiet", "off") => "none",
        ("grace", "0m" | "0h") => "off",
        (_, value) => value,
    };
    (stored != value).then(|| format!("{setting} is {stored:?}"))
}

/// Returns what is wrong about a row that stands for a block, a muted or a watched game.
fn wrong_row(change: &Change, given: &Given, actor: Member) -> Option<String> {
    let about = given.rest.first()?;
    let (table, column, is_expected) = match given.word {
        "block" | "unblock" => ("blocked", "author", given.word == "block"),
        "watch" | "unwatch" => ("watcher", "game", given.word == "watch"),
        _ => ("unsubscribed", "game", matches!(given.word, "mute" | "unsubscribe")),
    };
    let about = match column {
        "author" => Member::named(change.before, about)?.id,
        _ => about,
    };
    let mut rows = change.after.columns(table, ["player", column]);
    let is_there = rows.any(|row| row == [Some(actor.id), Some(about)]);
    // Nothing else of the player changes.
    let of = |tables| {
        let rows = Tables::columns(tables, table, ["player", column]);
        rows.filter(|[player, it]| *player == Some(actor.id) && *it != Some(about)).count()
    };
    let is_wrong = is_there != is_expected || of(change.before) != of(change.after);
    is_wrong.then(|| format!("{table} has it: {is_there}; others may have changed"))
}

/// Returns what is wrong about a comment or a note.
fn wrong_words(change: &Change, given: &Given, actor: Member) -> Option<String> {
    let id = given.id()?;
    let game = Game::of(given.tables, id)?;
    let own = game.color_of(actor.id)?.to_string();
    let words: Vec<_> = given.rest.iter().skip(1).filter(|it| *it != "--now").collect();
    let is_plain = |it: &&String| {
        !it.starts_with('-') && it.trim() == it.as_str() && !it.contains('@') && !it.is_empty()
    };
    if words.is_empty() || !words.iter().all(is_plain) {
        return None;
    }
    let words = words.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" ");
    let expected = format!("{} {words}", given.word);
    let new = shown::log(change.after, &id.to_string());
    let mut new = new.iter().skip(game.replayed.events).filter(|event| event.author == own);
    (!new.any(|event| event.action == expected))
        .then(|| format!("no event of game {id} is {expected:?}"))
}

/// Returns what is wrong about a stored plan.
fn wrong_plan(change: &Change, given: &Given, actor: Member) -> Option<String> {
    let id = given.id()?;
    let words: Vec<_> = given.rest.iter().skip(1).map(|it| it.to_lowercase()).collect();
    let plan = |tables| {
        let mut rows = Tables::columns_of(tables, "plan", id, ["player", "branches"]);
        rows.find(|[player, _]| *player == Some(actor.id)).and_then(|[_, branches]| branches)
    };
    let (before, after) = (plan(change.before), plan(change.after));
    let is_right = match &words[..] {
        [] => before == after,
        [off] if off == "off" => after.is_none(),
        _ => {
            let stored: Vec<_> = after.unwrap_or_default().split(' ').map(str::to_owned).collect();
            match (plans::branches(&words), plans::branches(&stored)) {
                (Some(given), Some(stored)) => {
                    plans::beginnings(&given) == plans::beginnings(&stored)
                }
                (Some(_), None) => false,
                (None, _) => true,
            }
        }
    };
    (!is_right).then(|| format!("the plan is {after:?}"))
}

type Span = (i64, i64);

fn absences(tables: &Tables, player: &str) -> Vec<Span> {
    let rows = tables.columns("absence", ["player", "from_at", "until_at"]);
    let own = rows.filter(|[it, ..]| *it == Some(player));
    let mut spans: Vec<_> =
        own.filter_map(|[_, from, until]| Some((number(from)?, number(until)?))).collect();
    spans.sort_unstable();
    spans
}

fn calendar(tables: &Tables, player: &str) -> Option<Calendar> {
    let [clock] = tables.columns_of("player", player.parse().ok()?, ["clock"]).next()?;
    Calendar::parse(clock?)
}

/// Returns the first and the last day that `away` names.
fn days(given: &Given) -> Option<[NaiveDate; 2]> {
    let [from, to] = given.rest else { return None };
    Some([from.parse().ok()?, to.parse().ok()?])
}

/// Returns what is wrong about the absences of a player.
fn wrong_absence(change: &Change, given: &Given, actor: Member) -> Option<String> {
    let [before, after] = [change.before, change.after].map(|it| absences(it, actor.id));
    let expected = match given.rest {
        [] => before,
        [off] if off == "off" => {
            let at = before.iter().position(|(_, until)| *until > given.now)?;
            let mut expected = before;
            match expected[at].0 < given.now {
                true => expected[at].1 = given.now,
                false => drop(expected.remove(at)),
            }
            expected
        }
        _ => {
            if may_be_away(given, actor, &before) == Some(false) {
                return Some("it is not allowed".to_owned());
            }
            let (span, mut expected) = (span(given, actor)?, before);
            expected.push(span);
            expected.sort_unstable();
            expected
        }
    };
    (expected != after).then(|| format!("the absences are {after:?}, not {expected:?}"))
}

/// Returns from when until when a player is away: whole days in the player's time zone.
fn span(given: &Given, actor: Member) -> Option<Span> {
    let ([from, to], calendar) = (days(given)?, calendar(given.tables, actor.id)?);
    let start = |day: NaiveDate| calendar.first(day.and_time(NaiveTime::MIN));
    Some((start(from).max(given.now), start(to.checked_add_days(Days::new(1))?)))
}

/// Returns whether a player may be away then: not in the past, nor twice at once, nor too long in a year, nor
/// more than two years ahead.
fn may_be_away(given: &Given, actor: Member, absences: &[Span]) -> Option<bool> {
    let ([from, to], calendar) = (days(given)?, calendar(given.tables, actor.id)?);
    let (begin, end) = span(given, actor)?;
    let today = calendar.local(given.now).date();
    let is_far = to > today.checked_add_months(Months::new(24))?;
    if from < today || to < from || is_far || absences.iter().any(|it| it.0 < end && begin < it.1) {
        return Some(false);
    }
    let of = |(from, until): Span| {
        let [from, to] = [from, until - 1].map(|at| calendar.local(at).date());
        from.iter_days().take_while(move |day| *day <= to)
    };
    // Those that are over count, too.
    let taken: Vec<_> = absences.iter().copied().chain([(begin, end)]).flat_map(of).collect();
    let mut years = [from.year(), to.year()].into_iter();
    Some(years.all(|year| taken.iter().filter(|day| day.year() == year).count() <= MAX_AWAY))
}

/// An absence that is allowed is not refused, and `away off` neither when there is one.
fn refused_absences_are_not_allowed(change: &Change, given: &Given) -> Result<(), Violation> {
    let (1, "away", Some(actor)) = (change.status, given.word, given.actor) else { return Ok(()) };
    if actor.has_left {
        return Ok(());
    }
    let before = absences(given.tables, actor.id);
    let is_allowed = match given.rest {
        [off] if off == "off" => before.iter().any(|(_, until)| *until > given.now),
        _ => may_be_away(given, actor, &before) == Some(true),
    };
    match is_allowed {
        true => violated(
            "commands_store_what_they_say",
            format!("{} is refused {:?} with {before:?}", actor.name, change.words),
        ),
        false => Ok(()),
    }
}
