//! The forms of pages: each does its work once.

use std::thread;

use axum::http::{Method, StatusCode};

use super::{ORIGIN, Pages, request};
use crate::harness::{Purpose, until};

#[test]
fn a_move_is_made_and_the_page_shown() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    assert_eq!(pages.get(&alice).status, StatusCode::OK);
    let made = pages.act(&alice, "move", "f5");
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{made:?}");
    assert_eq!(made.headers["location"], format!("{alice}?done=move"));
    assert_eq!(pages.env.moves(1), ["f5"]);
    assert_eq!(pages.get(&format!("{alice}?done=move")).status, StatusCode::OK);
    until("bob gets his turn mail", || pages.env.count("bob turn sent") == 1);
    assert_eq!(pages.act(&pages.play("bob"), "move", "d6").status, StatusCode::SEE_OTHER);
    assert_eq!(pages.env.moves(1), ["f5", "d6"]);
}

#[test]
fn either_case_of_a_token_is_the_same_page() {
    let pages = Pages::new();
    let upper = format!("/othello/play/{}", pages.token(Purpose::Page, "alice").to_uppercase());
    assert_eq!(pages.get(&upper), pages.get(&pages.play("alice")));
}

#[test]
fn a_stale_page_does_nothing() {
    let pages = Pages::new();
    let (alice, history) = (pages.play("alice"), pages.history());
    let form = format!("history={history}&command=move&text=f5");
    assert_eq!(pages.post(&alice, &form).status, StatusCode::SEE_OTHER);
    // The same form again: from another tab, with the back button, or by a double click.
    let again = pages.post(&alice, &form);
    assert_eq!(again.status, StatusCode::CONFLICT);
    assert_eq!(pages.env.moves(1), ["f5"]);
    let other = format!("history={history}&command=resign");
    assert_eq!(pages.post(&alice, &other).status, StatusCode::CONFLICT);
    assert_eq!(pages.post(&alice, "command=resign").status, StatusCode::CONFLICT);
    assert_eq!(pages.env.game(1)["status"], "active");
}

#[test]
fn of_forms_at_the_same_moment_one_is_accepted() {
    let pages = Pages::new();
    let (alice, form) = (pages.play("alice"), format!("history={}&command=move", pages.history()));
    let statuses: Vec<_> = thread::scope(|scope| {
        let post = |text: &str| {
            let (pages, alice, form) = (&pages, &alice, format!("{form}&text={text}"));
            scope.spawn(move || pages.post(alice, &form).status)
        };
        let threads: Vec<_> = ["f5", "f5", "d3", "d3", "c4", "f5"].map(post).into();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let accepted = statuses.iter().filter(|status| **status == StatusCode::SEE_OTHER);
    assert_eq!(accepted.count(), 1, "{statuses:?}");
    assert_eq!(pages.env.plies(1), 1);
}

#[test]
fn pages_know_of_offers_and_words_but_not_of_notes() {
    let pages = Pages::new();
    let [alice, bob] = ["alice", "bob"].map(|player| pages.play(player));
    assert_eq!(pages.act(&alice, "say", "Hello").status, StatusCode::SEE_OTHER);
    assert_eq!(pages.act(&alice, "draw", "").status, StatusCode::SEE_OTHER);
    assert!(pages.get(&bob).body.contains("alice offers a draw"));
    assert!(pages.get(&alice).body.contains(">Withdraw</button>"));
    let form = format!("history={}&command=move&text=f5", pages.history());
    assert_eq!(pages.act(&bob, "note", "strong").status, StatusCode::SEE_OTHER);
    // An event that alice cannot see does not make her page stale.
    assert_eq!(pages.post(&alice, &form).status, StatusCode::SEE_OTHER);
    assert_eq!(pages.act(&bob, "accept", "").status, StatusCode::SEE_OTHER);
    assert_eq!(pages.env.game(1)["result"]["reason"], "agreed");
    let rematch = pages.act(&bob, "rematch", "");
    assert_eq!(rematch.headers["location"], format!("{bob}?done=rematch"));
    // The link of game 1 opens no other game: the mail about game 2 has its own.
    let accepted = pages.act(&alice, "accept", "");
    assert_eq!(accepted.headers["location"], format!("{alice}?done=accept"));
    assert!(pages.get(&format!("{alice}?done=accept")).body.contains("you are mailed a link"));
    assert_eq!(pages.env.game(2)["status"], "active");
    until("alice gets it", || {
        pages.env.outbox().iter().any(|mail| mail.starts_with("alice start"))
    });
}

#[test]
fn the_page_says_when_words_are_read() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let said = |words: &str| {
        let said = pages.act(&alice, "say", words);
        let page = pages.get(said.headers["location"].to_str().unwrap()).body;
        page.split("class=\"notice done\"")
            .nth(1)
            .unwrap()
            .split("</section>")
            .next()
            .unwrap()
            .to_owned()
    };
    assert!(said("Hello").contains("bob reads it with the next mail of game 1."));
    pages.act(&alice, "resign", "");
    assert!(said("Bye").contains("Game 1 is over, so bob is mailed what you said."));
}

#[test]
fn typed_words_survive_a_refusal() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let stale = format!("history={}&command=say&text=Where+were+we%3F", pages.history());
    pages.act(&alice, "move", "f5");
    let refused = pages.post(&alice, &stale);
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.body.contains(">Where were we?</textarea>"), "{}", refused.body);
    let long = "x".repeat(1001);
    let refused = pages.act(&alice, "note", &long);
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.body.contains(&format!(">{long}</textarea>")));
    assert_eq!(pages.act(&alice, "note", "++").status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[test]
fn a_refused_command_says_why_on_the_page() {
    let pages = Pages::new();
    for (player, command, text) in [
        ("alice", "move", "a1"),
        ("alice", "move", "nonsense"),
        ("alice", "move", ""),
        ("alice", "claim", ""),
        ("bob", "move", "f5"),
        ("alice", "leave", ""),
        ("alice", "set", "address mallory@evil.example"),
        ("alice", "games", ""),
        ("alice", "move", "2 f5"),
    ] {
        let refused = pages.act(&pages.play(player), command, text);
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{command} {text}");
        assert_eq!(pages.env.stored(1).game.events().len(), 0, "{command} {text}");
    }
}

#[test]
fn only_forms_of_pages_are_accepted() {
    let pages = Pages::new();
    let (alice, form) =
        (pages.play("alice"), format!("history={}&command=resign", pages.history()));
    for headers in [
        &[][..],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site"), ("origin", ORIGIN)],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
    ] {
        let refused = pages.send(request(Method::POST, &alice, headers, &form));
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{headers:?}");
    }
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::PATCH, Method::DELETE] {
        let path = format!("{alice}?{form}");
        let headers = [("sec-fetch-site", "same-origin")];
        pages.send(request(method, &path, &headers, &form));
    }
    assert_eq!(pages.env.stored(1).game.events().len(), 0);
    let accepted = pages.send(request(Method::POST, &alice, &[("origin", ORIGIN)], &form));
    assert_eq!(accepted.status, StatusCode::SEE_OTHER);
}

