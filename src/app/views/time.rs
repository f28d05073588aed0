//! The clocks of a game as commands show them.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::app::Error;
use crate::mail::TimeContext;
use crate::store::{Absence, Db};
use outflank_model::StoredGame;
use outflank_model::render::words::Names;
use outflank_model::time_control::{Clocks, FlagRule, Terms, TimeControl, TimeZone};
use outflank_model::words::counted;
use outflank_rules::Color;

/// The clocks of a game at a moment.
#[derive(Debug)]
pub(crate) struct TimeView {
    terms: Terms,
    clocks: Clocks,
    /// The zone of the player to move, or of a reader who is also told the time until the deadline.
    zone: TimeZone,
    is_for_reader: bool,
    now: DateTime<Utc>,
}

impl TimeView {
    /// Returns the clocks at this moment; `None` if the time is not limited or the game is over.
    pub(crate) fn new(stored: &StoredGame, clocks: &Clocks, now: DateTime<Utc>) -> Option<Self> {
        let (terms, clocks) = (stored.agreement.terms, clocks.clone());
        let turn = clocks.running();
        let zone = turn.map_or(TimeZone::default(), |turn| stored.clock_settings(turn).zone);
        (terms.control != TimeControl::None).then_some(Self {
            terms,
            clocks,
            zone,
            is_for_reader: false,
            now,
        })
    }

    /// Shows deadlines in this zone, with the time left until then.
    pub(crate) fn for_reader(self, zone: TimeZone) -> Self {
        Self { zone, is_for_reader: true, ..self }
    }

    /// Returns the time that a player has left; `None` for a computer player, who has no clock.
    fn left(&self, color: Color) -> Option<TimeDelta> {
        self.clocks.has_clock(color).then(|| self.clocks.left(color, self.now))
    }

    /// Returns when the time of the player to move is over, or was.
    pub(crate) fn deadline(&self) -> Option<DateTime<Utc>> {
        self.clocks.deadline().or(self.clocks.flagged_at())
    }

    /// Returns it for a mail to somebody in this time zone: the player with this colour, or one who
    /// watches the game.
    pub(crate) fn context(&self, to: Option<Color>, zone: TimeZone) -> TimeContext {
        let left = |color| words_left(self.left(color));
        let deadline = self.deadline().filter(|_| self.clocks.flagged().is_none());
        let own = to.unwrap_or(Color::Black);
        TimeContext {
            control: words(&self.terms),
            own_left: left(own),
            other_left: left(!own),
            deadline: deadline.map(|deadline| zone.shown_at(deadline, self.now)),
        }
    }

    /// Returns the seconds until the deadline; 0 after it.
    pub(crate) fn seconds_left(&self) -> Option<i64> {
        self.deadline().map(|deadline| seconds_until(deadline, self.now))
    }

    /// Returns the lines for people.
    pub(crate) fn lines(&self, names: Names) -> Vec<String> {
        let Self { clocks, zone, now, .. } = self;
        let left = Color::BOTH
            .map(|color| format!("{} {}", names.of(color), words_left(self.left(color))));
        let mut lines = vec![format!("Time: {}; left: {}", words(&self.terms), left.join(", "))];
        let is_against_bot = Color::BOTH.into_iter().any(|color| !clocks.has_clock(color));
        lines.push(match (clocks.running(), clocks.flagged(), self.deadline()) {
            (Some(turn), _, Some(deadline)) => {
                let shown = zone.shown_at(deadline, *now);
                let until = format!("{} until {shown}", names.of(turn));
                // No flag falls in an outage.
                let left = match deadline - *now {
                    left if left <= TimeDelta::zero() => ", which has passed".to_owned(),
                    left if self.is_for_reader => format!(", in {}", span(left)),
                    _ => String::new(),
                };
                format!("Deadline: {until}{left}")
            }
            (_, Some(flagged), _) if is_against_bot => {
                format!("Deadline: the time of {} is over", names.of(flagged))
            }
            (_, Some(flagged), _) => format!(
                "Deadline: the time of {} is over; {} can claim the game{}",
                names.of(flagged),
                names.of(!flagged),
                if clocks.is_paused() { " after the pause" } else { "" }
            ),
            _ if clocks.is_turn_of_bot() => "Deadline: none for a computer player".to_owned(),
            _ => "Deadline: none while the game is paused".to_owned(),
        });
        let start = clocks.turn_start();
        if let Some(turn) = clocks.running().filter(|_| start > *now) {
            let (turn, start) = (names.of(turn), zone.shown_at(start, *now));
            lines.push(format!("Clock: {turn}'s starts on {start}"));
        }
        lines
    }

    pub(crate) fn json(&self) -> Value {
        let [black, white] =
            Color::BOTH.map(|color| self.left(color).map(|left| left.num_seconds()));
        json!({
            "control": self.terms.control.to_string(),
            "free_weekends": self.terms.free_weekends,
            "flag": self.terms.flag.word(),
            "absences": self.terms.absences,
            "black_seconds": black,
            "white_seconds": white,
            "running": self.clocks.running().map(|color| color.to_string()),
            "flagged": self.clocks.flagged().map(|color| color.to_string()),
        })
    }
}

fn words_left(left: Option<TimeDelta>) -> String {
    match left {
        Some(left) if left.is_zero() => "none".to_owned(),
        Some(left) => span(left),
        None => "no limit".to_owned(),
    }
}

/// Returns the seconds until a deadline; 0 after it.
pub(crate) fn seconds_until(deadline: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
    (deadline - now).num_seconds().max(0)
}

