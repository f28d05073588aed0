//! From the own page through the games that wait, as one player does it.

use outflank::mail::token::Claims;
use outflank_model::log::Action;

use super::{Chromium, PLAY, SQUARE, until_chosen};
use crate::harness::{ALICE, BOB, CAROL, Purpose, Server, TestEnvironment, first_version, until};

#[test]
fn a_player_plays_all_games_from_the_own_page() {
    let env = TestEnvironment::new().config("[web]\npublic = true");
    env.ok(&format!("new othello {ALICE} {BOB} --clock 1d"));
    env.ok(&format!("new mini alice {CAROL} --moves b1"));
    env.ok("new mini alice bob --clock 2d");
    let server = Server::start(&env);
    let Some(browser) = Chromium::start() else { return };
    let (alice, onlooker) = (browser.tab(), browser.tab());
    let known = Some(env.now().timestamp().unsigned_abs());
    let (player, number) = (Some(env.player_id("alice")), 0);
    let claims = Claims { purpose: Purpose::Desk, player, number, event: 0, known, asks: false };
    let desk = format!("/me/{}", first_version(claims, env.secret("alice")));
    onlooker.open(&format!("http://{}/game/1", server.address));
    onlooker.run("window.isSame = true");
    alice.open(&format!("http://{}{desk}", server.address));
    // The most urgent game is on top; a move and words are one step.
    alice.next_page(|| alice.click(".list tbody tr a"));
    assert_eq!(alice.text("location.pathname"), format!("{desk}/1"));
    alice.click(SQUARE);
    until_chosen(&alice);
    alice.run("document.getElementById('with').focus()");
    alice.type_text("Good luck");
    alice.next_page(|| alice.click(PLAY));
    until("the move is made", || env.plies(1) == 1);
    let events = env.stored(1).game.events().to_vec();
    assert_eq!(events[0].action, Action::Say("Good luck".to_owned()));
    // Everybody sees it at once.
    let shown = "document.querySelector('header p').textContent.startsWith('After move 1 of 1')";
    onlooker.until(shown);
    assert_eq!(onlooker.run("window.isSame"), true);
    // An answer is planned by clicks.
    alice.until("Boolean(document.querySelector('a[href$=\"?plan=\"]'))");
    for square in ["a[href$='?plan=']", SQUARE_OF_A_PLAN, SQUARE_OF_A_PLAN, ".notice .go"] {
        alice.next_page(|| alice.click(square));
    }
    until("the plan is kept", || env.json("--as alice plan 1")["branches"][0].is_array());
    // Then comes the next game that waits.
    alice.next_page(|| alice.click("#next"));
    assert_eq!(alice.text("location.pathname"), format!("{desk}/3"));
    alice.check_no_errors();
    onlooker.check_no_errors();
}

/// A square that adds a move to a plan.
const SQUARE_OF_A_PLAN: &str = "button[name=plan]";

#[test]
fn boards_fit_on_a_phone_upright_and_sideways() {
    let env = TestEnvironment::new();
    for size in ["4x4", "8x8", "10x10"] {
        env.ok(&format!("new othello {ALICE} {BOB} --size {size}"));
    }
    let server = Server::start(&env);
    let Some(browser) = Chromium::start() else { return };
    let tab = browser.tab();
    for (width, height) in [(390, 844), (844, 390), (667, 320)] {
        for game in 1..=3 {
            let token = env.token(Purpose::Page, "alice", game, 0);
            tab.size(width, height);
            tab.open(&format!("http://{}/play/{token}", server.address));
            let fits = "(() => {
                const [frame, board] = ['.frame', '.board'].map(it => document.querySelector(it));
                const { width, height } = board.getBoundingClientRect();
                return frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight
                    && width <= innerWidth && height <= innerHeight;
            })()";
            assert_eq!(tab.run(fits), true, "game {game} at {width}x{height}");
        }
    }
}
