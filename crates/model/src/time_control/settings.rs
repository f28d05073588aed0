use std::fmt;
use std::str::FromStr;

use chrono::{
    DateTime, Datelike, Days, MappedLocalTime, NaiveDate, NaiveTime, TimeDelta, Utc, Weekday,
    WeekdaySet,
};

use outflank_rules::quoted;

use super::zone::{TimeZone, UnknownZone};

/// The settings of a player that apply to the player's clock.
///
/// As text they are `Europe/Amsterdam sat,sun 22:00-07:00`, with `none` for no free days and no
/// quiet hours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClockSettings {
    /// The time zone.
    pub zone: TimeZone,
    /// The free weekdays, on which the clock stands still in games with free weekends.
    pub weekend: Weekend,
    /// The hours without deadlines; `None` for no quiet hours.
    pub quiet: Option<QuietHours>,
}

/// At most two free weekdays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weekend(WeekdaySet);

/// Hours of each day, from one minute to another, at most twelve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    from: NaiveTime,
    until: NaiveTime,
}

/// A text is not a setting; the error names the valid ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(String);

const NONE: &str = "none";

impl Default for Weekend {
    /// Returns Saturday and Sunday.
    fn default() -> Self {
        Self(WeekdaySet::from_array([Weekday::Sat, Weekday::Sun]))
    }
}

impl Weekend {
    /// No free days.
    pub const NONE: Self = Self(WeekdaySet::EMPTY);

    /// Returns whether it has this weekday.
    pub fn contains(self, day: Weekday) -> bool {
        self.0.contains(day)
    }

    /// Returns the first free day from this one on; `None` if there are none.
    pub(super) fn next_from(self, day: NaiveDate) -> Option<NaiveDate> {
        let mut week = (0..7).filter_map(|days| day.checked_add_days(Days::new(days)));
        week.find(|day| self.contains(day.weekday()))
    }
}

impl QuietHours {
    /// The longest quiet hours.
    const MAX_LENGTH: TimeDelta = TimeDelta::hours(12);

    /// Returns whether this time of day is in them.
    pub fn contains(self, time: NaiveTime) -> bool {
        if self.from < self.until {
            self.from <= time && time < self.until
        } else {
            self.from <= time || time < self.until
        }
    }

    /// Returns the moment, or an hour before they began if the moment is in them.
    fn before(self, zone: TimeZone, moment: DateTime<Utc>) -> DateTime<Utc> {
        let local = zone.local(moment);
        if !self.contains(local.time()) {
            return moment;
        }
        let yesterday = if local.time() < self.from { 1 } else { 0 };
        let begin = (local.date() - Days::new(yesterday)).and_time(self.from);
        zone.moment(begin) - TimeDelta::hours(1)
    }

    /// Returns the moment, or their end if the moment is in them.
    pub fn end(self, zone: TimeZone, moment: DateTime<Utc>) -> DateTime<Utc> {
        let local = zone.local(moment);
        if !self.contains(local.time()) {
            return moment;
        }
        let tomorrow = if local.time() < self.until { 0 } else { 1 };
        let end = (local.date() + Days::new(tomorrow)).and_time(self.until);
        match zone.moments(end) {
            // An hour that the clocks show twice may be quiet twice.
            MappedLocalTime::Ambiguous(first, second) if first <= moment => second,
            _ => zone.moment(end),
        }
    }
}

impl ClockSettings {
    /// Returns the moment, or an hour before the quiet hours that it is in began: a mail that is due
    /// then comes before them, even if `send` runs late.
    pub fn before_quiet(&self, moment: DateTime<Utc>) -> DateTime<Utc> {
        self.quiet.map_or(moment, |quiet| quiet.before(self.zone, moment))
    }

    /// Returns the moment, or the end of the quiet hours that it is in.
    pub fn after_quiet(&self, moment: DateTime<Utc>) -> DateTime<Utc> {
        self.quiet.map_or(moment, |quiet| quiet.end(self.zone, moment))
    }
}

impl FromStr for ClockSettings {
    type Err = BadSettings;

    fn from_str(text: &str) -> Result<Self, BadSettings> {
        let parts: Vec<_> = text.split(' ').collect();
        let [zone, weekend, quiet] = parts[..] else {
            return Err(BadSettings(format!("{} are not the settings of a clock", quoted(text))));
        };
        let quiet = if quiet == NONE { None } else { Some(quiet.parse()?) };
        let zone = zone.parse().map_err(|bad: UnknownZone| BadSettings(bad.to_string()))?;
        Ok(Self { zone, weekend: weekend.parse()?, quiet })
    }
}

impl FromStr for Weekend {
    type Err = BadSettings;

