//! The names of computer players.

use std::fmt;
use std::str::FromStr;

use outflank_engine::Level;
use outflank_rules::quoted;

/// A computer player.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Bot {
    /// The program's own engine at one of its levels.
    Level(Level),
    /// An external program that the configuration names, in lower case.
    Program(String),
}

/// A text is not the name of a computer player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a computer player; use {LEVELS}", quoted(.0))]
pub struct BadBot(pub String);

/// The names of the levels, in a hint.
pub const LEVELS: &str = "bot:novice, bot:beginner, bot:learner, or bot:0 to bot:10";

/// The computer player for a first game.
pub const FIRST: &str = "bot:novice";

/// What the name of every computer player begins with.
const PREFIX: &str = "bot:";
/// The most characters in the name of an external program.
const LENGTH: usize = 32;

/// Returns the names of the levels that have words for names.
pub fn named_levels() -> impl Iterator<Item = &'static str> {
    Level::all().filter(|level| level.number().is_none()).map(Level::name)
}

/// Writes `bot:5`, `bot:novice` or `bot:ntest`.
impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(f, "{PREFIX}{level}"),
            Self::Program(name) => write!(f, "{PREFIX}{name}"),
        }
    }
}

/// Parses such a name, in either case. The name of a program begins with a letter; then come letters,
/// digits, `.`, `_` and `-`.
impl FromStr for Bot {
    type Err = BadBot;

    fn from_str(text: &str) -> Result<Self, BadBot> {
        let bad = || BadBot(text.to_owned());
        let lower = text.to_ascii_lowercase();
        let name = lower.strip_prefix(PREFIX).ok_or_else(bad)?;
        if let Ok(level) = name.parse() {
            return Ok(Self::Level(level));
        }
        let is_inner = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.len() <= LENGTH
            && name.bytes().all(is_inner);
        if is_name { Ok(Self::Program(name.to_owned())) } else { Err(bad()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_parses_to_its_bot() {
        for name in ["bot:0", "bot:10", "bot:novice", "bot:ntest", "bot:edax-4.6"] {
            assert_eq!(name.parse::<Bot>().map(|bot| bot.to_string()), Ok(name.to_owned()));
            assert_eq!(name.to_uppercase().parse::<Bot>(), name.parse());
        }
        assert!(matches!("bot:novice".parse(), Ok(Bot::Level(_))));
        for name in ["", "bot", "bot:", "bot:11", "bot:-1", "bot:5x", "alice", "bot:a b", "bot:é"]
        {
            assert_eq!(name.parse::<Bot>(), Err(BadBot(name.to_owned())), "{name}");
        }
    }
}
