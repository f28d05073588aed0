use chrono::TimeDelta;
use outflank_model::log::Game;
use outflank_model::time_control::{Span, turn_start};
use outflank_rules::Color::{Black, White};

use super::{Played, play, play_on, utc};

/// A game with its deadline: its terms, its start and its log.
type Timed = (&'static str, &'static str, &'static str, &'static str, &'static str);

const DEADLINES: &[Timed] = &[
    ("three days", "3d", "2026-01-01T00:00:00Z", "", "2026-01-04T00:00:00Z"),
    ("leap day", "2d", "2028-02-28T12:00:00Z", "", "2028-03-01T12:00:00Z"),
    ("no leap day", "2d", "2027-02-28T12:00:00Z", "", "2027-03-02T12:00:00Z"),
    ("end of year", "3d", "2026-12-30T18:00:00Z", "", "2027-01-02T18:00:00Z"),
    // Wednesday has 6 hours, Thursday and Friday have 24 each; 18 remain for Monday.
    (
        "weekend at the end of the year",
        "3d free-weekends",
        "2026-12-30T18:00:00Z",
        "",
        "2027-01-04T18:00:00Z",
    ),
    (
        "it begins on a free day",
        "1d free-weekends",
        "2026-11-21T10:00:00Z",
        "",
        "2026-11-24T00:00:00Z",
    ),
    // A span of hours does not change with the clocks: from 12:00 to 13:00 local time.
    (
        "summer time",
        "3d",
        "2026-03-27T11:00:00Z",
        "2026-03-27T11:00:00Z b settings Europe/Amsterdam sat,sun none",
        "2026-03-30T11:00:00Z",
    ),
    // Friday 12 hours, then from Monday 00:00 in summer time: Wednesday 12:00.
    (
        "a weekend with the begin of summer time",
        "3d free-weekends",
        "2026-03-27T11:00:00Z",
        "2026-03-27T11:00:00Z b settings Europe/Amsterdam sat,sun none",
        "2026-04-01T10:00:00Z",
    ),
    // Friday 12 hours, then from Monday 00:00 in winter time: Wednesday 12:00.
    (
        "a weekend with the end of summer time",
        "3d free-weekends",
        "2026-10-23T10:00:00Z",
        "2026-10-23T10:00:00Z b settings Europe/Amsterdam sat,sun none",
        "2026-10-28T11:00:00Z",
    ),
    // Thursday has 12 hours and Sunday 23; 13 remain for Monday: 13:00 in summer time.
    (
        "a day of 23 hours",
        "2d free-weekends",
        "2026-03-05T17:00:00Z",
        "2026-03-05T17:00:00Z b settings America/New_York fri,sat none",
        "2026-03-09T17:00:00Z",
    ),
    // Thursday has 12 hours and Sunday 25; 11 remain for Monday: 11:00 in winter time.
    (
        "a day of 25 hours",
        "2d free-weekends",
        "2026-10-29T16:00:00Z",
        "2026-10-29T16:00:00Z b settings America/New_York fri,sat none",
        "2026-11-02T16:00:00Z",
    ),
    (
        "no free day",
        "7d free-weekends",
        "2026-11-20T10:00:00Z",
        "2026-11-20T10:00:00Z b settings UTC none none",
        "2026-11-27T10:00:00Z",
    ),
    // 23:00 in Amsterdam becomes 07:00 on the next day.
    (
        "quiet hours",
        "1d",
        "2026-11-18T22:00:00Z",
        "2026-11-18T22:00:00Z b settings Europe/Amsterdam sat,sun 22:00-07:00",
        "2026-11-20T06:00:00Z",
    ),
    // Friday 23:00 becomes Monday 07:00, after the weekend.
    (
        "quiet hours before a weekend",
        "1d free-weekends",
        "2026-11-19T22:00:00Z",
        "2026-11-19T22:00:00Z b settings Europe/Amsterdam sat,sun 22:00-07:00",
        "2026-11-23T06:00:00Z",
    ),
    // Friday 22:00 becomes Monday 00:00: the quiet hours end where the weekend begins.
    (
        "quiet hours until a weekend",
        "1d free-weekends",
        "2026-11-19T22:00:00Z",
        "2026-11-19T22:00:00Z b settings UTC sat,sun 12:00-00:00",
        "2026-11-23T00:00:00Z",
    ),
    (
        "a note on the weekend after quiet hours",
        "1d free-weekends",
        "2026-11-19T22:00:00Z",
        "2026-11-19T22:00:00Z b settings Europe/Amsterdam sat,sun 22:00-07:00
         2026-11-21T12:00:00Z w note x",
        "2026-11-23T06:00:00Z",
    ),
    (
        "absence",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z b away 2026-05-03T00:00:00Z 2026-05-13T00:00:00Z",
        "2026-05-14T00:00:00Z",
    ),
    (
        "two absences that overlap",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-01T00:00:00Z b away 2026-05-05T00:00:00Z 2026-05-13T00:00:00Z
         2026-05-01T00:00:00Z b away 2026-05-03T00:00:00Z 2026-05-06T00:00:00Z",
        "2026-05-14T00:00:00Z",
    ),
    (
        "absence where there is none",
        "3d no-away",
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z b away 2026-05-03T00:00:00Z 2026-05-13T00:00:00Z",
        "2026-05-04T00:00:00Z",
    ),
    // Two days of the absence count.
    (
        "back early",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z b away 2026-05-03T00:00:00Z 2026-05-13T00:00:00Z
             2026-05-05T00:00:00Z b back",
        "2026-05-06T00:00:00Z",
    ),
    (
        "an absence that is taken back before it begins",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-01T00:00:00Z b away 2026-05-03T00:00:00Z 2026-05-13T00:00:00Z
             2026-05-02T00:00:00Z b back",
        "2026-05-04T00:00:00Z",
    ),
    (
        "the absence of the opponent",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-01T00:00:00Z w away 2026-05-02T00:00:00Z 2026-05-13T00:00:00Z",
        "2026-05-04T00:00:00Z",
    ),
    (
        "pause",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z b offer pause
             2026-05-03T00:00:00Z w accept
             2026-05-23T00:00:00Z w unpause",
        "2026-05-24T00:00:00Z",
    ),
    // The time of 12 hours is used up at 02:00; 2 of the hours until 07:00 are left in the pause.
    (
        "a pause between the end of the time and the deadline",
        "12h",
        "2026-05-01T14:00:00Z",
        "2026-05-01T14:00:00Z b settings UTC none 22:00-07:00
             2026-05-02T05:00:00Z b offer pause
             2026-05-02T05:00:00Z w accept
             2026-05-03T12:00:00Z w unpause",
        "2026-05-03T14:00:00Z",
    ),
    (
        "another offer that was accepted",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z b offer pause
             2026-05-02T00:00:00Z b f5
             2026-05-02T00:00:00Z b offer takeback
             2026-05-03T00:00:00Z w accept",
        "2026-05-05T00:00:00Z",
    ),
    (
        "extension",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z h extend b 172800 outage",
        "2026-05-06T00:00:00Z",
    ),
    (
        "extension out of turn",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z h extend w 172800 outage
             2026-05-02T00:00:00Z b f5",
        "2026-05-07T00:00:00Z",
    ),
    (
        "extension after a flag",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-04T00:00:00Z h flag b
             2026-05-07T00:00:00Z h extend b 172800 outage",
        "2026-05-09T00:00:00Z",
    ),
    (
        "an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z",
        "2026-05-06T12:00:00Z",
    ),
    (
        "a note after an outage",
        "3d free-weekends",
        "2026-05-01T00:00:00Z",
        "2026-05-08T12:00:00Z h outage 2026-05-05T20:00:00Z
             2026-05-08T13:00:00Z b note x",
        "2026-05-09T12:00:00Z",
    ),
    (
        "an outage that ends before quiet hours",
        "1d",
        "2026-05-01T00:00:00Z",
        "2026-05-01T00:00:00Z b settings UTC none 22:00-07:00
             2026-05-04T23:00:00Z h outage 2026-05-01T20:00:00Z",
        "2026-05-06T07:00:00Z",
    ),
    // The 24 hours end on Friday in the quiet hours, and the clock runs again on Monday in the quiet hours.
    (
        "words on a free day after the 24 hours of an outage",
        "1d free-weekends",
        "2026-05-01T00:00:00Z",
        "2026-05-01T00:00:00Z b settings UTC sat,sun 22:00-07:00
             2026-05-07T22:30:00Z h outage 2026-05-01T20:00:00Z
             2026-05-09T10:00:00Z w say x",
        "2026-05-11T07:00:00Z",
    ),
    (
        "words in an outage after the 24 hours of another",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-08T13:00:00Z w say x",
        "2026-05-06T12:00:00Z",
    ),
    // The old deadline was on the 4th.
    (
        "a long extension after an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-05T12:00:00Z h extend b 432000",
        "2026-05-09T00:00:00Z",
    ),
    (
        "a short extension after an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-05T12:00:00Z h extend b 86400",
        "2026-05-06T12:00:00Z",
    ),
    (
        "two short extensions after an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-05T12:00:00Z h extend b 86400
             2026-05-05T13:00:00Z h extend b 172800",
        "2026-05-07T00:00:00Z",
    ),
    (
        "an extension before an outage ends",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h extend b 172800",
        "2026-05-06T00:00:00Z",
    ),
    (
        "a pause after an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-05T12:00:00Z b offer pause
             2026-05-05T18:00:00Z w accept
             2026-05-23T00:00:00Z w unpause",
        "2026-05-23T18:00:00Z",
    ),
    (
        "a pause in an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z b offer pause
             2026-05-05T18:00:00Z w accept
             2026-05-23T00:00:00Z w unpause",
        "2026-05-24T00:00:00Z",
    ),
    // The 24 hours after the first one were over on 6 May.
    (
        "a pause in a second outage of the same turn",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-05T12:00:00Z b offer pause
             2026-05-08T18:00:00Z w accept
             2026-05-23T00:00:00Z w unpause",
        "2026-05-24T00:00:00Z",
    ),
    (
        "an absence after an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-05T12:00:00Z b away 2026-05-06T00:00:00Z 2026-05-13T00:00:00Z",
        "2026-05-13T12:00:00Z",
    ),
    (
        "a move after an outage",
        "3d",
        "2026-05-01T00:00:00Z",
        "2026-05-05T12:00:00Z h outage 2026-05-03T20:00:00Z
             2026-05-06T00:00:00Z b f5",
        "2026-05-09T00:00:00Z",
    ),
    (
        "a settings change counts from when it is logged",
        "3d free-weekends",
        "2026-11-19T00:00:00Z",
        "2026-11-20T00:00:00Z b f5
             2026-11-20T00:00:00Z w settings UTC none none",
        "2026-11-23T00:00:00Z",
    ),
];

/// The moves to a position where alice has to pass after f7 and h6.
const BEFORE_A_PASS: &[&str] = &["f5", "f6", "d3", "g5", "h5", "h4"];

/// The rows of the table in docs/time.md: a name, the hour when alice's first move begins bob's turn (with
/// quiet hours for bob if it is 16), and the next events.
const TABLE: &[(&str, &str, &str)] = &[
    (
        "a move with 3 hours left",
        "12",
        "2026-05-04T17:00:00Z w d6
         2026-05-04T17:00:00Z b c3",
    ),
    (
        "a move with 3 hours left, after which alice passes automatically",
        "12",
        "2026-05-04T17:00:00Z w h6
         2026-05-04T17:00:00Z b auto-pass",
    ),
    (
        "a move in quiet hours after the own time",
        "16",
        "2026-05-05T02:00:00Z w d6
         2026-05-05T08:00:00Z b c3",
    ),
    (
        "a move after the flag",
        "12",
        "2026-05-04T20:00:00Z h flag w
         2026-05-04T21:00:00Z w d6
         2026-05-04T21:00:00Z b c3",
    ),
    (
        "a takeback of a move with 3 hours left",
        "12",
        "2026-05-04T17:00:00Z w d6
         2026-05-04T17:00:00Z w takeback",
    ),
    (
        "a takeback of a move after the own time, 5 hours before the deadline",
        "16",
        "2026-05-05T02:00:00Z w d6
         2026-05-05T02:00:00Z w takeback",
    ),
    (
        "a takeback after the flag, of a move with 3 hours left",
        "12",
        "2026-05-04T17:00:00Z w d6
         2026-05-04T17:00:00Z b c3
         2026-05-06T00:00:00Z h flag w
         2026-05-06T00:00:00Z w offer takeback
         2026-05-06T00:00:00Z b accept",
    ),
    (
        "a takeback by alice after the flag of bob, at his next turn",
        "12",
        "2026-05-04T20:00:00Z h flag w
         2026-05-04T21:00:00Z b offer takeback
         2026-05-04T21:00:00Z w accept
         2026-05-04T21:00:00Z b f5",
    ),
    (
        "the end of a pause with 3 hours left",
        "12",
        "2026-05-04T17:00:00Z w offer pause
         2026-05-04T17:00:00Z b accept
         2026-05-05T17:00:00Z b unpause",
    ),
    (
        "the end of a pause after the own time, 5 hours before the deadline",
        "16",
        "2026-05-05T02:00:00Z w offer pause
         2026-05-05T02:00:00Z b accept
         2026-05-05T12:00:00Z b unpause",
    ),
    (
        "an absence of a day, with 3 hours left",
        "12",
        "2026-05-04T17:00:00Z w away 2026-05-04T18:00:00Z 2026-05-05T18:00:00Z",
    ),
    ("an extension by 2 hours, with 3 hours left", "12", "2026-05-04T17:00:00Z h extend w 7200 x"),
    (
        "an extension by 2 hours after the own time, 5 hours before the deadline",
        "16",
        "2026-05-05T02:00:00Z h extend w 7200 x",
    ),
    (
        "an extension by 2 hours after the flag",
        "12",
        "2026-05-04T20:00:00Z h flag w
         2026-05-04T21:00:00Z h extend w 7200 x",
    ),
    (
        "the end of an outage of the server",
        "12",
        "2026-05-05T12:00:00Z h outage 2026-05-04T18:00:00Z",
    ),
    (
        "the end of an outage of the mail server",
        "12",
        "2026-05-05T12:00:00Z h outage 2026-05-04T18:00:00Z mail",
    ),
];

#[test]
fn each_event_does_what_the_table_says() {
    let page = include_str!("../../docs/time.md");
    let table = page.split("## What each event does").nth(1).unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with('|'));
    let mut rows = rows.take_while(|line| line.starts_with('|')).map(|line| {
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect()
    });
    let kinds: Vec<&str> = rows.next().unwrap();
    let rows: Vec<Vec<&str>> = rows.skip(1).collect();
    let named: Vec<_> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(named, TABLE.iter().map(|event| event.0).collect::<Vec<_>>());
    for (row, (what, hour, log)) in rows.iter().zip(TABLE) {
        for (terms, expected) in kinds.iter().zip(row).skip(1) {
            if *expected == "\u{2013}" {
                continue;
            }
            let start = format!("2026-05-04T{hour}:00:00Z");
            let mut played = Played::new(terms, &start);
            let mut first = "f5";
            if what.contains("passes") {
                BEFORE_A_PASS.iter().for_each(|mv| played.game.play(mv.parse().unwrap()).unwrap());
                played.game = Game::new(played.game.position().clone());
                first = "f7";
            }
            let quiet = if *hour == "16" { "22:00-07:00" } else { "none" };
            // The settings are in the logs of games with a clock.
            let settings = match *terms {
                "none" => String::new(),
                _ => format!("{start} w settings UTC none {quiet}"),
            };
            let played = play_on(played, &format!("{start} b {first}\n{settings}\n{log}"));
            let clocks = played.clocks();
            let end = clocks.deadline().or(clocks.idle_end()).unwrap();
            let left = end - *played.times.last().unwrap();
            assert_eq!(Span(left).words(), *expected, "{what}, {terms}");
        }
    }
}

