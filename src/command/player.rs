use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use super::reserved::reason;
use outflank_model::bot::{BadBot, Bot};
use outflank_rules::{Move, quoted};

/// A player's name: a letter, then up to 31 letters, digits, dots, underscores or hyphens. Words
/// with a meaning in the grammar are not names: [reserved words](super::reserved_words) and moves, even
/// with a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

/// A text is not a valid name for a player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// The text is empty, too long, or has a character that names cannot have.
    #[error(
        "{}; use a letter, then up to 31 letters, digits, dots, underscores or hyphens",
        self.reason()
    )]
    Malformed(String),
    /// The text has another meaning, such as "is a command" or "is a move".
    #[error("{}; choose another name", self.reason())]
    Reserved(String, &'static str),
}

impl BadName {
    /// Returns why the text is not a valid name, without a hint.
    pub fn reason(&self) -> String {
        match self {
            Self::Malformed(text) => format!("{} is not a valid name", quoted(text)),
            Self::Reserved(text, why) => format!("{} {why}", quoted(text)),
        }
    }
}

impl Name {
    const MAX_LENGTH: usize = 32;

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a free name for a new player with this local part of an address: the characters
    /// that a name may have, then the same with a number (`alice`, `alice2`, …).
    ///
    /// # Errors
    /// Those of `is_taken`.
    pub fn from_local_part<E>(
        local_part: &str,
        mut is_taken: impl FnMut(&Self) -> Result<bool, E>,
    ) -> Result<Self, E> {
        let allowed = local_part.chars().filter(|&c| Self::allows(c));
        let mut base: String =
            allowed.skip_while(|c| !c.is_ascii_alphabetic()).take(Self::MAX_LENGTH).collect();
        if base.is_empty() {
            base.push_str("player");
        }
        let (mut name, mut number) = match base.parse() {
            Ok(name) => (name, 1),
            Err(_) => (Self::numbered(&base, 2), 2),
        };
        while is_taken(&name)? {
            number += 1;
            name = Self::numbered(&base, number);
        }
        Ok(name)
    }

    /// Returns the base with a number. The result is a valid name even if the base is not.
    fn numbered(base: &str, number: u64) -> Self {
        let with = |suffix: String| {
            let kept = base.len().min(Self::MAX_LENGTH - suffix.len());
            format!("{}{suffix}", &base[..kept])
        };
        // `d2` is a move, `d_2` is not.
        with(number.to_string()).parse().unwrap_or_else(|_| Self(with(format!("_{number}"))))
    }

    /// Returns whether names can have this character.
    pub fn allows(c: char) -> bool {
        c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
    }
}

impl FromStr for Name {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let well_formed = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.len() <= Self::MAX_LENGTH
            && text.chars().all(Self::allows);
        // A mail may end a command with a full stop.
        let word = text.trim_end_matches('.');
        match reason(word).or_else(|| is_move(word).then_some("is a move")) {
            _ if !well_formed => Err(BadName::Malformed(text.to_owned())),
            Some(why) => Err(BadName::Reserved(text.to_owned(), why)),
            None => Ok(Self(text.to_owned())),
        }
    }
}

/// Returns whether a text is a move that a real game could reach. Labels from AAB to the right are
/// too far away, which keeps names such as `bob2`.
fn is_move(word: &str) -> bool {
    const AAB: i32 = 676;
    match word.parse() {
        Ok(Move::Place(cell)) => cell.column < AAB,
        Ok(Move::Pass) => true,
        Err(_) => false,
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An e-mail address: an addr-spec (RFC 5322) in ASCII, without a display name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(String);

/// A text is not an e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not an e-mail address; use one such as alice@example.org", quoted(.0))]
pub struct BadAddress(pub String);

impl Address {
    /// The longest address that fits in a path of RFC 5321.
    const MAX_LENGTH: usize = 254;

    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part before the `@`.
    pub fn local_part(&self) -> &str {
        self.0.rsplit_once('@').map_or(self.as_str(), |(local, _)| local)
    }
}

/// Returns an address without the part from a `+` on: `x+1@` and `x+2@` are one mailbox.
pub fn mailbox(address: &str) -> String {
    let Some((local, domain)) = address.rsplit_once('@') else { return address.to_owned() };
    let local = local.split('+').next().unwrap_or_default();
    format!("{local}@{domain}")
}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let plain = text.len() <= Self::MAX_LENGTH && text.bytes().all(|b| b.is_ascii_graphic());
        match text.parse::<lettre::Address>() {
            Ok(_) if plain => Ok(Self(text.to_owned())),
            _ => Err(BadAddress(text.to_owned())),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A reference to a player: a name, or an address if it contains `@`. The player may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerRef {
    /// The player with this name.
    Name(String),
    /// The player with this address.
    Address(String),
}

impl PlayerRef {
    /// Returns the reference as text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Name(text) | Self::Address(text) => text,
        }
    }
}

impl FromStr for PlayerRef {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let make = if text.contains('@') { Self::Address } else { Self::Name };
        Ok(make(text.to_owned()))
    }
}

/// A reference to who plays in a game: a person or a computer player, such as `bot:5`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideRef {
    /// This person.
    Person(PlayerRef),
    /// This computer player.
    Bot(Bot),
}

impl FromStr for SideRef {
    type Err = BadBot;

    fn from_str(text: &str) -> Result<Self, BadBot> {
        let Ok(player) = text.parse();
        match player {
            PlayerRef::Name(name) if names_bot(&name) => name.parse().map(Self::Bot),
            player => Ok(Self::Person(player)),
        }
    }
}

/// Returns whether a text names a computer player, known or not. Names of people have no colon.
pub fn names_bot(text: &str) -> bool {
    text.split_once(':').is_some_and(|(word, _)| word.eq_ignore_ascii_case("bot"))
}

impl fmt::Display for PlayerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
