//! Safety of the pages: secrets, permissions, and limits on requests.

use std::collections::BTreeSet;
use std::time::Duration;
use std::{mem, thread};

use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderMap, Method, StatusCode};

use tokio::runtime::Builder;
use tokio::task::yield_now;
use tokio::time::advance;
use tower::ServiceExt;

use super::{Answer, Pages, WEB, request};
use crate::harness::{Purpose, TestEnvironment, tokens_in, until};

/// Checks the headers of every response.
#[track_caller]
fn assert_safe(headers: &HeaderMap) {
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["referrer-policy"], "same-origin");
    assert_eq!(headers["x-frame-options"], "DENY");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn every_response_has_the_headers_that_make_it_safe() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let token_pages = [
        alice.clone(),
        format!("{alice}/0"),
        format!("{alice}/game.txt"),
        format!("{alice}/game.json"),
        format!("{alice}/game.svg"),
        pages.watch(),
        pages.desk("alice"),
        format!("/othello/unsubscribe/{}", pages.token(Purpose::Unsubscribe, "bob")),
    ];
    for path in &token_pages {
        let answer = pages.get(path);
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_safe(&answer.headers);
        assert_eq!(answer.headers[CACHE_CONTROL], "no-store", "{path}");
    }
    for path in ["/", "/othello", "/othello/play/x", "/othello/style.css", "/othello/script.js"] {
        assert_safe(&pages.get(path).headers);
    }
    assert_safe(&pages.act(&alice, "move", "f5").headers);
    assert_safe(&pages.act(&alice, "move", "f5").headers);
    assert_safe(&pages.send(request(Method::POST, &alice, &[], "command=resign")).headers);
    assert!(
        pages.get("/othello/style.css").headers[CACHE_CONTROL].to_str().unwrap().contains("public")
    );
}

#[test]
fn everything_else_is_the_same_404() {
    let pages = Pages::new();
    let alice = pages.token(Purpose::Page, "alice");
    let missing = pages.get("/othello/nothing");
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    let mut cut = alice.clone();
    cut.pop();
    for path in [
        "/".to_owned(),
        "/othello".to_owned(),
        "/othello/".to_owned(),
        "/othello/games".to_owned(),
        "/othello/players".to_owned(),
        "/othello/player/alice".to_owned(),
        "/othello/standings".to_owned(),
        "/othello/game/1".to_owned(),
        "/othello/game/2".to_owned(),
        "/othello/game/1/board.png".to_owned(),
        format!("/play/{alice}"),
        format!("/othello/play/{alice}/"),
        format!("/othello/play/{alice}/1"),
        format!("/othello/play/{alice}/00"),
        format!("/othello/play/{alice}/game.png"),
        format!("/othello/play/{alice}/0/0"),
        format!("/othello/play/{cut}"),
        format!("/othello/play/{alice}a"),
        format!("/othello/play/%61{}", &alice[1..]),
        // The tokens of other purposes.
        format!("/othello/watch/{alice}"),
        format!("/othello/me/{alice}"),
        format!("/othello/unsubscribe/{alice}"),
        format!("/othello/play/{}", pages.token(Purpose::Play, "alice")),
        format!("/othello/play/{}", pages.token(Purpose::Board, "carol")),
        format!("/othello/play/{}", pages.token(Purpose::Desk, "alice")),
        format!("/othello/me/{}", pages.token(Purpose::Digest, "alice")),
        // carol does not play.
        format!("/othello/play/{}", pages.token(Purpose::Page, "carol")),
        // alice plays, and does not watch.
        format!("/othello/watch/{}", pages.token(Purpose::Board, "alice")),
    ] {
        assert_eq!(pages.get(&path), missing, "{path}");
    }
    let page = format!("/othello/play/{alice}");
    for method in ["DELETE", "PUT", "OPTIONS", "TRACE", "PATCH", "BREW"] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        assert_eq!(pages.send(request(method.clone(), &page, &[], "")), missing, "{method}");
    }
}

#[test]
fn a_rotated_token_opens_nothing() {
    let pages = Pages::new();
    let links = [pages.play("alice"), pages.desk("alice")];
    pages.env.ok("rotate alice");
    for path in &links {
        assert_eq!(pages.get(path).status, StatusCode::NOT_FOUND);
        assert_eq!(pages.post(path, "history=0&command=resign").status, StatusCode::NOT_FOUND);
    }
    assert_eq!(pages.get(&pages.play("alice")).status, StatusCode::OK);
}

#[test]
fn a_page_is_read_only_a_month_after_the_end() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    pages.act(&alice, "resign", "");
    pages.later(29);
    assert_eq!(pages.act(&alice, "say", "Well+played").status, StatusCode::SEE_OTHER);
    pages.later(1);
    assert_eq!(pages.get(&alice).status, StatusCode::OK);
    let is_sent = |mail: &String| mail.ends_with(" sent");
    until("the mails are sent", || pages.env.outbox().iter().all(is_sent));
    let before = pages.content();
    assert_eq!(pages.act(&alice, "say", "Again").status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(pages.content(), before);
}

