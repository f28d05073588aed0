//! The free days and quiet hours of a player. Moments are seconds since 1970.

use chrono::{DateTime, Datelike, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime};
use chrono::{Days, Offset, TimeDelta, TimeZone, Weekday};
use chrono_tz::Tz;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;

/// A player's settings, in the words of the column `player.clock`: `Europe/Amsterdam fri,sat 22:00-07:00`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calendar {
    zone: Tz,
    weekend: Vec<Weekday>,
    quiet: Option<(NaiveTime, NaiveTime)>,
}

impl Calendar {
    pub fn parse(text: &str) -> Option<Self> {
        let [zone, weekend, quiet] = text.split(' ').collect::<Vec<_>>()[..] else { return None };
        let weekend = match weekend {
            "none" => Vec::new(),
            days => days.split(',').map(|day| day.parse().ok()).collect::<Option<_>>()?,
        };
        let time = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").ok();
        let quiet = match quiet.split_once('-') {
            Some((from, until)) => Some((time(from)?, time(until)?)),
            None => None,
        };
        Some(Self { zone: zone.parse().ok()?, weekend, quiet })
    }

    /// How many seconds the player's clocks are ahead of UTC.
    fn offset(&self, at: i64) -> i64 {
        let at = DateTime::from_timestamp(at, 0).unwrap_or_default().naive_utc();
        self.zone.offset_from_utc_datetime(&at).fix().local_minus_utc().into()
    }

    /// What the player's clocks show.
    pub fn local(&self, at: i64) -> NaiveDateTime {
        DateTime::from_timestamp(at + self.offset(at), 0).unwrap_or_default().naive_utc()
    }

    /// When the player's clocks first show this or a later time.
    pub fn first(&self, mut local: NaiveDateTime) -> i64 {
        loop {
            match self.zone.from_local_datetime(&local) {
                MappedLocalTime::Single(at) | MappedLocalTime::Ambiguous(at, _) => {
                    return at.timestamp();
                }
                // The clocks skip it.
                MappedLocalTime::None => local += TimeDelta::minutes(1),
            }
        }
    }

    pub fn is_free(&self, at: i64) -> bool {
        self.weekend.contains(&self.local(at).weekday())
    }

    /// Returns when free days next begin or end; `None` if there are none.
    pub fn next_change(&self, at: i64) -> Option<i64> {
        if self.weekend.is_empty() {
            return None;
        }
        let today = self.local(at).date();
        let is_free = |day: &NaiveDate| self.weekend.contains(&day.weekday());
        let other = today.iter_days().find(|day| is_free(day) != is_free(&today))?;
        Some(self.first(other.and_time(NaiveTime::MIN)))
    }

    pub fn is_quiet(&self, at: i64) -> bool {
        let time = self.local(at).time();
        self.quiet.is_some_and(|(from, until)| match from < until {
            true => from <= time && time < until,
            false => from <= time || time < until,
        })
    }

    /// Returns this moment, or the end of the quiet hours that it is in.
    pub fn after_quiet(&self, at: i64) -> i64 {
        let Some((_, until)) = self.quiet.filter(|_| self.is_quiet(at)) else { return at };
        let local = self.local(at);
        let day = local.date() + Days::new(u64::from(local.time() >= until));
        let end = at + (day.and_time(until) - local).num_seconds();
        if self.offset(at) == self.offset(end) {
            return end;
        }
        // In the night in which the clocks are changed.
        let mut minutes = (at / MINUTE + 1..).map(|minute| minute * MINUTE);
        minutes.find(|&minute| !self.is_quiet(minute)).unwrap_or(end)
    }

    /// Returns this moment, or an hour before the quiet hours that it is in.
    pub fn before_quiet(&self, at: i64) -> i64 {
        let Some((from, _)) = self.quiet.filter(|_| self.is_quiet(at)) else { return at };
        let local = self.local(at);
        let day = local.date() - Days::new(u64::from(local.time() < from));
        self.first(day.and_time(from)) - HOUR
    }
}
