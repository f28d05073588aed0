//! Options for the rules of a game, as `outflank new` has them.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use outflank_rules::{Overrides, Rules, Size, Stuck, Variant};

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
    /// Pass automatically or with an explicit move
    #[arg(long, value_parser = pass_rule())]
    pub pass: Option<Stuck>,
}

fn pass_rule() -> impl TypedValueParser<Value = Stuck> {
    PossibleValuesParser::new(["auto", "explicit"]).map(|word| match word.as_str() {
        "auto" => Stuck::AutoPass,
        _ => Stuck::MustPass,
    })
}

impl RuleOptions {
    /// Returns the rules of a variant with these options.
    pub fn rules(&self, variant: &str) -> Result<Rules, String> {
        let &Self { size, misere, anywhere, pass: stuck } = self;
        let variant = Variant::named(variant).map_err(|error| error.to_string())?;
        let overrides = Overrides { size, misere, anywhere, stuck };
        variant.rules(&overrides).map_err(|error| error.to_string())
    }
}
