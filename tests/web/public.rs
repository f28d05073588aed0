//! The pages for everybody.

use axum::http::{Method, StatusCode};

use super::{Pages, request};
use crate::harness::{ALICE, BOB, CAROL, tokens_in};

const PUBLIC: &str = "[web]\nurl = 'https://club.example/othello'\npublic = true";

#[test]
fn public_pages_have_no_addresses_words_or_tokens() {
    let pages = Pages::with(PUBLIC);
    pages.env.ok("move 1 f5");
    pages.env.ok("--as bob say 1 'Secret words' --now");
    pages.env.ok("--as bob note 1 'Secret note'");
    pages.env.ok("--as bob draw 1");
    for path in [
        "",
        "/",
        "/players",
        "/player/alice",
        "/standings",
        "/game/1",
        "/game/1/0",
        "/game/1/1",
        "/game/1/game.txt",
        "/game/1/game.json",
        "/game/1/game.svg",
        "/game/1/0.svg",
        "/game/1/board.png",
    ] {
        let answer = pages.get(&format!("/othello{path}"));
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        for secret in [ALICE, BOB, CAROL, "Secret", "offer"] {
            assert!(!answer.body.contains(secret), "{path}: {}", answer.body);
        }
        assert_eq!(tokens_in(&answer.body), [], "{path}");
    }
}

#[test]
fn a_long_list_has_parts() {
    let pages = Pages::with(PUBLIC);
    let more = "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 502)
        INSERT INTO game (variant, board_rows, board_columns, misere, anywhere, black, white, thread,
            created_at, turn, to_move, to_wait, since, black_discs, white_discs, clock)
        SELECT 'othello', 8, 8, 0, 0, black, white, 'game-' || i, created_at, turn, to_move, to_wait,
            since, 2, 2, 'none' FROM n, game WHERE id = 1";
    pages.env.sqlite().execute_batch(more).unwrap();
    let first = pages.get("/othello/").body;
    assert!(first.contains("/game/1\"") && first.contains("href=\"?part=2\""), "{first}");
    let second = pages.get("/othello/?part=2").body;
    assert!(second.contains("/game/502\"") && !second.contains("?part=3"), "{second}");
    for part in ["0", "3", "x", "-1", "99999999999999999999"] {
        let path = format!("/othello/?part={part}");
        assert_eq!(pages.get(&path).status, StatusCode::NOT_FOUND, "{part}");
    }
}

#[test]
fn what_is_not_there_is_the_same_404() {
    let pages = Pages::with(PUBLIC);
    let missing = pages.get("/othello/nothing");
    for path in [
        "/game/2",
        "/game/0",
        "/game/01",
        "/game/-1",
        "/game/1/1",
        "/game/1/events",
        "/player/nobody",
        "/player/alice%40example.org",
        "/player/alice%20--json",
        "/player/%ff",
        "/players/",
    ] {
        assert_eq!(pages.get(&format!("/othello{path}")), missing, "{path}");
    }
    assert_eq!(pages.get("/"), missing);
    let post = request(Method::POST, "/othello/game/1", &[("sec-fetch-site", "same-origin")], "");
    assert_eq!(pages.send(post), missing);
}
