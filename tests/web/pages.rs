//! The content of the pages.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use outflank::web::pages::{SCRIPT, STYLE};

use super::{Pages, WEB};
use crate::harness::{Purpose, TestEnvironment};

/// The most bytes of the script, and of all that is needed to show a game on 8×8.
const MAX_SCRIPT_BYTES: usize = 10_000;
const MAX_BYTES: usize = 30_000;

/// Returns the values of an attribute, from the top.
fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let begin = format!(" {attribute}=\"");
    html.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Returns the moves that a page offers on its squares.
fn choices(html: &str) -> BTreeSet<String> {
    let buttons = html.split("<button name=\"choose\" value=\"").skip(1);
    buttons.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

/// Returns the text of each square, without the buttons.
fn squares(html: &str) -> Vec<&str> {
    let cells = html.split("<td").skip(1).filter(|cell| cell.contains("class=\"q"));
    let text = |cell: &'_ str| cell.find('>').map(|end| end + 1);
    let texts = cells.filter_map(|cell| Some(cell[text(cell)?..].split("</td>").next()?.trim()));
    texts.collect()
}

/// Returns the pages of game 1, which begins so, and the path of alice's page.
fn begun(arguments: &str) -> (Pages, String) {
    let env = TestEnvironment::new().config(WEB);
    env.ok(&format!("new {arguments}"));
    let pages = Pages::of(env);
    let path = pages.play("alice");
    (pages, path)
}

const PLAYERS: &str = "alice@example.org bob@example.org";

#[test]
fn each_legal_square_is_a_labelled_button_and_each_other_square_has_text() {
    let (pages, path) = begun(&format!("othello {PLAYERS} --moves f5d6"));
    let page = pages.get(&path).body;
    assert_eq!(choices(&page), ["c3", "c4", "c5", "c6", "c7"].map(str::to_owned).into());
    assert!(
        page.contains("value=\"c3\" aria-label=\"c3, flips 1\" data-flips=\"d4\">c3<"),
        "{page}"
    );
    let squares = squares(&page);
    assert_eq!(squares.len(), 64);
    let count = |text: &str| squares.iter().filter(|square| **square == text).count();
    assert_eq!(count("empty"), 64 - 5 - 6);
    assert_eq!((count("black"), count("white")), (3, 1));
    assert_eq!((count("white, last move"), count("white, flipped")), (1, 1));
    // On the opponent's turn, and for a watcher, nothing can be chosen.
    assert_eq!(choices(&pages.get(&pages.play("bob")).body), BTreeSet::new());
}

#[test]
fn a_chosen_move_shows_its_flips_and_a_button_that_plays_it() {
    let (pages, path) = begun(&format!("othello {PLAYERS} --moves f5d6"));
    let page = pages.get(&format!("{path}?choose=c3")).body;
    assert!(page.contains("id=\"d4\" class=\"q w will\">white, would flip<"), "{page}");
    assert!(
        page.contains("value=\"c3\" aria-label=\"c3, flips 1\" data-flips=\"d4\" aria-pressed")
    );
    assert!(page.contains("Play <span id=\"chosen\">c3</span>"), "{page}");
    assert!(page.contains("<span id=\"flips\">flips 1 disc: d4</span>"), "{page}");
    assert!(page.contains("<form id=\"play\" method=\"post\" action=\""), "{page}");
    for strange in ["a1", "e4", "zz", "%3Cscript%3E", "pass"] {
        let page = pages.get(&format!("{path}?choose={strange}"));
        assert_eq!(page.status, StatusCode::OK, "{strange}");
        assert!(page.body.contains("<form id=\"play\" method=\"post\" action=\""), "{strange}");
        assert!(!page.body.contains("aria-pressed"), "{strange}");
    }
}

#[test]
fn rows_of_the_hex_lattice_have_whole_labels_on_their_squares() {
    let (pages, path) = begun(&format!("oddthello {PLAYERS}"));
    let page = pages.get(&path).body;
    assert_eq!(choices(&page), ["A4", "B4", "C4"].map(str::to_owned).into());
    let squares = squares(&page);
    for text in ["B2 black", "C3 white", "A1 empty"] {
        assert!(squares.contains(&text), "{text}: {squares:?}");
    }
}

#[test]
fn the_commands_of_a_page_are_those_that_are_possible() {
    let (pages, path) = begun(&format!("othello {PLAYERS} --moves f5"));
    let words = |page: &str| -> Vec<String> {
        page.split("<details id=\"do-")
            .skip(1)
            .filter_map(|it| it.split('"').next())
            .map(str::to_owned)
            .collect()
    };
    let page = pages.get(&path).body;
    assert_eq!(words(&page), ["note", "plan", "resign", "takeback", "draw", "mute"], "{page}");
    // Its words are those of a page, not of the shell's help.
    assert!(page.contains("<summary>Give up</summary>"), "{page}");
    assert!(page.contains("<p>The game ends, and your opponent wins.</p>"), "{page}");
    assert!(!page.contains("on turn or not"), "{page}");
    pages.env.ok("--as bob draw 1");
    let page = pages.get(&path).body;
    assert!(page.contains("<p>bob offers a draw in this game.</p>"), "{page}");
    for word in ["accept", "decline"] {
        assert!(page.contains(&format!("name=\"command\" value=\"{word}\"")), "{word}: {page}");
    }
    assert!(!words(&page).contains(&"accept".to_owned()), "{page}");
}

#[test]
fn a_replay_leads_through_the_game() {
    let (pages, path) = begun(&format!("othello {PLAYERS} --moves f5d6c3"));
    let links = |ply: usize| {
        let page = pages.get(&format!("{path}/{ply}")).body;
        let nav =
            page.split("<nav class=\"steps\"").nth(1).unwrap().split("</nav>").next().unwrap();
        let last = |href: &str| href.rsplit('/').next().unwrap().to_owned();
        values(nav, "href").into_iter().map(last).collect::<Vec<_>>()
    };
    assert_eq!(links(0), ["1", "3"]);
    assert_eq!(links(1), ["0", "0", "2", "3"]);
    assert_eq!(links(3), ["0", "2"]);
    let page = pages.get(&format!("{path}/1")).body;
    assert!(page.contains("After move 1 of 3: black 4, white 1. bob (white) to move."), "{page}");
    assert!(page.contains("id=\"e5\" class=\"q b turned\">black, flipped<"), "{page}");
    assert!(page.contains("<polyline class=\"lead\""), "{page}");
    assert!(!page.contains("class=\"expected\""), "{page}");
}

#[test]
fn a_replay_shows_what_an_analysis_found() {
    let (pages, path) = begun(&format!("mini {PLAYERS} --moves b1"));
    pages.env.ok("--as bob resign 1");
    pages.env.ok("analyze 1");
    let page = pages.get(&format!("{path}/1")).body;
    assert!(page.contains("<polyline class=\"expected\""), "{page}");
    assert!(page.contains("<th scope=\"col\" class=\"number\">Loss</th>"), "{page}");
}

#[test]
fn nothing_that_a_player_wrote_is_html() {
    let (pages, path) = begun(&format!("othello {PLAYERS} --moves f5d6"));
    for (command, text) in [("say", "<script>alert(1)</script>"), ("note", "\"><img src=x>")] {
        pages.env.ok(&format!("--as alice {command} 1 '{text}'"));
    }
    let page = pages.get(&path).body;
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(!page.contains("<script>"), "{page}");
    assert!(!page.contains("<img"), "{page}");
    let refused = pages.act(&path, "move", "%3Cb%3E");
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!refused.body.contains("<b>\""), "{}", refused.body);
}