/// Checks that the answer about game 1 names no other game, and has no token but that of its address.
#[track_caller]
fn assert_only_game_1(path: &str, answer: &Answer) {
    let own = path.split('/').nth(3).unwrap();
    let told = format!("{:?} {}", answer.headers, answer.body);
    assert!(tokens_in(&told).iter().all(|token| token.to_string() == own), "{path}: {told}");
    for other in ["ame 2", "ame 3", "other game", "games wait", "zoe"] {
        assert!(!told.contains(other), "{path}: {other}: {told}");
    }
}

#[test]
fn the_page_of_a_game_tells_nothing_about_other_games() {
    let pages = Pages::new();
    for _ in 0..2 {
        pages.env.ok("new othello alice zoe@example.org");
    }
    pages.env.ok("--as carol watch 1");
    let (alice, watch) = (pages.play("alice"), pages.watch());
    let check_all = || {
        for page in [&alice, &watch] {
            for part in ["", "?choose=d3", "?done=accept", "/0", "/game.txt", "/game.json"] {
                let path = format!("{page}{part}");
                let shown = pages.get(&path);
                assert_eq!(shown.status, StatusCode::OK, "{path}");
                assert_only_game_1(page, &shown);
            }
        }
        for command in ["move&text=2+f5", "move&text=a1", "accept&text=2", "say", "rematch"] {
            let form = format!("history={}&command={command}", pages.history());
            assert_only_game_1(&alice, &pages.post(&alice, &form));
        }
    };
    check_all();
    let shown = pages.get(&alice).body;
    assert!(shown.contains("write <b>page</b> in a mail"), "{shown}");
    pages.act(&alice, "resign", "");
    check_all();
    // It only shows the game now.
    pages.later(400);
    check_all();
    // The page of the player leads to the others, with its own token.
    let desk = pages.desk("alice");
    let shown = pages.get(&desk).body;
    assert!(
        [2, 3].iter().all(|game| shown.contains(&format!("href=\"{desk}/{game}\""))),
        "{shown}"
    );
    let links = tokens_in(&shown);
    let links: BTreeSet<_> =
        links.iter().map(|link| (link.claims().purpose as u8, link.to_string())).collect();
    let purposes: Vec<_> = links.iter().map(|(purpose, _)| *purpose).collect();
    assert_eq!(purposes, [Purpose::Desk as u8, Purpose::Calendar as u8]);
}

#[test]
fn a_watcher_can_change_nothing() {
    let pages = Pages::new();
    let (carol, before) = (pages.watch(), pages.content());
    for command in ["resign", "move", "say", "mute", "leave"] {
        let refused = pages.act(&carol, command, "f5");
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{command}");
    }
    assert_eq!(pages.content(), before);
    assert_eq!(pages.get(&carol).status, StatusCode::OK);
    pages.env.ok("--as carol unwatch 1");
    assert_eq!(pages.get(&carol).status, StatusCode::NOT_FOUND);
}

#[test]
fn a_page_that_is_opened_changes_nothing() {
    let pages = Pages::new();
    pages.env.ok("move 1 f5");
    let (bob, before) = (pages.play("bob"), pages.content());
    for path in [
        bob.clone(),
        format!("{bob}?choose=d6"),
        format!("{bob}?choose=a1&done=resign"),
        format!("{bob}?command=resign&history={}", pages.history()),
        format!("{bob}/1"),
        pages.watch(),
        pages.desk("bob"),
    ] {
        assert_eq!(pages.get(&path).status, StatusCode::OK, "{path}");
        let head = pages.send(request(Method::HEAD, &path, &[], ""));
        assert_eq!((head.status, &*head.body), (StatusCode::OK, ""), "{path}");
    }
    assert_eq!(pages.content(), before);
}

/// Returns which of these requests is the first that is refused; `None` if none is.
fn first_refused(pages: &Pages, path: &str, peer: impl Fn(usize) -> String) -> Option<usize> {
    (0..2000).find(|number| {
        let headers = [("x-forwarded-for", &*peer(*number))];
        let answer = pages.send(request(Method::GET, path, &headers, ""));
        assert!(answer.status == StatusCode::TOO_MANY_REQUESTS || answer.status.is_success());
        !answer.status.is_success()
    })
}

#[test]
fn requests_are_limited_by_peer_and_by_token() {
    let pages = Pages::new();
    let style = "/othello/style.css";
    // Only the last address is the peer.
    let of_peer =
        first_refused(&pages, style, |number| format!("10.0.0.{}, 192.0.2.1", number % 250));
    assert!(of_peer.is_some_and(|number| number >= 400), "{of_peer:?}");
    let others = |number: usize| format!("198.51.{}.{}", number / 250, number % 250);
    assert_eq!(first_refused(&pages, style, others), None);
    let more = |number: usize| format!("203.0.{}.{}", number / 250, number % 250);
    let of_token = first_refused(&pages, &pages.play("alice"), more);
    assert!(of_token.is_some_and(|number| number >= 120), "{of_token:?}");
    assert_eq!(pages.get(&pages.play("bob")).status, StatusCode::OK);
}