#[test]
fn forms_that_no_page_has_are_refused() {
    let pages = Pages::new();
    let (alice, before) = (pages.play("alice"), pages.content());
    for form in [
        "",
        "command",
        "history=0",
        "command=send",
        "command=&text=resign",
        "history=0&history=0&command=resign",
        "command=move%00f5",
    ] {
        assert_eq!(pages.post(&alice, form).status, StatusCode::FORBIDDEN, "{form}");
    }
    let long = format!("history=0&command=say&text={}", "a".repeat(70_000));
    assert_eq!(pages.post(&alice, &long).status, StatusCode::FORBIDDEN);
    assert_eq!(pages.content(), before);
}

#[test]
fn a_computer_player_answers_in_the_background() {
    let env = crate::harness::TestEnvironment::new().config(super::WEB);
    env.ok("new othello alice@example.org bot:0");
    let pages = Pages::of(env);
    assert_eq!(pages.act(&pages.play("alice"), "move", "f5").status, StatusCode::SEE_OTHER);
    until("the computer player moves", || pages.env.plies(1) == 2);
    until("alice gets her turn mail", || pages.env.count("alice turn sent") > 0);
}

#[test]
fn a_hint_is_looked_for_in_the_background() {
    let env = crate::harness::TestEnvironment::new().config(super::WEB);
    env.ok("new othello alice@example.org bot:0");
    let pages = Pages::of(env);
    assert_eq!(pages.act(&pages.play("alice"), "hint", "").status, StatusCode::SEE_OTHER);
    until("alice gets the hint", || pages.env.count("alice answer sent") == 1);
}

#[test]
fn the_own_page_sets_what_its_player_may() {
    let pages = Pages::new();
    let desk = pages.desk("alice");
    assert_eq!(pages.get(&desk).status, StatusCode::OK);
    let set = pages.post(&desk, "command=set+quiet&text=22:00-07:00");
    assert_eq!(set.status, StatusCode::SEE_OTHER, "{set:?}");
    let before = pages.content();
    for form in [
        "command=leave",
        "command=set+address&text=m%40evil.example",
        "command=resign&text=1",
        "command=move&text=1+f5",
    ] {
        let refused = pages.post(&desk, form);
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form}");
    }
    assert_eq!(pages.content(), before);
}

#[test]
fn one_click_stops_the_mails_of_one_game() {
    let pages = Pages::new();
    let path = format!("/othello/unsubscribe/{}", pages.token(Purpose::Unsubscribe, "bob"));
    let before = pages.content();
    assert_eq!(pages.get(&path).status, StatusCode::OK);
    assert_eq!(pages.content(), before);
    // A mail program sends no Origin, and nothing of Sec-Fetch.
    let one_click = request(Method::POST, &path, &[], "List-Unsubscribe=One-Click");
    assert_eq!(pages.send(one_click).status, StatusCode::OK);
    pages.act(&pages.play("alice"), "move", "f5");
    assert_eq!(pages.env.count("bob turn"), 0);
    assert_eq!(pages.post(&path, "").status, StatusCode::OK);
}
