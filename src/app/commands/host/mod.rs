//! The host's commands, and the commands of the host's shell.

pub(crate) mod address;
pub(crate) mod annul;
pub(crate) mod backup;
pub(crate) mod bots;
pub(crate) mod decision;
pub(crate) mod doctor;
pub(crate) mod engine;
pub(crate) mod extend;
pub(crate) mod forfeit;
pub(crate) mod inbox;
pub(crate) mod log;
pub(crate) mod mail;
pub(crate) mod new;
pub(crate) mod receive;
pub(crate) mod remove;
pub(crate) mod rotate;
pub(crate) mod send;
pub(crate) mod signup;
pub(crate) mod solve;
pub(crate) mod verify;

use crate::app::UseCase;
use crate::app::commands::player::PlayerCommand;

commands! {
    /// The commands of the host, in the shell only.
    HostCommand {
        "Host": {
            "new": New in new,
            "bots": Bots in bots,
            "solve": Solve in solve,
            "annul": Annul in annul,
            "forfeit": Forfeit in forfeit,
            "extend": Extend in extend,
            "signup": Signup in signup,
            "address": Address in address,
            "rotate": Rotate in rotate,
            "remove": Remove in remove,
            "engine": Engine in engine,
            "send": Send in send,
            "receive": Receive in self::receive,
            "inbox": Inbox in inbox,
            "mail": Mail in mail,
            "log": Log in self::log,
            "backup": Backup in backup,
            "verify": Verify in verify,
            "doctor": Doctor in self::doctor,
        }
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
    /// Returns the word of the command.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Player(command) => command.word(),
            Self::Host(command) => command.word(),
        }
    }

    /// Returns the command as a use case.
    pub fn use_case(&self) -> &dyn UseCase {
        match self {
            Self::Player(command) => command,
            Self::Host(command) => &**command,
        }
    }
}
