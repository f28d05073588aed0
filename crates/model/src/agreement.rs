use crate::Opening;
use crate::time_control::Terms;
use outflank_rules::Variant;

/// What the players of a game agree on, besides the game itself with its rules and its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// The name of the variant: a label only, since the rules are those of the game.
    pub variant: String,
    /// Whether the game begins in a position other than the one of the rules.
    pub custom_start: bool,
    /// How its opening is chosen when it begins; `None` if the players make all moves.
    pub opening: Option<Opening>,
    /// Its terms about time.
    pub terms: Terms,
    /// Whether the result counts for the players' ratings.
    pub rated: bool,
}

impl Agreement {
    /// Returns the agreement on an unrated game of this variant without a clock, from the start of the rules.
    pub fn on(variant: &Variant) -> Self {
        let (variant, terms) = (variant.name.to_owned(), Terms::default());
        Self { variant, custom_start: false, opening: None, terms, rated: false }
    }

    /// Returns the title of the variant.
    pub fn title(&self) -> &str {
        Variant::title_of(&self.variant)
    }
}
