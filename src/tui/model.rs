//! What is on the screen, and what events and updates change there.

use ratatui::Frame;
use ratatui::crossterm::event::Event;

use crate::app::LiveGame;
use crate::tui::look::Look;
use crate::tui::request::{Request, Update};

/// What is on the screen.
#[derive(Debug)]
pub struct Model {
    live: LiveGame,
    look: Look,
    suspendable: bool,
}

impl Model {
    /// Returns the screen that shows a game. `suspendable` says whether Ctrl-Z stops the program.
    pub fn new(live: LiveGame, look: Look, suspendable: bool) -> Self {
        Self { live, look, suspendable }
    }

    /// Changes what is on the screen after an event of the terminal, and returns what it asks for.
    pub fn handle(&mut self, event: Event) -> Option<Request> {
        let _ = event;
        None
    }

    /// Changes what is on the screen after an update, and returns what follows from it: after a
    /// rematch, to open the new game.
    pub fn update(&mut self, update: Update) -> Option<Request> {
        if let Update::Game(live) = update {
            self.live = *live;
        }
        None
    }

    /// Draws the screen, and remembers for the mouse what is where.
    pub fn draw(&mut self, frame: &mut Frame) {
        let text = format!("{:?} {} {}", self.look, self.suspendable, self.live.title);
        frame.render_widget(text, frame.area());
    }
}
