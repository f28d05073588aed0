//! Days in the zone of this machine.

use chrono::{DateTime, Datelike, Local, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};

use crate::app::Error;

/// Returns when a day begins in the zone of this machine.
pub(super) fn midnight(day: NaiveDate) -> Result<DateTime<Utc>, Error> {
    let begins = Local.from_local_datetime(&day.and_time(NaiveTime::MIN)).earliest();
    let begins = begins.or_else(|| {
        // The clocks go forward at midnight.
        let one = NaiveTime::from_hms_opt(1, 0, 0)?;
        Local.from_local_datetime(&day.and_time(one)).earliest()
    });
    begins.map(|it| it.to_utc()).ok_or_else(|| Error::refused(format!("{day} has no beginning")))
}

/// Returns when the next Monday begins in the zone of this machine.
pub(super) fn next_monday(now: DateTime<Utc>) -> Result<DateTime<Utc>, Error> {
    let today = now.with_timezone(&Local).date_naive();
    let since = TimeDelta::days(today.weekday().num_days_from_monday().into());
    midnight(today - since + TimeDelta::weeks(1))
}