/// Remaining own time is kept, and the time that an extension adds to the deadline is not own time.
#[test]
fn a_turn_that_begins_with_own_time_has_exactly_that() {
    for (control, log, hours) in [
        // An hour of the bank remains.
        ("total=8h", "2026-05-04T19:00:00Z w d6", 1),
        // The host has given an hour at 21:00, when the deadline at 24:00 was moved to 7:00.
        (
            "total=12h",
            "2026-05-04T12:00:00Z w settings UTC none 22:00-07:00
             2026-05-04T21:00:00Z h extend w 3600 x
             2026-05-04T21:00:00Z w d6",
            4,
        ),
    ] {
        let clocks =
            play(control, "2026-05-04T12:00:00Z", &format!("2026-05-04T12:00:00Z b f5\n{log}"));
        let left = clocks.clocks().left(White, *clocks.times.last().unwrap());
        assert_eq!(left, TimeDelta::hours(hours), "{control} {log}");
    }
}

#[test]
fn deadlines_follow_the_calendar() {
    for &(what, terms, started, log, deadline) in DEADLINES {
        let clocks = play(terms, started, log).clocks();
        assert_eq!(clocks.deadline(), Some(utc(deadline)), "{what}");
    }
}

/// A game: its name, its terms, its log, a moment, and the hours that Black and White have left then.
type Left = (&'static str, &'static str, &'static str, &'static str, i64, i64);

