//! What `play` opens: a game that is there, or a new one.

use clap::Args;

use crate::command::RuleOptions;

/// Play at a board in the terminal: against the computer, a game of yours, or with two at one keyboard
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank play bot:6 --variant oddthello --white")]
pub struct Play {
    /// A game, a computer player, or two people [default: the game that you began last]
    #[arg(value_name = "GAME|bot:NAME|NAME NAME", num_args = 0..=2)]
    pub(crate) what: Vec<String>,
    /// The variant of a new game
    #[arg(long, value_name = "VARIANT", default_value = "othello", hide_default_value = true)]
    pub(crate) variant: String,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
    /// Play the white discs, and let the computer begin
    #[arg(long)]
    pub(crate) white: bool,
    /// Begin a new game, even if one is open
    #[arg(long)]
    pub(crate) new: bool,
}

/// The user of the system who plays.
#[derive(Debug, Clone)]
pub struct User {
    /// The number of the user.
    pub id: u32,
    /// The name, from which that of a new player is made.
    pub name: String,
}
