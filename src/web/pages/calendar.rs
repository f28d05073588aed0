//! The calendar of a player: iCalendar, RFC 5545.

use chrono::TimeDelta;
use icalendar::{Calendar, Component, Event, EventLike};

use crate::app::{CalendarEntry, PlayerCalendar};

/// How often programs should read the calendar again.
const REFRESH: TimeDelta = TimeDelta::hours(1);

/// Returns the calendar. It has no links, since a calendar is often shown to others.
pub fn calendar(PlayerCalendar { name, entries, at }: &PlayerCalendar) -> String {
    let mut calendar = Calendar::empty();
    calendar
        .append_property(("VERSION", "2.0"))
        .append_property(("PRODID", "-//Outflank//Outflank//EN"))
        .append_property(("METHOD", "PUBLISH"))
        .name(&format!("Games of {name}"))
        .ttl(&REFRESH);
    for CalendarEntry { uid, summary, from, until } in entries {
        let mut event = Event::new();
        event.uid(uid).summary(summary).timestamp(*at).starts(*from);
        if let Some(until) = until {
            event.ends(*until);
        }
        calendar.push(event.done());
    }
    calendar.to_string()
}
