//! The pages for everybody.

use axum::http::{Method, StatusCode};

use outflank::portable;

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
    pages.env.ok("tournament new cup mini");
    pages.env.ok("join cup --as carol");
    for path in [
        "",
        "/",
        "/players",
        "/player/alice",
        "/standings",
        "/tournaments",
        "/tournament/cup",
        "/tournament/Cup",
        "/game/1",
        "/game/1/0",
        "/game/1/1",
        "/game/1/game.txt",
        "/game/1/game.json",
        "/game/1/game.svg",
        "/game/1/portable.txt",
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
fn an_imported_game_has_a_page_and_is_in_no_list() {
    let pages = Pages::with(PUBLIC);
    let games = pages.env.path("games.pgn");
    std::fs::write(&games, "[Black \"alice\"]\n[White \"Stranger\"]\n1. f5 d6 0-1\n").unwrap();
    pages.env.ok(&format!("import {} --format pgn", games.display()));
    let page = pages.get("/othello/game/2").body;
    assert!(
        page.contains("Stranger (white) wins: alice (black) resigned. This game was imported.")
    );
    assert!(!pages.get("/othello/game/2/1").body.contains("portable.txt"));
    for list in ["/", "/player/alice", "/players"] {
        assert!(!pages.get(&format!("/othello{list}")).body.contains("Stranger"), "{list}");
    }
}

#[test]
fn signed_games_and_the_key_of_the_club_are_for_everybody() {
    let pages = Pages::with(PUBLIC);
    let signed = pages.get("/othello/game/1/portable.txt").body;
    assert_eq!(signed, pages.env.ok("history 1 --portable"));
    let (_, key) = portable::read(&portable::blocks(&signed)[0]).unwrap();
    let about = format!(" signs its games with the key {key}");
    assert!(pages.get("/othello/").body.contains(&about));
    assert!(pages.get("/othello/game/1/0").body.contains("href=\"/othello/game/1/portable.txt\""));
}

/// Returns the texts behind each occurrence of `begin` in a page, up to the next quotation mark.
fn found(page: &str, begin: &str) -> Vec<String> {
    let ends = page.split(begin).skip(1).filter_map(|rest| rest.split('"').next());
    ends.map(str::to_owned).collect()
}

/// Returns the rows of all parts of a list, which begin so, in order.
fn rows(pages: &Pages, path: &str, begin: &str) -> Vec<Vec<String>> {
    let (mut parts, mut key) = (Vec::new(), String::new());
    loop {
        // The link of a part replaces the query.
        let whole = match (&*key, path.split_once('?')) {
            ("", _) | (_, None) => format!("{path}{key}"),
            (_, Some((path, _))) => format!("{path}{key}"),
        };
        let page = pages.get(&whole);
        assert_eq!(page.status, StatusCode::OK, "{whole}");
        parts.push(found(&page.body, begin));
        match found(&page.body, "rel=\"next\" href=\"").pop() {
            Some(next) => key = next.replace("&amp;", "&"),
            None => return parts,
        }
    }
}

#[test]
fn long_lists_come_in_parts() {
    let pages = Pages::with(PUBLIC);
    // 600 active games, then 900 finished ones (many end in the same second), and 1,100 more players.
    let more = "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
        INSERT INTO game (variant, board_rows, board_columns, misere, anywhere, black, white, thread,
            created_at, turn, to_move, to_wait, since, black_discs, white_discs, clock, reason)
        SELECT 'othello', 8, 8, 0, 0, black, white, 'game-' || i, created_at,
            iif(i <= 600, turn, NULL), iif(i <= 600, to_move, NULL), iif(i <= 600, to_wait, NULL),
            since + i / 400, 2, 2, 'none', iif(i <= 600, NULL, 'agreed') FROM n, game WHERE id = 1;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
        INSERT INTO player (name, secret, created_at)
        SELECT 'player-' || i, secret, created_at FROM n, player WHERE name = 'alice';";
    pages.env.sqlite().execute_batch(more).unwrap();
    for path in ["/othello/", "/othello/player/alice"] {
        let games = rows(&pages, path, "href=\"/othello/game/");
        assert_eq!(games.iter().map(Vec::len).collect::<Vec<_>>(), [500; 3], "{path}");
        let games: Vec<usize> = games.concat().iter().map(|game| game.parse().unwrap()).collect();
        let expected: Vec<_> = (1..=600).chain((601..=1500).rev()).collect();
        assert_eq!(games, expected, "{path}");
    }
    let players = rows(&pages, "/othello/players", "<a href=\"/othello/player/");
    assert_eq!(players.iter().map(Vec::len).collect::<Vec<_>>(), [500, 500, 103]);
    let mut sorted = players.concat();
    sorted.sort();
    sorted.dedup();
    assert_eq!(players.concat(), sorted);
    let mini = rows(&pages, "/othello/?variant=mini", "href=\"/othello/game/");
    assert_eq!(mini, [[""; 0]], "no game is of this variant");
    let othello = rows(&pages, "/othello/?variant=othello", "href=\"/othello/game/");
    assert_eq!(othello.iter().map(Vec::len).collect::<Vec<_>>(), [500; 3]);
    for key in ["x", "-1", "1-", "1-1-1", "99999999999999999999", "99999999999999-1"] {
        let path = format!("/othello/?after={key}");
        assert_eq!(pages.get(&path).status, StatusCode::NOT_FOUND, "{key}");
    }
}

#[test]
fn standings_come_by_variant_and_in_parts() {
    let pages = Pages::with(PUBLIC);
    let more = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO player (name, secret, created_at)
        SELECT 'player-' || i, secret, created_at FROM n, player WHERE name = 'alice';
        INSERT INTO rating
        SELECT list, player.id, since, game.id, black, 'won', 1500, 100, 0.06, 20
        FROM game, player, (SELECT '8x8' AS list UNION SELECT '4x4')
        WHERE game.id = 1 AND (list = '4x4' OR name = 'bob');";
    pages.env.sqlite().execute_batch(more).unwrap();
    let page = pages.get("/othello/standings").body;
    assert!(page.contains("Ratings in Othello") && !page.contains("carol"), "{page}");
    assert!(page.contains("aria-current=\"page\">Othello</a>"), "{page}");
    assert_eq!(found(&page, "href=\"?variant="), ["othello", "mini"], "{page}");
    let parts = rows(&pages, "/othello/standings?variant=mini", "href=\"/othello/player/");
    assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [500, 103]);
}