/// Returns the terms of a game for people.
pub(crate) fn words(terms: &Terms) -> String {
    let mut words = vec![terms.control.words()];
    if terms.free_weekends {
        words.push("free weekends".to_owned());
    }
    if terms.flag == FlagRule::Hard {
        words.push("running out of time loses".to_owned());
    }
    if !terms.absences {
        words.push("no absences".to_owned());
    }
    words.join(", ")
}

/// The units of a span, each with its seconds, how many of it are the least that it is used for, and its
/// short name.
const UNITS: [(i64, i64, &str, Option<&str>); 6] = [
    (365 * 86_400, 2, "year", None),
    (30 * 86_400, 2, "month", None),
    (86_400, 1, "day", None),
    (3600, 1, "hour", Some("h")),
    (60, 1, "minute", Some("min")),
    (1, 1, "second", Some("s")),
];

/// Returns a span of time for people, in its largest unit and the one below: `2 days 23 h`.
pub(crate) fn span(span: TimeDelta) -> String {
    let seconds = span.num_seconds();
    let Some(first) = UNITS.iter().position(|(size, least, ..)| seconds >= size * least) else {
        return "less than a second".to_owned();
    };
    let (size, _, unit, _) = UNITS[first];
    let mut words = counted(seconds / size, unit);
    if let Some((size_below, _, unit, short)) = UNITS.get(first + 1) {
        let below = seconds % size / size_below;
        if below > 0 {
            let below =
                short.map_or_else(|| counted(below, unit), |short| format!("{below} {short}"));
            words = format!("{words} {below}");
        }
    }
    words
}

/// Returns the first and the last day of an absence in the player's zone.
pub(crate) fn absent_days(absence: &Absence, zone: TimeZone) -> (NaiveDate, NaiveDate) {
    let last = zone.local(absence.until - TimeDelta::seconds(1)).date();
    let first = zone.local(absence.from).date();
    (first, last.max(first))
}

/// Returns an absence for scripts.
pub(crate) fn absence_to_json(absence: &Absence, zone: TimeZone) -> Value {
    let (from, to) = absent_days(absence, zone);
    json!({ "from": from.to_string(), "to": to.to_string() })
}

/// Returns the days of an absence in words: `from Monday, 23 November 2026 to …`.
pub(crate) fn absence(absence: &Absence, zone: TimeZone) -> String {
    span_of_days(absent_days(absence, zone), [DAY, DAY])
}

/// Returns the days of an absence in short: `from 3 to 10 November`, with the years if they differ.
pub(crate) fn short_absence(absence: &Absence, zone: TimeZone) -> String {
    short_days(absent_days(absence, zone))
}

/// Returns the same for the days from the first to the last.
pub(crate) fn short_days((first, last): (NaiveDate, NaiveDate)) -> String {
    let formats = match (first.year() == last.year(), first.month() == last.month()) {
        (true, true) => ["%-d", "%-d %B"],
        (true, false) => ["%-d %B", "%-d %B"],
        (false, _) => ["%-d %B %Y", "%-d %B %Y"],
    };
    span_of_days((first, last), formats)
}

/// Returns the days from the first to the last in these formats: `on` a day, or `from` one `to` another.
fn span_of_days((first, last): (NaiveDate, NaiveDate), [begin, end]: [&str; 2]) -> String {
    match first == last {
        true => format!("on {}", last.format(end)),
        false => format!("from {} to {}", first.format(begin), last.format(end)),
    }
}

/// A day in words.
const DAY: &str = "%A, %-d %B %Y";

/// Returns a day in words.
pub(crate) fn day(day: NaiveDate) -> String {
    day.format(DAY).to_string()
}

/// The players who are away, each with the last day of the absence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Away(Vec<(String, NaiveDate)>);

impl Away {
    /// Returns those who are away at this time.
    pub(crate) fn at(db: &Db, now: DateTime<Utc>) -> Result<Self, Error> {
        let absent = db.absent_players(now)?.into_iter();
        Ok(Self(absent.map(|it| (it.name, absent_days(&it.absence, it.clock.zone).1)).collect()))
    }

    /// Returns the last day on which the player with this name is away; `None` if the player is not.
    pub(crate) fn until(&self, name: &str) -> Option<NaiveDate> {
        self.0.iter().find(|(absent, _)| absent == name).map(|&(_, until)| until)
    }

    /// Returns the same for Black and White, as JSON has it.
    pub(crate) fn json(&self, black: &str, white: &str) -> Value {
        let until = |name| self.until(name).map(|day| day.to_string());
        json!({ "black": until(black), "white": until(white) })
    }
}

#[cfg(test)]
mod tests {
    use super::{TimeDelta, span};

    #[test]
    fn a_span_has_its_largest_unit_and_the_one_below() {
        for (seconds, words) in [
            (0, "less than a second"),
            (1, "1 second"),
            (59, "59 seconds"),
            (60, "1 minute"),
            (119, "1 minute 59 s"),
            (3600 + 20 * 60 + 59, "1 hour 20 min"),
            (2 * 86_400, "2 days"),
            (3 * 86_400 - 1, "2 days 23 h"),
            (59 * 86_400 + 3600, "59 days 1 h"),
            (61 * 86_400, "2 months 1 day"),
            (729 * 86_400, "24 months 9 days"),
            (730 * 86_400, "2 years"),
            (800 * 86_400, "2 years 2 months"),
        ] {
            assert_eq!(span(TimeDelta::seconds(seconds)), words, "{seconds}");
        }
    }
}
