//! Lines that are typed at a board.

use crate::app::live::board::LiveGame;
use crate::app::live::open::Play;
use crate::app::{Error, Known, Line, PlayerCommand, Shown};

/// A line that was typed at a board.
#[derive(Debug)]
pub enum Typed {
    /// No words.
    Blank,
    /// A command.
    Command(Box<PlayerCommand>),
    /// `play`, to open another game.
    Play(Box<Play>),
}

impl LiveGame {
    /// Parses a line that was typed at this board. An answer is for the offer on it.
    ///
    /// # Errors
    /// [`Error`] that says why it is not a command.
    pub fn typed(&self, line: &str) -> Result<Typed, Error> {
        let (word, words) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        if word.eq_ignore_ascii_case("play") {
            return Play::parse(words).map(Box::new).map(Typed::Play);
        }
        let mut command = Line::typed(line, self.moment)?;
        if let Some(command) = &mut command
            && matches!(**command, PlayerCommand::Accept(_) | PlayerCommand::Decline(_))
            && command.concerns().game() == Some(self.id)
        {
            command.bind(Shown::Offer(Known::AtBoard(self.game.events().len())));
        }
        Ok(command.map_or(Typed::Blank, Typed::Command))
    }
}
