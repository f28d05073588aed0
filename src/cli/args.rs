use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::app::{HostCommand, PlayerCommand};
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
    #[command(flatten)]
    pub manner: Manner,
}

/// What only the host may say, before or after any command.
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
}

/// How an answer is to look.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct Manner {
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
    Ssh(Ssh),
}

/// Carry out what one player asks for over ssh (a forced command of sshd)
#[derive(Debug, Args)]
#[command(after_help = "What is asked for is in SSH_ORIGINAL_COMMAND; without it: games.")]
pub(super) struct Ssh {
    /// The player whose key it is
    #[arg(value_name = "NAME")]
    pub player: PlayerRef,
}

/// What a player can say over ssh.
#[derive(Debug, Parser)]
#[command(name = "", no_binary_name = true, term_width = 80)]
#[command(disable_help_subcommand = true)]
#[command(after_help = "`help COMMAND` tells more about a command.")]
pub(super) struct Line {
    #[command(subcommand)]
    pub command: PlayerCommand,
    #[command(flatten)]
    pub manner: Manner,
}