const BANKS: &[Left] = &[
    // Black: 10 days - 2 + 1.
    ("increment", "10d+1d", "2026-05-03T00:00:00Z b f5", "2026-05-03T00:00:00Z", 216, 240),
    ("running", "10d+1d", "2026-05-03T00:00:00Z b f5", "2026-05-04T00:00:00Z", 216, 216),
    ("limit", "10d+3d,max=10d", "2026-05-03T00:00:00Z b f5", "2026-05-03T00:00:00Z", 240, 240),
    ("total", "total=60d", "2026-05-03T00:00:00Z b f5", "2026-05-03T12:00:00Z", 58 * 24, 1428),
    (
        "the moves of the start add nothing",
        "10d+1d",
        "2026-05-01T00:00:00Z b f5
          2026-05-01T00:00:00Z w d6",
        "2026-05-01T00:00:00Z",
        240,
        240,
    ),
    (
        "late",
        "1d+2d",
        "2026-05-02T00:00:00Z h flag b
          2026-05-09T00:00:00Z b f5",
        "2026-05-09T00:00:00Z",
        48,
        24,
    ),
    (
        "after an outage, before its respite is over",
        "2d+1d",
        "2026-05-05T00:00:00Z h outage 2026-05-02T20:00:00Z",
        "2026-05-05T08:00:00Z",
        16,
        48,
    ),
    (
        "a move after an outage",
        "2d+1h",
        "2026-05-05T00:00:00Z h outage 2026-05-02T20:00:00Z
          2026-05-05T12:00:00Z b f5",
        "2026-05-05T12:00:00Z",
        24,
        48,
    ),
    (
        "a move in an outage",
        "total=2d",
        "2026-05-05T12:00:00Z b f5",
        "2026-05-05T12:00:00Z",
        24,
        48,
    ),
    // White answered at once, so Black has the time that remained after the outage.
    (
        "a takeback while the respite of an outage runs",
        "total=2d",
        "2026-05-01T06:00:00Z b f5
          2026-05-05T12:00:00Z h outage 2026-05-02T20:00:00Z
          2026-05-05T18:00:00Z b takeback",
        "2026-05-05T18:00:00Z",
        42,
        24,
    ),
    (
        "late, with a small increment",
        "1d+1h",
        "2026-05-02T00:00:00Z h flag b
          2026-05-09T00:00:00Z b f5",
        "2026-05-09T00:00:00Z",
        24,
        24,
    ),
    (
        "late, of all moves",
        "total=2d",
        "2026-05-03T00:00:00Z h flag b
          2026-05-09T00:00:00Z b f5",
        "2026-05-09T00:00:00Z",
        24,
        48,
    ),
    ("over", "total=2d", "2026-05-03T00:00:00Z h flag b", "2026-05-09T00:00:00Z", 0, 48),
    // After a move and its takeback, a day is used and the increment is lost.
    (
        "free takeback",
        "10d+1d",
        "2026-05-02T00:00:00Z b f5
          2026-05-02T06:00:00Z b takeback",
        "2026-05-02T06:00:00Z",
        216,
        234,
    ),
    // Black used 1 day for f5 and 2 on the next turn, White 3 days for d6.
    (
        "takeback with the answer",
        "10d+1d",
        "2026-05-02T00:00:00Z b f5
          2026-05-05T00:00:00Z w d6
          2026-05-06T00:00:00Z b offer takeback
          2026-05-07T00:00:00Z w accept",
        "2026-05-07T00:00:00Z",
        168,
        168,
    ),
    // The 12 hours left at f5, not the time of the next turn.
    (
        "takeback per move",
        "3d",
        "2026-05-03T12:00:00Z b f5
          2026-05-04T00:00:00Z b takeback",
        "2026-05-04T00:00:00Z",
        12,
        72,
    ),
    (
        "takeback per move, after a long thought",
        "3d",
        "2026-05-02T00:00:00Z b f5
          2026-05-02T00:00:00Z w d6
          2026-05-04T12:00:00Z b offer takeback
          2026-05-04T12:00:00Z w accept",
        "2026-05-04T12:00:00Z",
        12,
        72,
    ),
    (
        "takeback of a late move",
        "3d",
        "2026-05-04T00:00:00Z h flag b
          2026-05-06T00:00:00Z b f5
          2026-05-06T00:00:00Z b takeback",
        "2026-05-06T00:00:00Z",
        72,
        72,
    ),
    // 2 days at f5, plus 1, minus 2 days 20 hours of thought since.
    (
        "takeback after more thought than was left at f5",
        "3d+1d",
        "2026-05-02T00:00:00Z b f5
          2026-05-02T00:00:00Z w d6
          2026-05-04T20:00:00Z b offer takeback
          2026-05-04T20:00:00Z w accept",
        "2026-05-04T20:00:00Z",
        4,
        72,
    ),
];

