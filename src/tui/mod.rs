//! The board that fills the terminal.
//!
//! [`Model`](model::Model) is the state of the screen, pure: it takes events of the terminal and updates of
//! the game, and returns requests. Other threads carry out the requests, so that the screen never freezes.

mod board;
mod draw;
mod keys;
mod list;
pub mod look;
pub mod model;
mod page;
mod panel;
pub mod request;
mod terminal;
mod text;
mod worker;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use ratatui::crossterm::event::KeyCode;
use signal_hook::consts::SIGHUP;
use signal_hook::low_level::emulate_default_handler;

use crate::app::{Error, LiveGame, Seat};
use look::Look;
use model::Model;
use request::{Request, Update};
use terminal::{Input, Screen};
use worker::Workers;

/// How often an idle screen checks whether its terminal was closed.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A message to the screen.
enum Message {
    Input(Input),
    Update(Box<Update>),
}

/// Fills the terminal with a game of this seat until the player leaves. Over ssh, nothing stops the
/// program for a while. A signal that ends programs ends this one when the terminal is as it was, and so
/// does a closed terminal.
///
/// # Errors
/// When the terminal cannot be used, or the database cannot be opened for the threads.
pub fn run(seat: Seat, live: LiveGame, look: Look, over_ssh: bool) -> Result<(), Error> {
    let (send, messages) = mpsc::channel();
    let updates = send.clone();
    let notify = Arc::new(move |update| drop(updates.send(Message::Update(Box::new(update)))));
    let mut workers = Workers::start(seat, live.clone(), notify)?;
    let is_job = !over_ssh && terminal::is_job().map_err(unusable)?;
    let mut model = Model::new(live, look, is_job);
    terminal::listen(move |input| send.send(Message::Input(input)).is_ok()).map_err(unusable)?;
    let mut screen = Screen::open().map_err(unusable)?;
    let end = show(&mut screen, &mut model, &mut workers, &messages, is_job);
    let end = if screen.is_lost() { Ok(Some(SIGHUP)) } else { end };
    workers.stop();
    drop(screen);
    workers.finish();
    match end? {
        Some(signal) => emulate_default_handler(signal).map_err(unusable),
        None => Ok(()),
    }
}

/// Shows the board until the player leaves or the terminal is closed. Returns the signal that ends the
/// program, if one does. `is_job` says whether a shell continues the program after a stop.
fn show(
    screen: &mut Screen,
    model: &mut Model,
    workers: &mut Workers,
    messages: &Receiver<Message>,
    is_job: bool,
) -> Result<Option<i32>, Error> {
    loop {
        screen.draw(|frame| model.draw(frame)).map_err(unusable)?;
        let first = loop {
            let message = messages.recv_timeout(CHECK_INTERVAL);
            if screen.is_lost() {
                return Ok(None);
            }
            if let Ok(message) = message {
                break message;
            }
        };
        for message in [first].into_iter().chain(messages.try_iter()) {
            let request = match message {
                Message::Input(Input::Event(event)) => {
                    if event.as_key_press_event().is_some_and(|key| key.code == KeyCode::Esc) {
                        workers.stop_search();
                    }
                    model.handle(event)
                }
                Message::Input(Input::End(signal)) => return Ok(Some(signal)),
                Message::Input(Input::Failed(error)) => return Err(error),
                Message::Input(Input::Stop) => Some(Request::Suspend),
                Message::Input(Input::Continued) => {
                    screen.resume().map_err(unusable)?;
                    None
                }
                Message::Update(update) => model.update(*update),
            };
            match request {
                Some(Request::Leave) => return Ok(None),
                Some(Request::Suspend) if is_job => screen.suspend().map_err(unusable)?,
                Some(request) => workers.carry_out(request),
                None => {}
            }
        }
    }
}

fn unusable(error: io::Error) -> Error {
    Error::fault(format!("cannot use the terminal: {error}"))
}