#[test]
fn onlookers_follow_a_public_game_but_not_its_words() {
    let pages = Pages::with(PUBLIC);
    let page = pages.get("/othello/game/1");
    assert_eq!(page.headers["cache-control"], "public, no-cache");
    let shown = found(&page.body, "data-shown=\"").pop().unwrap();
    assert!(page.body.contains("data-events=\"/othello/game/1/events\""), "{}", page.body);
    let stream = pages.stream("/othello/game/1");
    assert_eq!(stream.headers()["cache-control"], "no-store");
    let mut stream = stream.into_body().into_data_stream();
    assert_eq!(pages.next(&mut stream), Some(format!("data: {shown}\n\n")));
    let shown_now = || found(&pages.get("/othello/game/1").body, "data-shown=\"").pop().unwrap();
    for line in ["--as bob say 1 Hello", "--as bob note 1 Mine", "--as bob draw 1"] {
        pages.env.ok(line);
        assert_eq!(shown_now(), shown, "{line}");
    }
    pages.env.ok("move 1 f5");
    let moved = shown_now();
    assert_eq!(pages.next(&mut stream), Some(format!("data: {moved}\n\n")));
    pages.env.ok("--as bob resign 1");
    let last = pages.next(&mut stream);
    assert!(last.is_some_and(|last| !last.contains(&moved)));
    assert_eq!(pages.next(&mut stream), None);
    assert_eq!(pages.stream("/othello/game/1").status(), StatusCode::NOT_FOUND);
    assert_eq!(pages.get("/othello/game/1").headers["cache-control"], "public, max-age=60");
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
        "/game/2/events",
        "/standings?variant=mini",
        "/?variant=chess",
        "/?variant=Mini",
        "/player/nobody",
        "/tournament/nothing",
        "/tournament/cup%20--json",
        "/tournament/",
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

#[test]
fn a_tournament_links_to_its_games_and_players() {
    let pages = Pages::with(PUBLIC);
    pages.env.ok("tournament new cup mini");
    let listed = pages.get("/othello/tournaments").body;
    assert!(listed.contains("href=\"/othello/tournament/cup\""), "{listed}");
    for name in ["alice", "bob", "carol"] {
        pages.env.ok(&format!("join cup --as {name}"));
    }
    pages.env.ok("tournament start cup");
    pages.env.ok("send");
    let shown = pages.get("/othello/tournament/cup").body;
    for link in ["player/alice", "player/carol", "game/2", "game/3", "game/4"] {
        assert!(shown.contains(&format!("href=\"/othello/{link}\"")), "{link}: {shown}");
    }
    let game = pages.env.json("tournament cup")["games"][0].clone();
    pages.env.ok(&format!("resign {} --as {}", game["game"], game["black"].as_str().unwrap()));
    let shown = pages.get("/othello/tournament/cup").body;
    let link = format!("<a href=\"/othello/game/{}\">1</a>", game["game"]);
    assert!(shown.contains(&link), "a result of the crosstable links to its game: {shown}");
}
