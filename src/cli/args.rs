use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::app::{HostCommand, PlayerCommand, UseCase};
use crate::command::PlayerRef;

/// Play Othello and its family by mail: moves from a shell, turns told by e-mail
#[derive(Debug, Parser)]
#[command(name = "outflank", version, term_width = 80)]
#[command(disable_help_subcommand = true)]
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
    /// The database [or OUTFLANK_DB; default: outflank.db in the XDG data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// The configuration [or OUTFLANK_CONFIG; default: config.toml in the XDG config folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Act for this player only [or OUTFLANK_AS; default: for whoever is on turn]
    #[arg(long = "as", global = true, value_name = "NAME")]
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
    Help(Help),
}

/// Tell more about a command
#[derive(Debug, Args)]
pub(super) struct Help {
    /// The command
    command: Option<String>,
}

impl Command {
    /// What is to be done, or what is to be told.
    pub(super) fn use_case(&self) -> Result<&dyn UseCase, &Help> {
        match self {
            Self::Player(command) => Ok(command),
            Self::Host(command) => Ok(command),
            Self::Help(help) => Err(help),
        }
    }
}

impl Help {
    /// The help of the command, or of all; `Err` names a command that there is not.
    pub(super) fn text(&self) -> Result<String, &str> {
        let mut program = Arguments::command();
        program.build();
        let told = match &self.command {
            Some(name) => program.find_subcommand_mut(name).ok_or(name.as_str())?,
            None => &mut program,
        };
        let long = told.get_long_about().is_some();
        let text = if long { told.render_long_help() } else { told.render_help() };
        Ok(text.to_string().trim_end().to_owned())
    }
}