#[test]
fn time_banks_match_the_worked_examples() {
    for &(what, terms, log, now, black, white) in BANKS {
        let clocks = play(terms, "2026-05-01T00:00:00Z", log).clocks();
        let left = |player| clocks.left(player, utc(now));
        let expected = (TimeDelta::hours(black), TimeDelta::hours(white));
        assert_eq!((left(Black), left(White)), expected, "{what}");
    }
}

#[test]
fn a_move_and_its_takeback_do_not_restart_a_clock() {
    for terms in ["3d", "3d+1d", "3d+1d,max=3d", "total=3d"] {
        let mut log = String::new();
        let before = play(terms, "2026-05-01T00:00:00Z", "").clocks().deadline();
        for hour in 1..20 {
            let at = format!("2026-05-01T{hour:02}:00:00Z");
            log.push_str(&format!("{at} b f5\n{at} b takeback\n"));
        }
        let clocks = play(terms, "2026-05-01T00:00:00Z", &log).clocks();
        assert_eq!(clocks.deadline(), before, "{terms}");
    }
}

#[test]
fn reminders_come_at_four_fifths_and_shortly_before_the_end() {
    for (terms, started, log, first, second) in [
        // 57.6 hours and 68.4 hours.
        ("3d", "2026-01-01T00:00:00Z", "", "2026-01-03T09:36:00Z", "2026-01-03T20:24:00Z"),
        // 48 days; a day before the end.
        ("total=60d", "2026-01-01T00:00:00Z", "", "2026-02-18T00:00:00Z", "2026-03-01T00:00:00Z"),
        // The first reminder is after 4.8 of the 6 hours, on Friday. The clock stands at the weekend.
        (
            "6h free-weekends",
            "2026-11-20T18:00:00Z",
            "",
            "2026-11-20T22:48:00Z",
            "2026-11-20T23:42:00Z",
        ),
        // The turn began with 2 days and got 8 more.
        (
            "2d",
            "2026-01-01T00:00:00Z",
            "2026-01-02T00:00:00Z h extend b 691200 outage",
            "2026-01-09T00:00:00Z",
            "2026-01-10T12:00:00Z",
        ),
        // At 22:24 and 22:51 it is quiet: an hour before that.
        (
            "3h",
            "2026-01-01T20:00:00Z",
            "2026-01-01T20:00:00Z b settings UTC none 22:10-07:00",
            "2026-01-01T21:10:00Z",
            "2026-01-01T21:10:00Z",
        ),
        // The first one is at 21:36, less than an hour before them.
        (
            "2h",
            "2026-01-01T20:00:00Z",
            "2026-01-01T20:00:00Z b settings UTC none 21:45-07:00",
            "2026-01-01T20:45:00Z",
            "2026-01-01T20:45:00Z",
        ),
        // The clock starts within the hour.
        (
            "6h",
            "2026-01-01T20:00:00Z",
            "2026-01-01T20:00:00Z b settings UTC none 20:30-07:00",
            "2026-01-01T20:00:00Z",
            "2026-01-01T20:00:00Z",
        ),
        // A month and a week before the end of 60 days.
        ("none", "2026-01-01T00:00:00Z", "", "2026-01-31T00:00:00Z", "2026-02-23T00:00:00Z"),
    ] {
        let clocks = play(terms, started, log).clocks();
        assert_eq!(clocks.reminders(), Some([utc(first), utc(second)]), "{terms} {log}");
    }
}

