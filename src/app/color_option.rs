use std::str::FromStr;

use outflank_rules::Color;

/// The value of `--color`, which has two meanings: when output is in colour and, for `challenge`, which
/// colour the challenger wants. Behind that command both are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorOption {
    /// Output is in colour on a terminal.
    Auto,
    /// Output is in colour.
    Always,
    /// Output is not in colour.
    Never,
    /// The challenger wants this colour.
    Player(Color),
    /// The challenger leaves the colour to chance.
    Random,
}

impl ColorOption {
    /// The words that say when output is in colour.
    pub const OUTPUT: [&str; 3] = ["auto", "always", "never"];

    /// Returns the colour that a challenger wants; `None` for either.
    pub(crate) const fn wanted(self) -> Option<Color> {
        match self {
            Self::Player(color) => Some(color),
            _ => None,
        }
    }
}

impl FromStr for ColorOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        Ok(match text {
            "auto" => Self::Auto,
            "always" => Self::Always,
            "never" => Self::Never,
            "black" => Self::Player(Color::Black),
            "white" => Self::Player(Color::White),
            "random" => Self::Random,
            _ => return Err("--color is black, white or random"),
        })
    }
}