#[test]
fn pages_are_shown_while_another_process_writes() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let writer = pages.env.sqlite();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        // More than there are connections to the database.
        let waiting: Vec<_> =
            (0..20).map(|_| scope.spawn(|| pages.act(&alice, "move", "f5").status)).collect();
        for path in [alice.clone(), format!("{alice}/0"), pages.watch(), pages.desk("alice")] {
            assert_eq!(pages.get(&path).status, StatusCode::OK, "{path}");
        }
        writer.execute_batch("ROLLBACK").unwrap();
        let statuses: Vec<_> = waiting.into_iter().map(|it| it.join().unwrap()).collect();
        let made = statuses.iter().filter(|status| **status == StatusCode::SEE_OTHER).count();
        assert_eq!(made, 1, "{statuses:?}");
    });
    assert_eq!(pages.env.moves(1), ["f5"]);
}

#[test]
fn a_command_that_has_begun_is_not_cut_off() {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let env = TestEnvironment::new().config(WEB).with_game();
    let pages = Pages::on(runtime, env);
    let post = |player, form: &str| {
        let headers = [("sec-fetch-site", "same-origin")];
        let request = request(Method::POST, &pages.play(player), &headers, form);
        pages.router.clone().oneshot(request)
    };
    let lock = pages.env.sqlite();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (begun, waited) = pages.runtime.block_on(async {
        let form = format!("history={}&command=move&text=f5", pages.history());
        let begun = tokio::spawn(post("alice", &form));
        // The first command waits for the lock, the second one for its turn.
        yield_now().await;
        let waited = tokio::spawn(post("bob", "history=0&command=resign"));
        yield_now().await;
        advance(Duration::from_secs(60)).await;
        let waited = waited.await.unwrap().unwrap();
        lock.execute_batch("ROLLBACK").unwrap();
        (begun.await.unwrap().unwrap(), waited)
    });
    assert_eq!(begun.status(), StatusCode::SEE_OTHER);
    let waited = pages.answer(waited);
    assert_eq!(waited.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(waited.body.contains("Nothing was done."), "{}", waited.body);
    assert_eq!(pages.env.moves(1), ["f5"]);
    assert_eq!(pages.env.game(1)["status"], "active");
    assert_eq!(mem::take(&mut *pages.problems.lock().unwrap()).len(), 1);
    // A command that fails midway may have taken effect.
    let trap = "CREATE TRIGGER trap BEFORE UPDATE ON game BEGIN SELECT RAISE(FAIL, 'trap'); END";
    lock.execute_batch(trap).unwrap();
    let failed = pages
        .post(&pages.play("bob"), &format!("history={}&command=move&text=d6", pages.history()));
    assert_eq!(failed.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(failed.body.contains("This may have been done"), "{}", failed.body);
    assert_eq!(mem::take(&mut *pages.problems.lock().unwrap()).len(), 1);
}

#[test]
fn a_replaced_database_is_used_from_then_on() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let copy = pages.env.path("copy.db");
    pages.env.ok("backup copy.db");
    pages.act(&alice, "move", "f5");
    std::fs::rename(copy, pages.env.database()).unwrap();
    for ending in ["wal", "shm"] {
        let _ = std::fs::remove_file(pages.env.path(&format!("outflank.db-{ending}")));
    }
    assert_eq!(pages.env.plies(1), 0);
    assert_eq!(pages.act(&alice, "move", "d3").status, StatusCode::SEE_OTHER);
    assert_eq!(pages.env.moves(1), ["d3"]);
}

#[test]
fn a_missing_database_is_a_fault_and_no_lost_link() {
    let pages = Pages::new();
    let (alice, database) = (pages.play("alice"), pages.env.database());
    let away = database.with_extension("away");
    std::fs::rename(&database, &away).unwrap();
    assert_eq!(pages.get(&alice).status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(mem::take(&mut *pages.problems.lock().unwrap()).len(), 1);
    std::fs::rename(&away, &database).unwrap();
    assert_eq!(pages.get(&alice).status, StatusCode::OK);
}

#[test]
fn a_fault_is_reported_to_the_host_and_not_to_visitors() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    pages.env.ok("move 1 f5");
    pages.env.sqlite().execute_batch("UPDATE event SET action = 'a1'").unwrap();
    let answer = pages.get(&alice);
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(!answer.body.contains("game 1"), "{}", answer.body);
    pages.get(&alice);
    let problems = mem::take(&mut *pages.problems.lock().unwrap());
    assert_eq!(problems.len(), 1, "{problems:?}");
    let token = alice.rsplit('/').next().unwrap();
    assert!(problems.iter().all(|problem| !problem.contains(token)));
}
