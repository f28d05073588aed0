//! The pages in a real browser.

mod accessible;
mod game;
mod keyboard;
mod own_page;
mod picture;
mod proxy;

use outflank_rules::Color;

use crate::harness::chromium::{Chromium, Tab};
use crate::harness::{ALICE, BOB, Purpose, Server, TestEnvironment};

/// The pages of game 1, which alice (black) plays against bob.
struct Site {
    env: TestEnvironment,
    server: Server,
}

impl Site {
    /// Begins the game with these arguments of `new`, and serves it.
    fn of(arguments: &str) -> Self {
        let env = TestEnvironment::new();
        let (variant, options) = arguments.split_once(' ').unwrap_or((arguments, ""));
        env.ok(&format!("new {variant} {ALICE} {BOB} {options}"));
        let server = Server::start(&env);
        Self { env, server }
    }

    /// Returns the address of this player's page of game 1.
    fn play(&self, player: &str) -> String {
        let token = self.env.token(Purpose::Page, player, 1, 0);
        format!("http://{}/play/{token}", self.server.address)
    }

    fn moves(&self) -> Vec<String> {
        self.env.moves(1)
    }

    /// Returns the number of events.
    fn events(&self) -> usize {
        self.env.stored(1).game.events().len()
    }

    fn turn(&self) -> Option<Color> {
        self.env.stored(1).game.turn()
    }
}

/// The buttons on the board, and the one that plays the chosen move.
const SQUARE: &str = "button[name=choose]";
const PLAY: &str = "#play button";

/// Waits until a tab shows the game with this history.
#[track_caller]
fn until_shown(tab: &Tab, history: &str) {
    tab.until(&format!("document.querySelector('main')?.dataset.shown === '{history}'"));
}

/// Waits until a tab shows a button that plays a move.
#[track_caller]
fn until_chosen(tab: &Tab) {
    tab.until(&format!("Boolean(document.querySelector('{PLAY}')?.offsetParent)"));
}

/// Chooses the first square that can be chosen, and plays there. Waits for the answer.
#[track_caller]
fn play_first(tab: &Tab) {
    tab.click(SQUARE);
    until_chosen(tab);
    tab.next_page(|| tab.click(PLAY));
}
