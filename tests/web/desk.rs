//! The own page of a player: a home from which all games are played.

use axum::http::StatusCode;

use super::Pages;
use crate::harness::{CAROL, until};

#[test]
fn a_game_that_was_opened_from_the_own_page_leads_to_the_next_one() {
    let pages = Pages::new();
    pages.env.ok("new mini alice carol");
    let desk = pages.desk("alice");
    let page = pages.get(&desk).body;
    assert!(page.contains("<p>2 games wait for you.</p>"), "{page}");
    assert_eq!(page.matches("<svg").count(), 2, "{page}");
    let [first, second] = [1, 2].map(|game| format!("{desk}/{game}"));
    let next = format!("<a id=\"next\" href=\"{second}\">Next: game 2 against carol</a>");
    assert!(!pages.get(&first).body.contains(&next), "the own move comes first");
    let made = pages.act(&first, "move", "f5");
    assert_eq!(made.headers["location"], format!("{first}?done=move"));
    let page = pages.get(&format!("{first}?done=move")).body;
    assert!(page.contains(&next) && page.contains(&format!("href=\"{desk}\"")), "{page}");
    assert_eq!(pages.act(&second, "move", "b1").status, StatusCode::SEE_OTHER);
    assert!(!pages.get(&second).body.contains("id=\"next\""));
    for part in ["/0", "/game.txt", "/game.svg"] {
        assert_eq!(pages.get(&format!("{second}{part}")).status, StatusCode::OK, "{part}");
    }
    // Not a game of hers, not a number, and not with the token of one game.
    pages.env.ok("new mini bob carol");
    for path in [
        format!("{desk}/3"),
        format!("{desk}/01"),
        format!("{desk}/9"),
        format!("{}/2", pages.play("alice").replace("/play/", "/me/")),
    ] {
        assert_eq!(pages.get(&path).status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[test]
fn a_game_begins_on_the_own_page() {
    let pages = Pages::new();
    let desk = pages.desk("alice");
    let page = pages.get(&desk).body;
    for part in [
        "<option value=\"bot:novice\" selected>novice:",
        "<option value=\"carol\">",
        "<option value=\"oddthello\">",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<option value=\"alice\">") && !page.contains(CAROL), "{page}");
    let form = "command=challenge&text=bot%3Anovice&text=mini&text=--color+black";
    let begun = pages.post(&desk, form);
    assert_eq!(begun.headers["location"], format!("{desk}/2?done=challenge"));
    assert!(pages.get(&format!("{desk}/2")).body.contains("Your turn, alice"));
    let form = "command=challenge&text=carol&text=othello&text=--clock+3d&text=&text=--unrated";
    let made = pages.post(&desk, form);
    assert_eq!(made.headers["location"], format!("{desk}?done=challenge"));
    until("carol is mailed", || pages.env.count("carol challenge sent") == 1);
    let page = pages.get(&desk).body;
    assert!(page.contains("carol") && page.contains(">Withdraw</button>"), "{page}");
    // An accepted challenge begins its game there, too.
    pages.env.ok("--as carol challenge alice mini");
    let field = pages.get(&desk).body;
    let field = field.split("name=\"history\" value=\"").nth(1).unwrap();
    let history = field.split('"').next().unwrap();
    let accepted = pages.post(&desk, &format!("history={history}&command=accept&text=4"));
    assert_eq!(accepted.headers["location"], format!("{desk}/4?done=accept"));
    for opponent in ["nobody", "alice", "bob+--clock+x", "", "anyone+chess"] {
        let refused = pages.post(&desk, &format!("command=challenge&text={opponent}&text=mini"));
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{opponent}");
    }
}

#[test]
fn an_absence_begins_and_ends_on_the_own_page() {
    let pages = Pages::new();
    let desk = pages.desk("alice");
    let today = pages.env.now().date_naive();
    let last = today + chrono::Days::new(3);
    let away = pages.post(&desk, &format!("command=away&text={today}&text={last}"));
    assert_eq!(away.headers["location"], format!("{desk}?done=away"));
    let page = pages.get(&desk).body;
    assert!(page.contains("alice is away from ") && page.contains("End this absence"), "{page}");
    // The button ends the absence that the page showed, and no other one.
    let later = last + chrono::Days::new(10);
    pages.post(&desk, &format!("command=away&text={later}&text={later}"));
    let history = page.split("name=\"history\" value=\"").nth(1).unwrap();
    let end = format!("history={}&command=away&text=off", history.split('"').next().unwrap());
    assert_eq!(pages.post(&desk, &end).status, StatusCode::SEE_OTHER);
    for form in [&end, "command=away&text=off"] {
        assert_eq!(pages.post(&desk, form).status, StatusCode::CONFLICT, "{form}");
    }
    assert!(pages.get(&desk).body.contains("alice is away on "));
}

#[test]
fn finished_games_come_in_parts() {
    let pages = Pages::new();
    let more = "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 101)
        INSERT INTO game (variant, board_rows, board_columns, misere, anywhere, black, white, thread,
            created_at, since, black_discs, white_discs, clock, reason)
        SELECT 'othello', 8, 8, 0, 0, black, white, 'game-' || i, created_at, since, 2, 2, 'none',
            'agreed' FROM n, game WHERE id = 1;";
    pages.env.sqlite().execute_batch(more).unwrap();
    let desk = pages.desk("alice");
    let part = |query: &str| pages.get(&format!("{desk}{query}")).body;
    let links = |page: &str| page.matches(&format!("href=\"{desk}/")).count() - 1;
    let first = part("");
    assert_eq!(links(&first), 50);
    let next =
        first.split("rel=\"next\" href=\"").nth(1).unwrap().split(['"', '#']).next().unwrap();
    let second = part(next);
    assert_eq!((links(&second), second.contains("rel=\"next\"")), (50, false));
    assert_eq!(pages.get(&format!("{desk}?after=x")).status, StatusCode::NOT_FOUND);
}

#[test]
fn a_tournament_is_joined_on_the_own_page() {
    let pages = Pages::new();
    let desk = pages.desk("alice");
    pages.env.ok("tournament new cup mini");
    pages.env.ok("tournament new strong mini --rated-between 1900-2500");
    let join = "value=\"join\"><input type=\"hidden\" name=\"text\" value=";
    let page = pages.get(&desk).body;
    assert!(page.contains(&format!("{join}\"cup\"")), "{page}");
    assert!(!page.contains(&format!("{join}\"strong\"")), "{page}");
    let joined = pages.post(&desk, "command=join&text=cup");
    assert_eq!(joined.headers["location"], format!("{desk}?done=join"));
    let page = pages.get(&desk).body;
    assert!(page.contains("1 of 16") && !page.contains(join), "{page}");
    let again = pages.post(&desk, "command=join&text=cup");
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);
    let left = pages.post(&desk, "command=withdraw&text=cup");
    assert_eq!(left.status, StatusCode::UNPROCESSABLE_ENTITY);
}