#[test]
fn no_clock_runs_in_a_pause_after_a_flag_and_at_the_end() {
    for log in [
        "2026-05-02T00:00:00Z b offer pause\n2026-05-02T00:00:00Z w accept",
        "2026-05-04T00:00:00Z h flag b",
        "2026-05-04T00:00:00Z h time-out b",
        "2026-05-02T00:00:00Z w resign",
    ] {
        let clocks = play("3d", "2026-05-01T00:00:00Z", log).clocks();
        assert_eq!((clocks.running(), clocks.deadline(), clocks.reminders()), (None, None, None));
    }
}

#[test]
fn a_game_without_a_clock_can_be_claimed_after_sixty_days_without_absences() {
    let clocks = play("none", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z b f5").clocks();
    assert_eq!((clocks.deadline(), clocks.running()), (None, Some(White)));
    assert_eq!(clocks.idle_end(), Some(utc("2026-03-03T00:00:00Z")));
    let away = "2026-01-02T00:00:00Z b f5
        2026-01-02T00:00:00Z w away 2026-01-05T00:00:00Z 2026-01-15T00:00:00Z";
    let clocks = play("none", "2026-01-01T00:00:00Z", away).clocks();
    assert_eq!(clocks.idle_end(), Some(utc("2026-03-13T00:00:00Z")));
    assert_eq!(
        clocks.away_until(White, utc("2026-01-07T00:00:00Z")),
        Some(utc("2026-01-15T00:00:00Z"))
    );
    assert_eq!(clocks.away_until(Black, utc("2026-01-07T00:00:00Z")), None);
    let longer =
        format!("{away}\n2026-01-02T00:00:00Z w away 2026-01-04T00:00:00Z 2026-01-20T00:00:00Z");
    let clocks = play("none", "2026-01-01T00:00:00Z", &longer).clocks();
    let until = clocks.away_until(White, utc("2026-01-07T00:00:00Z"));
    assert_eq!(until, Some(utc("2026-01-20T00:00:00Z")));
}

#[test]
fn no_clock_runs_after_the_end() {
    for end in ["b resign", "w claim", "h annul", "b offer draw\n2026-01-01T12:00:00Z w accept"] {
        let log = format!("2026-01-01T12:00:00Z {end}");
        let ended = play("3d", "2026-01-01T00:00:00Z", &log).clocks();
        let annulled = if end == "h annul" { "" } else { "\n2026-01-02T06:00:00Z h annul" };
        // Comments after the end, a rematch and a late annulment change nothing.
        let log = format!(
            "{log}
             2026-01-02T00:00:00Z w say Good game!{annulled}
             2026-01-02T10:00:00Z w offer rematch
             2026-01-02T11:00:00Z b accept"
        );
        let later = play("3d", "2026-01-01T00:00:00Z", &log).clocks();
        let now = utc("2026-01-03T00:00:00Z");
        for player in [Black, White] {
            assert_eq!(later.left(player, now), ended.left(player, now), "{log}");
        }
        assert_eq!(later.left(Black, now), TimeDelta::hours(60), "{log}");
    }
}

#[test]
fn a_flag_is_reported_until_the_game_is_over() {
    let of = |log: &str| {
        let clocks = play("3d", "2026-11-01T00:00:00Z", log).clocks();
        (clocks.flagged(), clocks.flagged_at(), clocks.running())
    };
    let at = utc("2026-11-04T00:00:00Z");
    assert_eq!(of(""), (None, None, Some(Black)));
    assert_eq!(of("2026-11-04T00:00:00Z h flag b"), (Some(Black), Some(at), None));
    let resigned = "2026-11-04T00:00:00Z h flag b\n2026-11-05T00:00:00Z b resign";
    assert_eq!(of(resigned), (None, None, None));
}

#[test]
fn no_clock_runs_on_the_turn_of_a_computer_player() {
    let of = |log: &str, are_people: [bool; 2]| {
        let clocks = play("3d", "2026-11-01T00:00:00Z", log).clocks().of_people(are_people);
        (clocks.is_turn_of_bot(), clocks.running(), clocks.deadline().is_some())
    };
    assert_eq!(of("", [true, false]), (false, Some(Black), true));
    assert_eq!(of("", [false, true]), (true, None, false));
    assert_eq!(of("2026-11-01T00:00:00Z b resign", [false, true]), (false, None, false));
}

/// A game: its name, its terms, the starts of its clocks (the number of an event and a moment), its log and
/// its deadline.
type Started =
    (&'static str, &'static str, &'static [(usize, &'static str)], &'static str, &'static str);

