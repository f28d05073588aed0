use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// A player's name: a letter, then up to 31 letters, digits, dots, underscores or hyphens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

/// What was written is no name for a player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no name: a name is a letter and up to 31 letters, digits, `.`, `_` or `-`")]
pub struct BadName(pub String);

impl Name {
    /// The most characters a name has.
    pub const MAX: usize = 32;

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The characters of a text that a name may have, beginning with the first letter, at most
    /// [`Name::MAX`] of them; `None` when there is no letter.
    #[must_use]
    pub fn within(text: &str) -> Option<Self> {
        let kept =
            text.chars().filter(|&c| Self::allows(c)).skip_while(|c| !c.is_ascii_alphabetic());
        kept.take(Self::MAX).collect::<String>().parse().ok()
    }

    /// The name of somebody whose address has no letter to make one of.
    #[must_use]
    pub fn fallback() -> Self {
        Self("player".to_owned())
    }

    /// This name with a number behind it, its end cut off where it would be too long.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Self {
        let number = number.to_string();
        let kept = self.0.len().min(Self::MAX - number.len());
        Self(format!("{}{number}", &self.0[..kept]))
    }

    fn allows(c: char) -> bool {
        c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
    }
}

impl FromStr for Name {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let good = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.len() <= Self::MAX
            && text.chars().all(Self::allows);
        if good { Ok(Self(text.to_owned())) } else { Err(BadName(text.to_owned())) }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An e-mail address: the addr-spec of RFC 5322 in ASCII, without a display name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(String);

/// What was written is no e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no e-mail address: write it like alice@example.org")]
pub struct BadAddress(pub String);

impl Address {
    /// The longest address that fits the path of RFC 5321.
    const MAX: usize = 254;

    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands before the `@`.
    #[must_use]
    pub fn local_part(&self) -> &str {
        self.0.rsplit_once('@').map_or(self.as_str(), |(local, _)| local)
    }
}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let plain = text.len() <= Self::MAX && text.bytes().all(|b| b.is_ascii_graphic());
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

/// How a player is named in a command: by name, or by address when there is an `@` in it.
/// Whether there is such a player is for the store to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerRef {
    /// By name.
    Name(String),
    /// By address.
    Address(String),
}

impl PlayerRef {
    /// What was written.
    #[must_use]
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

impl fmt::Display for PlayerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_plain_words() {
        for good in ["a", "Alice", "al.ice_b-2", &"x".repeat(32)] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in ["", "2a", "-a", "a b", "a\n", "a\u{7}", "é", &"x".repeat(33), "a@b", "a\0"] {
            assert_eq!(bad.parse::<Name>(), Err(BadName(bad.to_owned())), "{bad:?}");
        }
    }

    #[test]
    fn a_name_is_made_of_what_it_may_have() {
        let within = |text| Name::within(text).map(|name| name.to_string());
        assert_eq!(within("alice+games"), Some("alicegames".to_owned()));
        assert_eq!(within("007.bond"), Some("bond".to_owned()));
        assert_eq!(within("42"), None);
        assert_eq!(within(&"y".repeat(40)), Some("y".repeat(32)));
        let long: Name = "y".repeat(32).parse().unwrap();
        assert_eq!(long.numbered(12).as_str(), format!("{}12", "y".repeat(30)));
    }

    #[test]
    fn addresses_cannot_carry_anything_else() {
        for good in ["alice@example.org", "a.b+c@localhost", "o'neil@xn--bcher-kva.example"] {
            assert!(good.parse::<Address>().is_ok(), "{good}");
        }
        for bad in [
            "alice",
            "alice@",
            "@example.org",
            "a@b@c",
            "a b@example.org",
            "a@example.org\n",
            "a@example.org\r\nBcc: eve@example.org",
            "Alice <alice@example.org>",
            "a@exa mple.org",
            "a@example.org,b@example.org",
            "é@example.org",
            "a@bücher.example",
            "\"a\nb\"@example.org",
        ] {
            assert_eq!(bad.parse::<Address>(), Err(BadAddress(bad.to_owned())), "{bad:?}");
        }
        assert!(format!("{}@example.org", "a".repeat(250)).parse::<Address>().is_err());
    }
}
