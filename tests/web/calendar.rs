//! The calendar of a player, as a second reader of RFC 5545 reads it.

use axum::http::{Method, StatusCode};
use ical::parser::Component;
use ical::parser::ical::component::IcalCalendar;

use super::{Pages, WEB, request};
use crate::harness::{Purpose, TestEnvironment};

/// Returns the path of a player's calendar, which the own page links to.
fn path(pages: &Pages, player: &str) -> String {
    let page = pages.get(&pages.desk(player)).body;
    let after = page.split_once("href=\"/othello/calendar/").expect("a link").1;
    format!("/othello/calendar/{}", after.split_once('"').unwrap().0)
}

/// Reads a calendar, whose lines have at most 75 bytes and end with CRLF.
fn read(text: &str) -> IcalCalendar {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let is_line = |line: &&str| line.ends_with("\r\n") && line.len() <= 77;
    assert!(lines.iter().all(is_line), "{text}");
    let mut calendars = ical::IcalParser::new(text.as_bytes());
    let calendar = calendars.next().expect("a calendar").unwrap();
    assert!(calendars.next().is_none());
    calendar
}

/// Returns the events of a calendar, each as the values of these properties.
fn events(pages: &Pages, path: &str, names: &[&str]) -> Vec<Vec<String>> {
    let calendar = read(&pages.get(path).body);
    let value = |event: &ical::parser::ical::component::IcalEvent, name: &str| {
        event.get_property(name).and_then(|it| it.value.clone()).unwrap_or_default()
    };
    calendar.events.iter().map(|it| names.iter().map(|name| value(it, name)).collect()).collect()
}

#[test]
fn a_calendar_has_the_deadlines_and_absences_of_a_player() {
    let pages = Pages::of(TestEnvironment::new().config(WEB).with_game());
    let path = path(&pages, "alice");
    assert_eq!(events(&pages, &path, &["UID"]).len(), 0, "game 1 has no clock");
    pages.env.ok("new othello alice bob --clock 3d --size 10x10 --misere");
    pages.env.ok("new othello bob alice --clock 1d");
    pages.env.ok("new othello alice bob --clock 10d");
    pages.env.ok("--as alice pause 4");
    pages.env.ok("--as bob accept 4");
    pages.env.ok("--as bob say 2 Secret!");
    let answer = pages.get(&path);
    assert_eq!(answer.headers["content-type"], "text/calendar; charset=utf-8");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert!(!answer.body.contains("Secret") && !answer.body.contains("http"), "{}", answer.body);
    let calendar = read(&answer.body);
    for name in ["VERSION", "PRODID", "METHOD", "X-WR-CALNAME", "REFRESH-INTERVAL"] {
        assert!(calendar.get_property(name).is_some(), "{name}: {}", answer.body);
    }
    let names = ["UID", "DTSTAMP", "DTSTART", "SUMMARY"];
    let deadline = "20261124T100000Z";
    let summary = "Othello 10x10 misère #2: your move against bob is due";
    let expected = ["game-2-move-1@club.example", "20261121T100000Z", deadline, summary];
    assert_eq!(events(&pages, &path, &names), [expected]);
    // The next turn is another event.
    pages.env.ok("move 2 d5");
    pages.env.ok("move 3 f5");
    let uids = || events(&pages, &path, &["UID", "DTSTART"]);
    assert_eq!(uids(), [["game-3-move-2@club.example", "20261122T100000Z"]]);
    // An absence moves the deadline, and is an event of its own.
    pages.env.ok("--as alice away 2026-11-22 2026-11-24");
    let shown = pages.env.json("--as alice games")["games"][0]["deadline"].clone();
    let shown = shown.as_str().unwrap().replace(['-', ':'], "");
    let away = ["absence-alice-1795305600@club.example", "20261122T000000Z"];
    assert_eq!(uids(), [["game-3-move-2@club.example", &shown], away]);
    let ends = events(&pages, &path, &["DTEND"]);
    assert_eq!(ends, [[""], ["20261125T000000Z"]]);
}

#[test]
fn the_token_of_a_calendar_opens_nothing_else_and_can_be_revoked() {
    let pages = Pages::new();
    let path = path(&pages, "alice");
    let token = path.rsplit_once('/').unwrap().1.trim_end_matches(".ics").to_owned();
    assert_eq!(pages.get(&path).status, StatusCode::OK);
    let before = pages.content();
    for other in [
        "me/TOKEN",
        "me/TOKEN/1",
        "play/TOKEN",
        "watch/TOKEN",
        "unsubscribe/TOKEN",
        "calendar/TOKEN",
    ] {
        let other = format!("/othello/{}", other.replace("TOKEN", &token));
        assert_eq!(pages.get(&other).status, StatusCode::NOT_FOUND, "{other}");
    }
    for form in ["command=away&text=off", "command=set receipt&text=on"] {
        assert_eq!(pages.post(&path, form).status, StatusCode::NOT_FOUND);
    }
    for purpose in [Purpose::Page, Purpose::Desk, Purpose::Unsubscribe] {
        let other = format!("/othello/calendar/{}.ics", pages.token(purpose, "alice"));
        assert_eq!(pages.get(&other).status, StatusCode::NOT_FOUND, "{purpose:?}");
    }
    let head = pages.send(request(Method::HEAD, &path, &[], ""));
    assert_eq!((head.status, head.body.as_str()), (StatusCode::OK, ""));
    assert_eq!(pages.content(), before);
    pages.env.ok("rotate alice");
    assert_eq!(pages.get(&path).status, StatusCode::NOT_FOUND);
    let path = self::path(&pages, "bob");
    pages.env.ok("remove bob");
    assert_eq!(pages.get(&path).status, StatusCode::NOT_FOUND);
}
