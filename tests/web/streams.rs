//! Event streams.

use axum::body::Body;
use axum::http::{Method, Response, StatusCode};
use futures_util::StreamExt;

use super::{Pages, request};
use crate::harness::Purpose;

impl Pages {
    /// Opens the event stream of a page.
    pub(super) fn stream(&self, path: &str) -> Response<Body> {
        self.respond(request(Method::GET, &format!("{path}/events"), &[], ""))
    }

    /// Returns the next event of a stream, without comments; `None` at its end.
    pub(super) fn next(&self, stream: &mut axum::body::BodyDataStream) -> Option<String> {
        loop {
            let bytes = self.runtime.block_on(stream.next())?.unwrap();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            if !text.starts_with(':') {
                return Some(text);
            }
        }
    }
}

#[test]
fn a_stream_tells_how_many_events_the_game_has() {
    let pages = Pages::new();
    let opened = format!("{}/1", pages.desk("bob"));
    for path in [pages.play("bob"), opened] {
        let response = pages.stream(&path);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        let mut stream = response.into_body().into_data_stream();
        let history = pages.history();
        assert_eq!(pages.next(&mut stream), Some(format!("data: {history}\n\n")));
        // By the shell, and on another page.
        let legal = pages.env.legal(1);
        pages.env.ok(&format!("move 1 {legal}"));
        let moved = pages.history();
        assert_eq!(pages.next(&mut stream), Some(format!("data: {moved}\n\n")));
        pages.act(&pages.play("alice"), "draw", "");
        assert_ne!(pages.history(), moved);
        assert_eq!(pages.next(&mut stream), Some(format!("data: {}\n\n", pages.history())));
        pages.act(&pages.play("bob"), "decline", "");
    }
}

#[test]
fn a_token_has_four_streams_at_most() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let mut open: Vec<_> = (0..4).map(|_| pages.stream(&alice)).collect();
    assert!(open.iter().all(|response| response.status() == StatusCode::OK));
    let upper = format!("/othello/play/{}", pages.token(Purpose::Page, "alice").to_uppercase());
    for path in [&alice, &upper] {
        assert_eq!(pages.stream(path).status(), StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(pages.stream(&pages.play("bob")).status(), StatusCode::OK);
    // The games that are opened from an own page have its token.
    pages.env.ok("new mini alice bob");
    let [first, second] = [1, 2].map(|game| format!("{}/{game}", pages.desk("alice")));
    open.extend([&first, &second, &second, &second].map(|game| pages.stream(game)));
    assert!(open.iter().all(|response| response.status() == StatusCode::OK));
    for game in [&first, &second] {
        assert_eq!(pages.stream(game).status(), StatusCode::TOO_MANY_REQUESTS);
    }
    open.truncate(4);
    open.pop();
    assert_eq!(pages.stream(&alice).status(), StatusCode::OK);
}

#[test]
fn a_known_peer_has_sixteen_streams_at_most() {
    let pages = Pages::new();
    for _ in 0..2 {
        pages.env.ok("new mini alice bob");
    }
    let stream = |number: i64, headers: &[(&str, &str)]| {
        let player = ["alice", "bob"][(number % 2) as usize];
        let token = pages.env.token(Purpose::Page, player, 1 + number / 2 % 3, 0);
        let path = format!("/othello/play/{token}/events");
        pages.respond(request(Method::GET, &path, headers, ""))
    };
    let one = [("x-forwarded-for", "192.0.2.1:4711")];
    let mut open: Vec<_> = (0..16).map(|number| stream(number, &one)).collect();
    assert!(open.iter().all(|response| response.status() == StatusCode::OK));
    assert_eq!(stream(16, &one).status(), StatusCode::TOO_MANY_REQUESTS);
    let other = [("x-forwarded-for", "[2001:db8::1]:4711")];
    assert_eq!(stream(16, &other).status(), StatusCode::OK);
    // Without the header, all visitors would be one peer.
    assert_eq!(stream(17, &[]).status(), StatusCode::OK);
    open.pop();
    assert_eq!(stream(16, &one).status(), StatusCode::OK);
}

#[test]
fn a_stream_ends_with_its_game() {
    let pages = Pages::new();
    let bob = pages.play("bob");
    let mut stream = pages.stream(&bob).into_body().into_data_stream();
    assert!(pages.next(&mut stream).is_some());
    pages.act(&pages.play("alice"), "resign", "");
    assert_eq!(pages.next(&mut stream), Some(format!("data: {}\n\n", pages.history())));
    assert_eq!(pages.next(&mut stream), None);
    assert_eq!(pages.stream(&bob).status(), StatusCode::NOT_FOUND);
    assert!(!pages.get(&bob).body.contains("data-events"));
}

#[test]
fn a_stream_ends_when_its_token_is_revoked() {
    let pages = Pages::new();
    let mut stream = pages.stream(&pages.play("alice")).into_body().into_data_stream();
    assert!(pages.next(&mut stream).is_some());
    pages.env.ok("rotate alice");
    assert_eq!(pages.next(&mut stream), None);
}
