use clap::{Args, ValueEnum};

use crate::game::{Overrides, Size, Stuck};

/// Options that change the rules of a variant.
#[derive(Debug, Clone, Default, Args)]
pub struct RuleOptions {
    /// Board size: 3-99 rows, 3-26 columns
    #[arg(long, value_name = "ROWSxCOLUMNS")]
    pub size: Option<Size>,
    /// The player with fewer discs wins
    #[arg(long)]
    pub misere: bool,
    /// Allow discs on any empty cell; nobody ever passes
    #[arg(long)]
    pub anywhere: bool,
    /// Pass automatically or with an explicit move
    #[arg(long, value_name = "auto|explicit", hide_possible_values = true)]
    pub pass: Option<PassRule>,
}

/// What happens to a player of a rectangular variant who cannot place a disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PassRule {
    /// Passes automatically.
    Auto,
    /// Must pass with an explicit move.
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
