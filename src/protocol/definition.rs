use std::io;
use std::time::Duration;

use super::inbox::Inbox;
use super::record::Record;
use super::session::EngineSession;
use outflank_rules::Move;

/// A protocol.
#[derive(Debug, Clone, Copy)]
pub struct Protocol {
    /// The name in commands and in the configuration.
    pub name: &'static str,
    pub(super) responder: fn() -> Box<dyn Responder>,
    pub(super) questioner: fn(depth: u32) -> Box<dyn Questioner>,
    pub(super) interrupts: fn(&str) -> bool,
}

impl Protocol {
    /// Returns an inbox for the lines of a dialogue.
    pub fn inbox(&self) -> Inbox {
        Inbox::new(self.interrupts)
    }

    /// Answers the lines of the session's inbox until the other side quits or closes it.
    ///
    /// # Errors
    /// The error of printing a line, when the other side has closed the connection.
    pub fn respond(&self, session: &mut EngineSession) -> io::Result<()> {
        let mut responder = (self.responder)();
        while let Some(line) = session.next_line() {
            if responder.handle(&line, session)? == Next::Quit {
                break;
            }
        }
        Ok(())
    }

    /// Returns the side that asks another program for moves. `depth` limits its search if the
    /// protocol can express that.
    pub fn questioner(&self, depth: u32) -> Box<dyn Questioner> {
        (self.questioner)(depth)
    }
}

/// Whether a dialogue continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Line,
    Quit,
}

/// The side that plays.
pub trait Responder {
    /// Handles a line. An unknown line is no error: the protocol says how to answer it, or to ignore
    /// it.
    fn handle(&mut self, line: &str, session: &mut EngineSession) -> io::Result<Next>;
}

/// The side that asks a program for a move.
pub trait Questioner: Send {
    /// Returns the lines that send the game to the program and ask for a move of the player to move.
    ///
    /// # Errors
    /// [`Unsuitable`] if the protocol cannot describe the game.
    fn question(&mut self, record: &Record, per_move: Duration) -> Result<Vec<String>, Unsuitable>;

    /// Reads a line of the program. Returns its move, or `None` if this line holds no answer.
    ///
    /// # Errors
    /// The answer, if it is not a move.
    fn answer(&mut self, line: &str) -> Result<Option<Move>, String>;
}

/// A protocol cannot describe a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the protocol {protocol} cannot describe {what}")]
pub struct Unsuitable {
    /// The protocol.
    pub protocol: &'static str,
    /// What it cannot describe.
    pub what: &'static str,
}
