use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::app::{Error, HostCommand, PlayerCommand, Reply, Session, UseCase};
use crate::command::PlayerRef;

/// Play Othello and its family by mail: moves from a shell, turns told by e-mail
#[derive(Debug, Parser)]
#[command(name = "outflank", version, max_term_width = 100)]
#[command(after_help = "`outflank help COMMAND` tells more about a command.")]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: Global,
}

/// What may stand before or after any command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct Global {
    /// The database [default: outflank.db in the XDG data folder]
    #[arg(long, global = true, value_name = "FILE", env = "OUTFLANK_DB", hide_env = true)]
    pub db: Option<PathBuf>,
    /// The configuration [default: outflank/config.toml in the XDG config folder]
    #[arg(long, global = true, value_name = "FILE", env = "OUTFLANK_CONFIG", hide_env = true)]
    pub config: Option<PathBuf>,
    /// Act for this player only [default: for whoever is on turn]
    #[arg(long = "as", global = true, value_name = "NAME", env = "OUTFLANK_AS", hide_env = true)]
    pub actor: Option<PlayerRef>,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Draw arrows in ASCII
    #[arg(long, global = true)]
    pub ascii: bool,
    /// When to use colour: auto, always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub color: When,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum When {
    Auto,
    Always,
    Never,
}

/// Every command that the shell knows.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    #[command(flatten)]
    Player(PlayerCommand),
    #[command(flatten)]
    Host(HostCommand),
}

impl UseCase for Command {
    fn check(&self, actor: Option<&PlayerRef>) -> Result<(), Error> {
        match self {
            Self::Player(command) => command.check(actor),
            Self::Host(command) => command.check(actor),
        }
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        match self {
            Self::Player(command) => command.run(session),
            Self::Host(command) => command.run(session),
        }
    }
}
