use std::fmt;

use clap::Args;
use clap::builder::TypedValueParser;

use super::choice::one_of;
use outflank_rules::{Overrides, Size, Stuck};

/// Options that change the rules of a variant.
#[derive(Debug, Clone, Default, Args)]
pub struct RuleOptions {
    /// Board size: 3-99 rows, 3-26 columns
    #[arg(long, value_name = "ROWSxCOLUMNS")]
    pub size: Option<Size>,
    /// The player with fewer discs wins
    #[arg(long)]
    pub misere: bool,
    /// Allow discs on any empty cell; there are no passes
    #[arg(long)]
    pub anywhere: bool,
    /// Pass automatically or explicitly
    #[arg(long, value_name = "auto|explicit", hide_possible_values = true, value_parser = pass_rule())]
    pub pass: Option<Stuck>,
}

fn pass_rule() -> impl TypedValueParser<Value = Stuck> {
    one_of([("auto", Stuck::AutoPass), ("explicit", Stuck::MustPass)])
}

/// Writes the options as they are typed, with a space before each.
impl fmt::Display for RuleOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, misere, anywhere, pass } = self;
        if let Some(size) = size {
            write!(f, " --size {size}")?;
        }
        f.write_str(if *misere { " --misere" } else { "" })?;
        f.write_str(if *anywhere { " --anywhere" } else { "" })?;
        match pass.and_then(Stuck::pass_word) {
            Some(word) => write!(f, " --pass {word}"),
            None => Ok(()),
        }
    }
}

impl From<&RuleOptions> for Overrides {
    fn from(options: &RuleOptions) -> Self {
        Self {
            size: options.size,
            misere: options.misere,
            anywhere: options.anywhere,
            stuck: options.pass,
        }
    }
}