#[test]
fn pages_have_nothing_that_the_policy_forbids() {
    let pages = Pages::with(&format!("{WEB}\npublic = true"));
    pages.env.ok("move 1 f5 d6 c3");
    let token = pages.token(Purpose::Unsubscribe, "bob");
    for path in [
        pages.play("alice"),
        pages.play("bob"),
        format!("{}?choose=d3", pages.play("bob")),
        format!("{}/2", pages.play("alice")),
        pages.watch(),
        pages.desk("alice"),
        "/othello/".to_owned(),
        "/othello/players".to_owned(),
        "/othello/standings".to_owned(),
        "/othello/player/alice".to_owned(),
        "/othello/game/1".to_owned(),
        format!("/othello/unsubscribe/{token}"),
        "/othello/nothing".to_owned(),
    ] {
        let page = pages.get(&path).body;
        assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"), "{path}: {page}");
        assert!(page.trim_end().ends_with("</html>"), "{path}: {page}");
        for forbidden in [" style=", "<style", " onclick", " onload", "javascript:", "<base"] {
            assert!(!page.contains(forbidden), "{path}: {forbidden}: {page}");
        }
        assert_eq!(page.matches("<script").count(), 1, "{path}");
        for address in values(&page, "src").into_iter().chain(values(&page, "action")) {
            assert!(address.starts_with("/othello/"), "{path}: {address}");
        }
    }
}

#[test]
fn a_page_is_small() {
    let (pages, path) = begun(&format!("othello {PLAYERS} --moves f5d6c3d3c4f4f6f3"));
    assert!(SCRIPT.len() <= MAX_SCRIPT_BYTES, "{}", SCRIPT.len());
    let page = pages.get(&format!("{path}?choose=e3")).body;
    let bytes = page.len() + SCRIPT.len() + STYLE.len();
    // The rest of the limit is for the headers of three responses.
    assert!(bytes <= MAX_BYTES - 2_000, "{bytes}");
}

#[test]
fn a_link_to_a_public_game_has_a_picture() {
    let pages = Pages::with(&format!("{WEB}\npublic = true"));
    pages.env.ok("move 1 f5 d6");
    let page = pages.get("/othello/game/1").body;
    let image = "property=\"og:image\" content=\"https://club.example/othello/game/1/board.png?2\"";
    assert!(page.contains(image), "{page}");
    assert!(page.contains("content=\"alice against bob: Othello\""), "{page}");
    assert!(page.contains("After 2 moves: black 3, white 3. alice (black) to move."), "{page}");
    // Pages with a token have no picture, so that nobody shares them.
    assert!(!pages.get(&pages.play("alice")).body.contains("og:image"));
}
