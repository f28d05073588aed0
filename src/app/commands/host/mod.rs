//! The host's commands, and the commands of the host's shell.

pub(crate) mod address;
pub(crate) mod annul;
pub(crate) mod backup;
mod club;
pub(crate) mod decision;
pub(crate) mod doctor;
pub(crate) mod engine;
pub(crate) mod extend;
pub(crate) mod forfeit;
pub(crate) mod handover;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod log;
pub(crate) mod mail;
pub(crate) mod new;
pub(crate) mod receive;
pub(crate) mod remove;
pub(crate) mod rotate;
pub(crate) mod send;
mod signed;
pub(crate) mod signup;
pub(crate) mod solve;
pub(crate) mod takeover;
pub(crate) mod verify;

use crate::app::commands::player::PlayerCommand;
use crate::app::effects::change::Asked;
use crate::app::run::traits::Traits;
use crate::app::run::use_case::{AtBoard, Concerns, Shown, UseCase};
use crate::app::{Error, LogFormat, Reply, Session, find};

commands! {
    /// The commands of the host, in the shell only.
    HostCommand {
        New in new,
        Solve in solve,
        Annul in annul,
        Forfeit in forfeit,
        Extend in extend,
        Signup in signup,
        Address in address,
        Rotate in rotate,
        Remove in remove,
        Engine in engine,
        Send in send,
        Receive in self::receive,
        Inbox in inbox,
        Mail in mail,
        Log in self::log,
        Import in import,
        Backup in backup,
        Handover in handover,
        Takeover in takeover,
        Verify in verify,
        Doctor in self::doctor,
    }
}

/// A command of a player or of the host.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum AnyCommand {
    #[allow(missing_docs, reason = "clap takes the help from the commands")]
    #[command(flatten)]
    Player(PlayerCommand),
    #[allow(missing_docs, reason = "clap takes the help from the commands")]
    #[command(flatten)]
    Host(Box<HostCommand>),
}

impl AnyCommand {
    /// Returns whether a word is suggested for a similar one, if it is that of a command.
    pub fn is_suggested(word: &str) -> bool {
        PlayerCommand::is_suggested(word) && HostCommand::is_suggested(word)
    }

    /// Returns the traits of the command.
    pub const fn traits(&self) -> &'static Traits {
        match self {
            Self::Player(command) => command.traits(),
            Self::Host(command) => command.traits(),
        }
    }

    /// Returns the format of the command's log, if it runs until stopped.
    pub fn log(&self) -> Option<LogFormat> {
        match self {
            Self::Player(command) => command.log(),
            Self::Host(command) => command.log(),
        }
    }

    /// Runs the command. After an error nothing has changed.
    ///
    /// # Errors
    /// [`Error`] that says why it was not carried out.
    pub fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        match self {
            Self::Player(command) => command.run(session),
            Self::Host(command) => command.run(session),
        }
    }
}
