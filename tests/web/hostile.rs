//! A thousand random and hostile requests.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri};
use outflank::web::Connection;

use super::Pages;
use crate::harness::{Purpose, SERVER, tokens_in};

const METHODS: [&str; 10] =
    ["GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "X-Y"];

const HEADERS: [(&str, &[u8]); 16] = [
    ("sec-fetch-site", b"same-origin"),
    ("sec-fetch-site", b"cross-site"),
    ("origin", b"https://club.example"),
    ("origin", b"https://evil.example"),
    ("content-type", b"application/x-www-form-urlencoded"),
    ("content-type", b"multipart/form-data; boundary=b"),
    ("content-type", b"\xff\xfe"),
    ("content-length", b"99999999999999999999"),
    ("transfer-encoding", b"chunked"),
    ("x-forwarded-for", b"\x80, unknown"),
    ("x-forwarded-host", b"evil.example"),
    ("host", b"evil.example"),
    ("range", b"bytes=0-1,5-"),
    ("accept-encoding", b"gzip;q=-1"),
    ("expect", b"100-continue"),
    ("x-http-method-override", b"POST"),
];

const BODIES: [&str; 10] = [
    "",
    "history=0&command=resign",
    "history=0&command=move&text=f5",
    "history=0&command=resign&text=--as+bob",
    "history=18446744073709551616&command=resign",
    "command=leave",
    "command=set+address&text=m%40evil.example",
    "%%%=%zz&%00=%ff",
    "List-Unsubscribe=One-Click",
    "{\"command\":\"resign\"}",
];

const PIECES: [&str; 24] = [
    "",
    "/",
    "//",
    "..",
    "%2e%2e",
    "%2f",
    "%00",
    "%ff%fe",
    "%c0%af",
    "\u{fffd}",
    "othello",
    "play",
    "watch",
    "me",
    "unsubscribe",
    "game",
    "1",
    "-1",
    "game.txt",
    "events",
    "style.css",
    "?done=resign",
    "?choose=f5&choose=d3",
    "*",
];

/// Returns a token that opens no page: cut, altered, or with another purpose.
fn bad_token(pages: &Pages, rng: &mut fastrand::Rng) -> String {
    let [purpose, other] = [Purpose::Page, Purpose::Desk];
    let good = pages
        .token(*rng.choice(&[purpose, other]).unwrap(), rng.choice(&["alice", "bob"]).unwrap());
    match rng.u8(0..6) {
        0 => good[..rng.usize(0..good.len())].to_owned(),
        1 => format!("{good}{}", rng.alphanumeric()),
        2 => {
            let at = rng.usize(0..good.len());
            let letters = "abcdefghijklmnopqrstuvwxyz234567".replace(&good[at..=at], "");
            let letter = letters.chars().nth(rng.usize(0..letters.len())).unwrap();
            let mut altered = good;
            altered.replace_range(at..=at, &letter.to_string());
            altered
        }
        3 => pages.token(Purpose::Play, "alice"),
        4 => pages.token(Purpose::Bounce, "bob"),
        _ => "a".repeat(rng.usize(0..5000)),
    }
}

fn random_path(pages: &Pages, rng: &mut fastrand::Rng) -> String {
    let link = *rng.choice(&["play", "watch", "me", "unsubscribe", "othello", "game"]).unwrap();
    let token = bad_token(pages, rng);
    match rng.u8(0..4) {
        0 => format!("/othello/{link}/{token}"),
        1 => format!("/othello/{link}/{token}/{}", rng.choice(&PIECES).unwrap()),
        2 => (0..rng.usize(0..8)).map(|_| format!("/{}", rng.choice(&PIECES).unwrap())).collect(),
        _ => {
            format!("/{}", (0..rng.usize(0..300)).map(|_| rng.char('!'..='~')).collect::<String>())
        }
    }
}

#[test]
fn a_thousand_hostile_requests_change_nothing_and_tell_nothing() {
    let pages = Pages::new();
    let mut rng = fastrand::Rng::with_seed(23);
    let before = pages.content();
    let missing = pages.get("/othello/nothing").body;
    let mut sent = 0;
    while sent < 1000 {
        // Not every random text is a path.
        let Ok(uri) = random_path(&pages, &mut rng).parse::<Uri>() else { continue };
        let body = match rng.u8(0..10) {
            0 => "a=b&".repeat(rng.usize(0..20_000)).into_bytes(),
            1 => (0..rng.usize(0..2000)).map(|_| rng.u8(..)).collect(),
            _ => rng.choice(&BODIES).unwrap().as_bytes().to_owned(),
        };
        let method = Method::from_bytes(rng.choice(&METHODS).unwrap().as_bytes()).unwrap();
        let mut request = Request::new(Body::from(body));
        (*request.uri_mut(), *request.method_mut()) = (uri, method);
        for _ in 0..rng.usize(0..6) {
            let (name, value) = *rng.choice(&HEADERS).unwrap();
            let value = HeaderValue::from_bytes(value).unwrap();
            request.headers_mut().append(HeaderName::from_static(name), value);
        }
        // Each from another peer, so that the limits do not hide anything.
        let peer = std::net::Ipv4Addr::from_bits(0x0100_0000 + sent);
        request.extensions_mut().insert(Connection(peer.into()));
        let shown = format!("{request:?}");
        let answer = pages.send(request);
        assert!(
            [StatusCode::NOT_FOUND, StatusCode::FORBIDDEN].contains(&answer.status)
                || answer.headers["cache-control"] == "public, max-age=3600",
            "{shown}: {answer:?}"
        );
        if answer.status == StatusCode::NOT_FOUND && !shown.contains("method: HEAD") {
            assert_eq!(answer.body, missing, "{shown}");
        }
        let told = format!("{:?} {}", answer.headers, answer.body);
        assert_eq!(tokens_in(&told), [], "{shown}: {told}");
        for word in ["alice", "bob", "carol", SERVER, "outflank.db"] {
            assert!(!told.contains(word), "{shown}: {told}");
        }
        sent += 1;
    }
    assert_eq!(pages.content(), before);
}
