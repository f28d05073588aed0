//! A command as the code that runs it sees it.

use chrono::{DateTime, Utc};

use crate::app::effects::change::{Asked, Change, Decision};
use crate::app::{Error, LogFormat, Reply, Session, Traits};
use crate::command::Play;
use outflank_model::Moment;
use outflank_model::log::GameId;

/// A command with its arguments.
pub(crate) trait UseCase {
    /// Its traits, whatever its arguments are.
    const TRAITS: Traits;

    /// Returns which game the command concerns, and how.
    fn concerns(&self) -> Concerns {
        Concerns::NoGame
    }

    /// Returns the format of the command's log, if it runs until stopped.
    fn log(&self) -> Option<LogFormat> {
        None
    }

    /// Binds the command to the contents of the mail that it answers.
    fn bind(&mut self, _to: Shown) {}

    /// Returns the question that a board asks before it runs the command, if it asks one.
    fn question(&self, _at: &AtBoard) -> Option<String> {
        None
    }

    /// Decides on the command's events in its game. It only reads: [`UseCase::run`] stores the decision in
    /// the same transaction.
    ///
    /// # Errors
    /// [`Error`] that says why the command is refused.
    fn decide(&self, _change: &Change) -> Result<Decision, Error> {
        Err(Error::fault("this command changes no game"))
    }

    /// Refuses a command that a board or a page must not offer now. Its other arguments do not matter.
    ///
    /// # Errors
    /// [`Error`] that says why the command is refused.
    fn check(&self, asked: &Asked) -> Result<(), Error> {
        self.decide(&asked.change).map(drop)
    }

    /// Runs the command. After an error nothing has changed.
    ///
    /// # Errors
    /// [`Error`] that says why it was not carried out.
    fn run(&self, session: &mut Session) -> Result<Reply, Error>;
}

/// The board at which a command is given.
#[derive(Debug, Clone, Copy)]
pub struct AtBoard<'a> {
    /// The player to move in the game of the command, with the colour, if two people play it at this board.
    pub turn: Option<&'a str>,
    /// Whether two people are at this board.
    pub is_shared: bool,
    /// Whether a computer player plays at it.
    pub has_bot: bool,
}

/// The part of a mail that binds a command in the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The position of its game. A move that has a number is not bound to it.
    Position(Moment),
    /// A position of a digest, which writes moves with their number.
    Drawn(Moment),
    /// The offer that was open, if one was.
    Offer(Known),
    /// The command itself, which the mail asked to confirm.
    Command,
}

/// The state of a game that a mail or a board knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// So many events, in a mail.
    Events(usize),
    /// So many events, at a board that the player looks at.
    AtBoard(usize),
    /// The events before this time.
    Before(DateTime<Utc>),
    /// No event: it was about the challenge with the game's number.
    Challenge,
}

impl Shown {
    /// Returns the position that a move with this number, or without one, is for.
    pub(crate) fn position_for(self, ply: Option<usize>) -> Option<Moment> {
        match self {
            Self::Position(at) => Some(at).filter(|_| ply.is_none()),
            Self::Drawn(at) => Some(at).filter(|at| ply.is_none_or(|ply| ply == at.ply + 1)),
            Self::Offer(_) | Self::Command => None,
        }
    }

    /// Returns the mail's knowledge of offers.
    pub(crate) fn known(self) -> Option<Known> {
        match self {
            Self::Offer(known) => Some(known),
            Self::Position(_) | Self::Drawn(_) | Self::Command => None,
        }
    }
}

/// Which game a command concerns, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concerns {
    /// None in particular.
    NoGame,
    /// This game, which it shows or adds something to.
    About(GameId),
    /// This game, which it changes, but not by moves. Mails report that to both players.
    Changes(GameId),
    /// The game of these moves, which it makes.
    Plays(Play),
}

impl Concerns {
    /// Returns the game.
    pub const fn game(&self) -> Option<GameId> {
        match self {
            Self::NoGame => None,
            Self::About(game) | Self::Changes(game) => Some(*game),
            Self::Plays(play) => Some(play.game),
        }
    }

    /// Returns whether the command changes the game, so that mails report it to both players.
    pub const fn is_change(&self) -> bool {
        matches!(self, Self::Changes(_) | Self::Plays(_))
    }

    /// Returns the moves that the command makes.
    pub(in crate::app) const fn play(&self) -> Option<&Play> {
        match self {
            Self::Plays(play) => Some(play),
            _ => None,
        }
    }
}
