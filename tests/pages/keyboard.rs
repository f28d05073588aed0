//! The pages by keyboard alone, and as a screen reader finds them.

use super::{Chromium, SQUARE, Site, Tab, until_chosen, until_shown};
use crate::harness::until;

/// The most elements before the board that take the focus.
const MAX_STEPS: usize = 12;

/// Presses Tab until an element that matches has the focus.
#[track_caller]
fn tab_to(tab: &Tab, selector: &str) {
    for _ in 0..MAX_STEPS {
        tab.press("Tab");
        if tab.run(&format!("document.activeElement.matches('{selector}')")) == true {
            return;
        }
    }
    panic!("no {selector} in reach: {}", tab.text("document.activeElement.outerHTML"));
}

#[test]
fn a_move_is_made_by_keyboard_alone() {
    let Some(browser) = Chromium::start() else { return };
    for has_scripts in [true, false] {
        let site = Site::of("othello");
        let tab = browser.tab();
        let tab = if has_scripts { tab } else { tab.without_scripts() };
        tab.open(&site.play("alice"));
        tab_to(&tab, SQUARE);
        assert_eq!(tab.text("document.activeElement.value"), "d3");
        if has_scripts {
            for (key, square) in [
                ("ArrowDown", "c4"),
                ("ArrowRight", "d3"),
                ("ArrowRight", "f5"),
                ("ArrowDown", "e6"),
                ("ArrowUp", "f5"),
                ("ArrowUp", "d3"),
            ] {
                tab.press(key);
                assert_eq!(tab.text("document.activeElement.value"), square, "{key}");
            }
        }
        tab.press("Enter");
        until_chosen(&tab);
        // The button that plays gets the focus: on a page without scripts a moment after it is there.
        tab.until("document.activeElement.matches('#play button')");
        tab.press("Enter");
        until("the move is made", || site.events() == 1);
        until_shown(&tab, &site.env.history(1));
        assert_eq!(site.moves(), ["d3"]);
    }
}

#[test]
fn a_square_can_be_typed_instead() {
    let Some(browser) = Chromium::start() else { return };
    for has_scripts in [true, false] {
        let site = Site::of("othello --size 26x26 --anywhere");
        let tab = browser.tab();
        let tab = if has_scripts { tab } else { tab.without_scripts() };
        tab.open(&site.play("alice"));
        tab.run("document.getElementById('choose').focus()");
        tab.type_text("Z26");
        tab.press("Enter");
        until_chosen(&tab);
        assert_eq!(tab.text("document.getElementById('chosen').textContent"), "z26");
        assert_eq!(tab.text("document.getElementById('flips').textContent"), "flips no discs");
        tab.press("Enter");
        until("the move is made", || site.events() == 1);
        until_shown(&tab, &site.env.history(1));
        assert_eq!(site.moves(), ["z26"]);
    }
}

#[test]
fn arrow_keys_lead_through_a_replay() {
    let site = Site::of("othello --moves f5d6c3");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.open(&format!("{}/3", site.play("alice")));
    let until_after = |ply: usize| {
        alice.until(&format!(
            "document.querySelector('header p').textContent.includes('After move {ply} of 3')"
        ));
        alice.until(&format!("location.pathname.endsWith('/{ply}')"));
    };
    alice.run("window.isSame = true");
    alice.press("ArrowLeft");
    until_after(2);
    alice.press("ArrowLeft");
    until_after(1);
    alice.press("ArrowRight");
    until_after(2);
    assert_eq!(alice.run("window.isSame"), true);
    let said = alice.text("document.getElementById('news').textContent");
    assert!(said.contains("bob (white) took d6 and flipped 1 disc"), "{said}");
    // The link of a move keeps the focus while it is pressed again and again.
    alice.run("document.getElementById('back').focus()");
    alice.press("Enter");
    until_after(1);
    assert_eq!(alice.text("document.activeElement.id"), "back");
    // The link of a move in the list keeps it too; if the link disappears, another one gets the focus.
    alice.run("document.querySelector('.moves a[href$=\"/2\"]').focus()");
    alice.press("Enter");
    until_after(2);
    assert_eq!(alice.text("document.activeElement.textContent"), "2. d6");
    alice.run("document.getElementById('next').focus()");
    alice.press("Enter");
    until_after(3);
    assert_eq!(alice.text("document.activeElement.id"), "back");
    alice.check_no_errors();
}

#[test]
fn no_step_through_a_replay_is_lost_or_made_twice() {
    let site = Site::of("othello --moves f5d6c3d3c4f4f6f3e6e7d7g6g5c5f7");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    let address = site.play("alice");
    let shown = "document.querySelector('header p').textContent";
    let until_after = |ply: usize| {
        alice.until(&format!("{shown}.includes('After move {ply} of 15')"));
        alice.until(&format!("location.pathname.endsWith('/{ply}')"));
    };
    alice.open(&format!("{address}/0"));
    alice.run("window.isSame = true");
    for _ in 0..5 {
        alice.press("ArrowRight");
    }
    until_after(5);
    // Each step of a key that is held is an entry of the history, and there are no others.
    let before = alice.run("history.length").as_u64().unwrap();
    alice.hold("ArrowRight", 100);
    alice
        .until(&format!("{shown}.includes(`After move ${{location.pathname.split('/').pop()}} `)"));
    let steps = alice.run("location.pathname.split('/').pop() - 5").as_u64().unwrap();
    assert!(steps > 0);
    assert_eq!(alice.run("history.length").as_u64(), Some(before + steps));
    // After too many requests, the page stays.
    let path = &address[address.find("/play/").unwrap()..];
    while !site.server.status(path).contains("429") {}
    for _ in 0..10 {
        alice.press("ArrowLeft");
        assert_eq!(alice.run("window.isSame"), true);
    }
}

#[test]
fn a_screen_reader_finds_a_button_for_each_move() {
    let site = Site::of("othello --moves f5d6");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.open(&site.play("alice"));
    let buttons = alice.accessible("button");
    for button in [
        "c3, flips 1",
        "c4, flips 1",
        "c5, flips 1",
        "c6, flips 1",
        "c7, flips 1",
        "Choose",
        "Send",
    ] {
        assert!(buttons.contains(&button.to_owned()), "{button}: {buttons:?}");
    }
    let cells = alice.accessible("cell");
    let count = |text: &str| cells.iter().filter(|cell| **cell == text).count();
    assert_eq!((count("white, last move"), count("white, flipped"), count("black")), (1, 1, 3));
    assert_eq!(count("empty"), 53);
    assert!(alice.accessible("columnheader").contains(&"a".to_owned()));
    assert!(alice.accessible("rowheader").contains(&"8".to_owned()));
    assert_eq!(alice.accessible("heading")[0], "Your turn, alice");
}
