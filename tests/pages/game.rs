//! Games that are played on their pages.

use super::{Chromium, Color, PLAY, SQUARE, Site, play_first, until_chosen, until_shown};
use crate::harness::until;

#[test]
fn two_people_play_a_game_one_with_scripts_and_one_without() {
    let site = Site::of("mini");
    let Some(browser) = Chromium::start() else { return };
    let (alice, bob) = (browser.tab(), browser.tab().without_scripts());
    alice.open(&site.play("alice"));
    bob.open(&site.play("bob"));
    assert_eq!(bob.text("document.querySelector('h1').textContent"), "It is alice's turn");
    while let Some(turn) = site.turn() {
        let events = site.events();
        match turn {
            Color::Black => play_first(&alice),
            Color::White => {
                bob.reload();
                alice.run("window.isSame = true");
                play_first(&bob);
            }
        }
        until("a move is made", || site.events() > events);
        until_shown(&alice, &site.env.history(1));
        if turn == Color::White {
            until_shown(&bob, &site.env.history(1));
            // The other page shows the move by itself, and says it.
            assert_eq!(alice.run("window.isSame"), true);
            let said = alice.text("document.getElementById('news').textContent");
            let last = site.moves().into_iter().rfind(|label| label != "pass").unwrap();
            assert!(said.contains(&format!("bob (white) took {last} and flipped")), "{said}");
        }
    }
    bob.reload();
    let outcome = site.env.stored(1).game.outcome().unwrap();
    let (black, white) = (outcome.black, outcome.white);
    let verdict = |won, own, other| format!("You {won}, {own}-{other}");
    let (of_alice, of_bob) = match outcome.winner {
        Some(Color::Black) => (verdict("won", black, white), verdict("lost", white, black)),
        Some(Color::White) => (verdict("lost", black, white), verdict("won", white, black)),
        None => (format!("Draw, {black}-{white}"), format!("Draw, {white}-{black}")),
    };
    assert_eq!(alice.text("document.querySelector('h1').textContent"), of_alice);
    assert_eq!(bob.text("document.querySelector('h1').textContent"), of_bob);
    alice.check_no_errors();
    bob.check_no_errors();
}

#[test]
fn a_chosen_square_shows_what_flips_without_a_reload() {
    let site = Site::of("othello --moves f5d6");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.open(&site.play("alice"));
    alice.run("window.isSame = true");
    alice.click(&format!("{SQUARE}[value=c3]"));
    until_chosen(&alice);
    assert_eq!(alice.text("document.querySelector('.will').id"), "d4");
    assert_eq!(alice.text("document.getElementById('flips').textContent"), "flips 1 disc: d4");
    assert_eq!(
        alice.text(&format!("document.querySelector('{PLAY}').textContent.trim()")),
        "Play c3"
    );
    // Another square replaces it, and Escape takes the choice back.
    alice.click(&format!("{SQUARE}[value=c4]"));
    assert_eq!(alice.text("document.getElementById('chosen').textContent"), "c4");
    // Its ring shows under the mouse, too.
    let ring = "getComputedStyle(document.querySelector('[aria-pressed]:hover')).borderTopColor";
    assert_eq!(alice.text(ring), "rgb(255, 197, 61)");
    alice.press("Escape");
    alice.until("document.getElementById('play').hidden");
    assert_eq!(alice.run("window.isSame"), true);
    assert_eq!(site.moves().len(), 2);
    alice.check_no_errors();
}

#[test]
fn two_tabs_a_double_click_the_back_button_and_a_reload_play_one_move() {
    let site = Site::of("othello");
    let Some(browser) = Chromium::start() else { return };
    let (first, second) = (browser.tab().without_scripts(), browser.tab().without_scripts());
    for (tab, square) in [(&first, "d3"), (&second, "c4")] {
        tab.open(&site.play("alice"));
        tab.click(&format!("{SQUARE}[value={square}]"));
        until_chosen(tab);
    }
    first.click_times(PLAY, 2);
    until("the move is made", || site.events() == 1);
    until_shown(&first, &site.env.history(1));
    first.until("document.querySelector('h1').textContent === \"It is bob's turn\"");
    assert_eq!(site.moves(), ["d3"]);
    // The other tab is stale: it says so, and shows the game as it stands.
    second.click(PLAY);
    second.until("document.querySelector('.notice.stale') !== null");
    let notice = second.text("document.querySelector('.notice').textContent");
    assert!(notice.contains("no longer up to date, so nothing was done"), "{notice}");
    assert_eq!(second.text("document.querySelector('.last').id"), "d3");
    assert_eq!(second.run(&format!("document.querySelectorAll('{SQUARE}').length")), 0);
    first.reload();
    first.back();
    first.run("document.querySelector('#play button')?.click()");
    first.until("document.querySelector('h1').textContent === \"It is bob's turn\"");
    assert_eq!(site.moves(), ["d3"]);
}

#[test]
fn a_double_click_with_scripts_sends_one_request() {
    let site = Site::of("othello");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.open(&site.play("alice"));
    alice.click(&format!("{SQUARE}[value=d3]"));
    until_chosen(&alice);
    alice.next_page(|| alice.click_times(PLAY, 2));
    until("the move is made", || site.events() == 1);
    until_shown(&alice, &site.env.history(1));
    assert_eq!(site.moves(), ["d3"]);
    assert_eq!(alice.run("document.querySelector('.notice.stale')"), serde_json::Value::Null);
    // The page reports the move once.
    let notice = "Boolean(document.querySelector('.notice'))";
    assert_eq!(alice.run(notice), true);
    alice.until("location.search === ''");
    alice.reload();
    assert_eq!(alice.run(notice), false);
    alice.check_no_errors();
}

