use std::fmt;
use std::str::FromStr;

use outflank_rules::{parse_digits, quoted};

/// The number of a game: 1, 2, 3, …
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub i64);

/// A text is not a game number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a game number; use a positive integer, such as 12", quoted(.0))]
pub struct BadGameId(pub String);

/// Parses a positive integer.
impl FromStr for GameId {
    type Err = BadGameId;

    fn from_str(text: &str) -> Result<Self, BadGameId> {
        let id = parse_digits(text).filter(|&id| id > 0);
        id.map(Self).ok_or_else(|| BadGameId(text.to_owned()))
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