const STARTS: &[Started] = &[
    ("the first turn", "1d", &[(0, "2026-05-01T07:00:00Z")], "", "2026-05-02T07:00:00Z"),
    (
        "a turn after a grace",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5",
        "2026-05-03T06:00:00Z",
    ),
    (
        "something else before the start",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T18:00:00Z w note x
         2026-05-02T12:00:00Z w note x",
        "2026-05-03T06:00:00Z",
    ),
    (
        "a start on a free day",
        "1d free-weekends",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5",
        "2026-05-05T00:00:00Z",
    ),
    (
        "a start in an absence",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T06:00:00Z w away 2026-05-02T00:00:00Z 2026-05-04T00:00:00Z",
        "2026-05-05T00:00:00Z",
    ),
    (
        "an absence before the start",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T06:00:00Z w away 2026-05-01T12:00:00Z 2026-05-02T06:00:00Z",
        "2026-05-03T06:00:00Z",
    ),
    (
        "a pause that ends before the start",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T06:00:00Z b offer pause
         2026-05-01T06:00:00Z w accept
         2026-05-01T18:00:00Z w unpause",
        "2026-05-03T06:00:00Z",
    ),
    (
        "a pause that ends after the start",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T06:00:00Z b offer pause
         2026-05-01T06:00:00Z w accept
         2026-05-04T00:00:00Z w unpause",
        "2026-05-05T00:00:00Z",
    ),
    (
        "an extension before the start",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T12:00:00Z h extend w 86400 x",
        "2026-05-04T06:00:00Z",
    ),
    // Black has 18 hours left at f5, and 6 less when it is taken back.
    (
        "a takeback before the start",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T12:00:00Z b takeback",
        "2026-05-02T00:00:00Z",
    ),
    (
        "an extension while quiet hours hold the deadline",
        "1d",
        &[],
        "2026-05-01T00:00:00Z b settings UTC none 22:00-07:00
         2026-05-01T21:00:00Z h extend b 3600 x
         2026-05-02T03:00:00Z h extend b 3600 x",
        "2026-05-02T09:00:00Z",
    ),
    (
        "a takeback at the start",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-02T06:00:00Z b offer takeback
         2026-05-02T06:00:00Z w accept",
        "2026-05-03T00:00:00Z",
    ),
    // Black's clock stands still for 3 of the 6 hours.
    (
        "a takeback before the start, after an absence",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T06:00:00Z b away 2026-05-01T07:00:00Z 2026-05-01T10:00:00Z
         2026-05-01T12:00:00Z b takeback",
        "2026-05-02T03:00:00Z",
    ),
    (
        "a takeback before the start, after a pause",
        "1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T08:00:00Z b offer pause
         2026-05-01T08:00:00Z w accept
         2026-05-01T11:00:00Z w unpause
         2026-05-01T12:00:00Z b takeback",
        "2026-05-02T03:00:00Z",
    ),
    (
        "a bank, and an answer before the start",
        "2d+1d",
        &[(1, "2026-05-02T06:00:00Z")],
        "2026-05-01T06:00:00Z b f5
         2026-05-01T07:00:00Z w d6
         2026-05-01T07:00:00Z b c3",
        "2026-05-04T07:00:00Z",
    ),
];