    /// Parses `sat,sun`, `friday` or `none`.
    fn from_str(text: &str) -> Result<Self, BadSettings> {
        let bad = || {
            let hint = "use at most two days such as sat,sun, or none";
            BadSettings(format!("{} is not a weekend; {hint}", quoted(text)))
        };
        if text.eq_ignore_ascii_case(NONE) {
            return Ok(Self::NONE);
        }
        let mut days = WeekdaySet::EMPTY;
        for word in text.split(',') {
            days.insert(word.trim().parse().map_err(|_| bad())?);
        }
        if days.len() > 2 { Err(bad()) } else { Ok(Self(days)) }
    }
}

impl FromStr for QuietHours {
    type Err = BadSettings;

    /// Parses `22:00-07:00`.
    fn from_str(text: &str) -> Result<Self, BadSettings> {
        let bad = || {
            let hint = "use hours such as 22:00-07:00, or off";
            BadSettings(format!("{} are not quiet hours; {hint}", quoted(text)))
        };
        let time = |word: &str| NaiveTime::parse_from_str(word.trim(), "%H:%M").map_err(|_| bad());
        let (from, until) = text.split_once('-').ok_or_else(bad)?;
        let (from, until) = (time(from)?, time(until)?);
        let overnight = if from < until { TimeDelta::zero() } else { TimeDelta::days(1) };
        match until - from + overnight {
            _ if from == until => Err(bad()),
            span if span > Self::MAX_LENGTH => {
                Err(BadSettings(format!("{} are more than 12 hours; shorten them", quoted(text))))
            }
            _ => Ok(Self { from, until }),
        }
    }
}

impl fmt::Display for ClockSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.zone, self.weekend)?;
        match self.quiet {
            Some(quiet) => quiet.fmt(f),
            None => f.write_str(NONE),
        }
    }
}

impl fmt::Display for Weekend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.iter(Weekday::Mon).map(|day| day.to_string().to_lowercase());
        let days = days.collect::<Vec<_>>().join(",");
        f.write_str(if days.is_empty() { NONE } else { &days })
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from.format("%H:%M"), self.until.format("%H:%M"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn settings_are_written_as_they_are_read() {
        for text in [
            "UTC sat,sun none",
            "Europe/Amsterdam fri,sat 22:00-07:00",
            "America/New_York none 00:00-12:00",
            "Asia/Tehran fri 23:30-06:15",
        ] {
            assert_eq!(text.parse::<ClockSettings>().unwrap().to_string(), text);
        }
        assert_eq!(ClockSettings::default().to_string(), "UTC sat,sun none");
        assert_eq!("UTC sat,sun none".parse(), Ok(ClockSettings::default()));
        assert_eq!("europe/amsterdam".parse::<TimeZone>().unwrap().name(), "Europe/Amsterdam");
        assert_eq!("Sunday,FRI".parse::<Weekend>().unwrap().to_string(), "fri,sun");
    }

    #[test]
    fn malformed_settings_are_refused() {
        for zone in ["", "Amsterdam", "CEST"] {
            assert!(zone.parse::<TimeZone>().is_err(), "{zone}");
        }
        for weekend in ["", "sat,", "fri,sat,sun", "day"] {
            assert!(weekend.parse::<Weekend>().is_err(), "{weekend}");
        }
        for quiet in ["", "22-7", "22:00", "25:00-07:00", "07:00-07:00", "10:00-22:01", "22:00-a"] {
            assert!(quiet.parse::<QuietHours>().is_err(), "{quiet}");
        }
        for settings in ["", "UTC", "UTC none none none", "UTC  none none"] {
            assert!(settings.parse::<ClockSettings>().is_err(), "{settings}");
        }
    }

    #[test]
    fn quiet_hours_end_by_the_local_clock() {
        for (settings, moment, end) in [
            // The 29th of March 2026 has 23 hours in Amsterdam, the 25th of October 25.
            ("Europe/Amsterdam none 22:00-07:00", "2026-03-28T22:30:00Z", "2026-03-29T05:00:00Z"),
            ("Europe/Amsterdam none 22:00-07:00", "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"),
            ("Europe/Amsterdam none 22:00-07:00", "2026-10-25T06:00:00Z", "2026-10-25T06:00:00Z"),
            ("Europe/Amsterdam none 22:00-07:00", "2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z"),
            // The clocks skip 02:30 in spring, so the quiet hours end at 03:00.
            ("Europe/Amsterdam none 22:00-02:30", "2026-03-29T00:10:00Z", "2026-03-29T01:00:00Z"),
            // In autumn the clocks show 02:15 twice, and 02:30 after each.
            ("Europe/Amsterdam none 22:00-02:30", "2026-10-25T00:15:00Z", "2026-10-25T00:30:00Z"),
            ("Europe/Amsterdam none 22:00-02:30", "2026-10-25T01:15:00Z", "2026-10-25T01:30:00Z"),
            ("America/New_York none 12:00-13:00", "2026-02-28T17:59:59Z", "2026-02-28T18:00:00Z"),
        ] {
            let settings: ClockSettings = settings.parse().unwrap();
            assert_eq!(settings.after_quiet(utc(moment)), utc(end), "{settings} {moment}");
        }
    }
}