#[test]
fn what_is_typed_survives_a_move_of_the_opponent() {
    let site = Site::of("othello --moves f5");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.open(&site.play("alice"));
    alice.run("document.getElementById('say').focus()");
    alice.type_text("Good <b>luck</b>");
    site.env.ok("--as bob move 1 d6");
    until_shown(&alice, &site.env.history(1));
    assert_eq!(alice.text("document.activeElement.id"), "say");
    assert_eq!(alice.text("document.activeElement.value"), "Good <b>luck</b>");
    assert_eq!(alice.text("document.title"), "Your turn in game 1 against bob");
    // The comment is sent with the history of the updated page.
    alice.press("Tab");
    alice.press("Enter");
    alice.until("document.querySelector('.said')?.textContent === 'alice: Good <b>luck</b>'");
    alice.check_no_errors();
}

#[test]
fn what_is_typed_survives_an_own_move() {
    let site = Site::of("othello");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.open(&site.play("alice"));
    alice.run("document.getElementById('say').focus()");
    alice.type_text("Good luck");
    alice.run("document.getElementById('note').value = 'keep a1'");
    play_first(&alice);
    until("the move is made", || site.events() == 1);
    until_shown(&alice, &site.env.history(1));
    let typed = |id| alice.text(&format!("document.getElementById('{id}').value"));
    assert_eq!([typed("say"), typed("note")], ["Good luck", "keep a1"]);
    assert_eq!(alice.run("document.getElementById('do-note').open"), true);
    // A sent comment is removed from its field.
    alice.next_page(|| drop(alice.run("document.getElementById('say').form.requestSubmit()")));
    alice.until("document.querySelector('.said')?.textContent === 'alice: Good luck'");
    assert_eq!([typed("say"), typed("note")], ["", "keep a1"]);
    alice.check_no_errors();
}

#[test]
fn a_prefilled_field_follows_the_game_until_something_else_is_typed() {
    let site = Site::of("othello --moves f5");
    site.env.ok("--as alice plan 1 d6 c3");
    let Some(browser) = Chromium::start() else { return };
    let tab = browser.tab();
    tab.open(&site.play("alice"));
    let plan = || tab.text("document.getElementById('plan').value");
    assert_eq!(plan(), "d6 c3");
    site.env.ok("--as alice plan 1 d6 c4");
    let until_said = |words: &str| {
        site.env.ok(&format!("--as bob say 1 {words}"));
        tab.until(&format!("document.querySelector('.said')?.textContent.includes('{words}')"));
    };
    until_said("Hello");
    assert_eq!(plan(), "d6 c4");
    tab.run("document.getElementById('plan').value = 'd6 c5'");
    until_said("again");
    assert_eq!(plan(), "d6 c5");
}

/// The connections that a browser opens to a site.
const CONNECTIONS: usize = 6;

#[test]
fn a_hidden_page_holds_no_connection_and_shows_the_game_when_it_is_seen_again() {
    let site = Site::of("othello");
    let Some(browser) = Chromium::start() else { return };
    let tabs: Vec<_> = (0..=CONNECTIONS)
        .map(|number| {
            let tab = browser.tab();
            tab.open(&site.play(["alice", "bob"][number % 2]));
            tab.hide();
            tab
        })
        .collect();
    let start = site.env.history(1);
    site.env.ok("--as alice move 1 d3");
    tabs[0].show();
    until_shown(&tabs[0], &site.env.history(1));
    // The page follows the game again.
    site.env.ok("--as bob move 1 c3");
    until_shown(&tabs[0], &site.env.history(1));
    assert_eq!(tabs[1].text("document.querySelector('main').dataset.shown"), start);
}

#[test]
fn a_page_that_gets_no_stream_looks_again_later() {
    let site = Site::of("othello");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    let address = site.play("alice");
    alice.open(&address);
    alice.run("setTimeout = (again, wait) => { window.later = { again, wait }; }; true");
    alice.hide();
    // Other connections use all streams of this token.
    let path = &address[address.find("/play/").unwrap()..];
    let streams: Vec<_> = (0..4).map(|_| site.server.stream(&format!("{path}/events"))).collect();
    alice.show();
    let until_later = || alice.until("Boolean(window.later)");
    until_later();
    let wait = alice.run("later.wait").as_f64().unwrap();
    assert!((10_000.0..=30_000.0).contains(&wait), "{wait}");
    site.env.ok("--as alice move 1 d3");
    alice.run("{ const { again } = later; later = null; again(); }");
    until_shown(&alice, &site.env.history(1));
    until_later();
    drop(streams);
    // After its token is revoked, a page stays as it is.
    site.env.ok("rotate alice");
    alice.run(
        "{ const { again } = later; later = null; again().then(() => window.isDone = true); }",
    );
    alice.until("window.isDone");
    assert_eq!(alice.run("later"), serde_json::Value::Null);
    until_shown(&alice, &site.env.history(1));
}

#[test]
fn a_replay_says_what_its_move_cost() {
    let site = Site::of("mini --moves b1");
    site.env.ok("--as bob resign 1");
    site.env.ok("analyze 1");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.open(&format!("{}/1", site.play("alice")));
    let said = alice.text("document.querySelector('[aria-label=\"This move\"]').textContent");
    assert!(said.contains("Move 1 cost nothing. bob (white) can expect to win by 8."), "{said}");
    alice.press("ArrowLeft");
    alice.until("document.getElementById('news').textContent.includes('can expect to win by')");
}

#[test]
fn the_first_paint_needs_three_requests_and_little() {
    let site = Site::of("othello --moves f5d6c3d3c4f4f6f3");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.traffic();
    alice.open(&site.play("alice"));
    let (requests, bytes) = alice.traffic();
    assert!(requests <= 3, "{requests}");
    assert!((15_000..=30_000).contains(&bytes), "{bytes}");
}
