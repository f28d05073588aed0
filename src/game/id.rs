use std::fmt;
use std::str::FromStr;

/// The number by which a game is known: 1, 2, 3, …
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub i64);

/// What was written is no game number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no game number: games are numbered 1, 2, 3, ...")]
pub struct BadGameId(pub String);

/// Reads a positive integer.
impl FromStr for GameId {
    type Err = BadGameId;

    fn from_str(text: &str) -> Result<Self, BadGameId> {
        let plain = text.bytes().all(|b| b.is_ascii_digit());
        match text.parse() {
            Ok(id) if plain && id > 0 => Ok(Self(id)),
            _ => Err(BadGameId(text.to_owned())),
        }
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