#[test]
fn a_clock_runs_from_the_start_of_its_turn() {
    for &(what, terms, starts, log, deadline) in STARTS {
        let mut played = play(terms, "2026-05-01T00:00:00Z", log);
        played.turn_starts.extend(starts.iter().map(|&(event, start)| (event, utc(start))));
        assert_eq!(played.clocks().deadline(), Some(utc(deadline)), "{what}");
    }
}

#[test]
fn a_turn_starts_after_the_grace_and_then_after_quiet_hours() {
    let settings = "Europe/Amsterdam sat,sun 22:00-07:00".parse().unwrap();
    for (began, hours, start) in [
        ("2026-05-01T10:00:00Z", 0, "2026-05-01T10:00:00Z"),
        ("2026-05-01T10:00:00Z", 2, "2026-05-01T12:00:00Z"),
        ("2026-05-01T19:00:00Z", 2, "2026-05-02T05:00:00Z"),
        ("2026-05-01T21:00:00Z", 0, "2026-05-02T05:00:00Z"),
        ("2026-05-01T21:00:00Z", 12, "2026-05-02T09:00:00Z"),
    ] {
        let start_of_turn = turn_start(utc(began), TimeDelta::hours(hours), &settings);
        assert_eq!(start_of_turn, utc(start), "{began} {hours}");
    }
}
