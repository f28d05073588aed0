//! How a player wants mail: when it comes and what the board in it looks like.

use std::fmt;
use std::str::FromStr;

use chrono::{NaiveTime, TimeDelta};

use crate::time_control::ClockSettings;

/// What a player has set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Time zone, free weekdays and quiet hours.
    pub clock: ClockSettings,
    /// How turn mails come.
    pub mail: MailMode,
    /// How mails show the board.
    pub style: BoardStyle,
    /// How long turn mails wait that the player's own moves cause.
    pub grace: Grace,
    /// What the Subject of mails about a game says besides the game.
    pub subject: SubjectMode,
    /// Up to when others can challenge the player.
    pub challenges: ChallengeLimit,
    /// Who may watch the player's games.
    pub watchers: Watchers,
}

/// A text is not a value of a setting; says what is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSetting(&'static str);

/// How turn mails come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MailMode {
    /// One for each turn.
    #[default]
    Each,
    /// One a day at this time with all games.
    Digest(NaiveTime),
    /// None.
    None,
}

impl FromStr for MailMode {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        let lower = text.to_lowercase();
        match lower.split_whitespace().collect::<Vec<_>>()[..] {
            ["each"] => Ok(Self::Each),
            ["none" | "off"] => Ok(Self::None),
            ["digest", time] => {
                NaiveTime::parse_from_str(time, "%H:%M").map(Self::Digest).map_err(|_| {
                    BadSetting("the time of a digest has hours and minutes, such as 18:00")
                })
            }
            ["digest"] => Err(BadSetting("a digest needs a time, such as digest 18:00")),
            _ => Err(BadSetting("mail is each, digest with a time such as 18:00, or none")),
        }
    }
}

impl fmt::Display for MailMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each => f.write_str("each"),
            Self::Digest(time) => write!(f, "digest {}", time.format("%H:%M")),
            Self::None => f.write_str("none"),
        }
    }
}

/// How mails show the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoardStyle {
    /// As a figure.
    #[default]
    Figure,
    /// As a small figure.
    Compact,
    /// In words, for reading aloud.
    Words,
}

impl BoardStyle {
    /// All styles.
    pub const ALL: [Self; 3] = [Self::Figure, Self::Compact, Self::Words];

    /// Returns the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Figure => "figure",
            Self::Compact => "compact",
            Self::Words => "words",
        }
    }
}

impl FromStr for BoardStyle {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        let style = Self::ALL.into_iter().find(|style| style.word().eq_ignore_ascii_case(text));
        style.ok_or(BadSetting("style is figure, compact or words"))
    }
}

impl fmt::Display for BoardStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What the Subject of mails about a game says besides the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubjectMode {
    /// Nothing.
    #[default]
    Off,
    /// Whose turn it is.
    Turn,
}

impl FromStr for SubjectMode {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        match text.to_lowercase().as_str() {
            "off" => Ok(Self::Off),
            "turn" => Ok(Self::Turn),
            _ => Err(BadSetting("subject is turn or off")),
        }
    }
}

impl fmt::Display for SubjectMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::Turn => "turn",
        })
    }
}

/// How many open games and challenges a player may have for others to challenge the player: a number
/// from 1 to 1000, or none at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChallengeLimit(u32);

impl ChallengeLimit {
    /// Nobody can challenge the player.
    pub const OFF: Self = Self(0);

    /// Returns whether others can challenge a player with this many open games and challenges.
    pub const fn allows(self, open: u32) -> bool {
        open < self.0
    }
}

impl Default for ChallengeLimit {
    fn default() -> Self {
        Self(20)
    }
}

impl FromStr for ChallengeLimit {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        const BAD: BadSetting = BadSetting("challenges is a number from 1 to 1000, or off");
        if text.eq_ignore_ascii_case("off") {
            return Ok(Self::OFF);
        }
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| is_number && (1..=1000).contains(number));
        number.map(Self).ok_or(BAD)
    }
}

impl fmt::Display for ChallengeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("off"),
            number => number.fmt(f),
        }
    }
}

/// Who may watch a player's games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Watchers {
    /// Nobody.
    #[default]
    None,
    /// Everybody whom the player has not blocked.
    All,
}

impl FromStr for Watchers {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        match text.to_lowercase().as_str() {
            "none" | "off" => Ok(Self::None),
            "all" => Ok(Self::All),
            _ => Err(BadSetting("watchers is none or all")),
        }
    }
}

impl fmt::Display for Watchers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::All => "all",
        })
    }
}

/// How long the turn mails wait that a player's own moves cause, in whole minutes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Grace(u32);

impl Grace {
    /// They do not wait.
    pub const OFF: Self = Self(0);
    /// The longest: a day.
    const MAX_MINUTES: u32 = 24 * 60;

    /// Returns the span; zero when they do not wait.
    pub fn span(self) -> TimeDelta {
        TimeDelta::minutes(self.0.into())
    }
}

impl FromStr for Grace {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        const BAD: BadSetting =
            BadSetting("grace is minutes or hours, such as 10m or 2h, at most 24h, or off");
        let lower = text.to_lowercase();
        if lower == "off" {
            return Ok(Self::OFF);
        }
        let (number, minutes) = match (lower.strip_suffix('m'), lower.strip_suffix('h')) {
            (Some(number), _) => (number, 1),
            (_, Some(number)) => (number, 60),
            _ => return Err(BAD),
        };
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = number.parse().ok().filter(|_| is_number).ok_or(BAD)?;
        match number.checked_mul(minutes) {
            Some(minutes) if minutes <= Self::MAX_MINUTES => Ok(Self(minutes)),
            _ => Err(BAD),
        }
    }
}

impl fmt::Display for Grace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("off"),
            hours if hours % 60 == 0 => write!(f, "{}h", hours / 60),
            minutes => write!(f, "{minutes}m"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_written() {
        for text in ["each", "none", "digest 18:00", "digest 00:05"] {
            assert_eq!(text.parse::<MailMode>().unwrap().to_string(), text);
        }
        for style in BoardStyle::ALL {
            assert_eq!(style.to_string().to_uppercase().parse(), Ok(style));
        }
        for text in ["off", "turn"] {
            assert_eq!(text.to_uppercase().parse::<SubjectMode>().unwrap().to_string(), text);
        }
        for (text, written) in [
            ("10m", "10m"),
            ("90M", "90m"),
            ("60m", "1h"),
            ("24h", "24h"),
            ("0m", "off"),
            ("off", "off"),
        ] {
            assert_eq!(text.parse::<Grace>().unwrap().to_string(), written);
        }
        for text in ["1", "20", "1000", "off"] {
            assert_eq!(text.to_uppercase().parse::<ChallengeLimit>().unwrap().to_string(), text);
        }
        for bad in ["", "0", "1001", "-1", "+5", "none", "5x"] {
            assert!(bad.parse::<ChallengeLimit>().is_err(), "{bad}");
        }
        for bad in ["", "digest", "digest 25:00", "digest 6pm", "weekly"] {
            assert!(bad.parse::<MailMode>().is_err(), "{bad}");
        }
        for bad in
            ["", "m", "-5m", "+5m", "10", "25h", "1441m", "99999999999m", "4000000000h", "1d"]
        {
            assert!(bad.parse::<Grace>().is_err(), "{bad}");
        }
    }
}
