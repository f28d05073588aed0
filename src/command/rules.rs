use clap::{Args, ValueEnum};

use crate::game::{Overrides, Size, Stuck};

/// What a game changes in its variant's rules.
#[derive(Debug, Clone, Default, Args)]
pub struct RuleOptions {
    /// Another board size: 3-99 rows, 3-26 columns
    #[arg(long, value_name = "ROWSxCOLUMNS")]
    pub size: Option<Size>,
    /// Fewer discs win
    #[arg(long)]
    pub misere: bool,
    /// Any empty cell may be taken; there are no passes
    #[arg(long)]
    pub anywhere: bool,
    /// Whether a pass happens by itself or is a move that must be made
    #[arg(long, value_name = "auto|explicit", hide_possible_values = true)]
    pub pass: Option<PassRule>,
}

/// What happens to a player of a rectangular variant who cannot place a disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PassRule {
    /// Passes by itself.
    Auto,
    /// Must pass.
    Explicit,
}

impl From<PassRule> for Stuck {
    fn from(rule: PassRule) -> Self {
        match rule {
            PassRule::Auto => Self::AutoPass,
            PassRule::Explicit => Self::MustPass,
        }
    }
}

impl From<&RuleOptions> for Overrides {
    fn from(options: &RuleOptions) -> Self {
        Self {
            size: options.size,
            misere: options.misere,
            anywhere: options.anywhere,
            stuck: options.pass.map(Stuck::from),
        }
    }
}
