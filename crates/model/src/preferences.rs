//! What players can set: a row of [`SETTINGS`] each.

use std::fmt;
use std::str::FromStr;

use chrono::{NaiveTime, TimeDelta};

use crate::time_control::{ClockSettings, Weekend};
use crate::words;
use crate::words::{UnknownWord, joined};
use outflank_rules::{parse_digits, quoted};

/// What a player has set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Time zone, free weekdays and quiet hours.
    pub clock: ClockSettings,
    /// How turn mails come.
    pub mail: MailMode,
    /// How mails show the board.
    pub style: BoardStyle,
    /// What the Subject of mails about a game says besides the game.
    pub subject: SubjectMode,
    /// How long turn mails wait that the player's own moves cause.
    pub grace: Grace,
    /// Whether the player wants a mail receipt for each move.
    pub receipt: bool,
    /// Whether the player is reminded of games with little time left.
    pub reminders: Switch,
    /// Whether the player gets the letter of the club.
    pub letter: bool,
    /// Up to when others can challenge the player.
    pub challenges: ChallengeLimit,
    /// Who may watch the player's games.
    pub watchers: Watchers,
    /// Whether the player stands in the letters to others.
    pub named: Switch,
}

/// All that a player can set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// What the player has set.
    pub preferences: Preferences,
    /// Where mail goes; `None` for a player who gets none.
    pub address: Option<String>,
}

/// Something that a player can set.
#[derive(Debug)]
pub struct Setting {
    /// Its word, which stands behind `set`.
    pub word: &'static str,
    /// What it means, in sentences.
    pub meaning: &'static str,
    /// A value, as an example.
    pub example: &'static str,
    /// Returns the value as it is typed.
    get: fn(&Settings) -> String,
    /// Changes the value to these words.
    set: fn(&mut Settings, &[String]) -> Result<(), BadSetting>,
}

/// All settings, in the order of the list.
pub const SETTINGS: [Setting; 14] = [
    Setting {
        word: "timezone",
        meaning: "Your time zone, in which times are shown to you. In games with a clock a change \
                  counts from your next turn.",
        example: "Europe/Amsterdam",
        get: |it| it.preferences.clock.zone.to_string(),
        set: |it, words| {
            let text = words.join(" ");
            let zone = text.replace(' ', "_").parse();
            zone.map(|to| it.preferences.clock.zone = to).map_err(|_| BadSetting::Zone(text))
        },
    },
    Setting {
        word: "weekend",
        meaning: "Up to two weekdays on which your clock stands still in games with free weekends; \
                  a change counts from your next turn.",
        example: "fri,sat",
        get: |it| it.preferences.clock.weekend.to_string(),
        // A space may follow the comma.
        set: |it, words| {
            let weekend = if is_off(words) { Ok(Weekend::NONE) } else { parse(&words.concat()) };
            weekend.map(|to| it.preferences.clock.weekend = to)
        },
    },
    Setting {
        word: "quiet",
        meaning: "Hours in which you get no mail but replies to your own, and in which no deadline \
                  of yours lies: 12 at most, or off.",
        example: "22:00-07:00",
        get: |it| it.preferences.clock.quiet.map_or_else(|| OFF.to_owned(), |it| it.to_string()),
        set: |it, words| {
            let quiet = if is_off(words) { Ok(None) } else { parse(&words.concat()).map(Some) };
            quiet.map(|to| it.preferences.clock.quiet = to)
        },
    },
    Setting {
        word: "mail",
        meaning: "How you learn that it is your turn: each (a mail for each turn), digest and a time \
                  (one mail a day with all games that wait), or none.",
        example: "digest 18:00",
        get: |it| it.preferences.mail.to_string(),
        set: |it, words| parse(&words.join(" ")).map(|to| it.preferences.mail = to),
    },
    Setting {
        word: "style",
        meaning: "How mails show the board: figure, compact (a small figure), or words (for reading \
                  aloud).",
        example: "compact",
        get: |it| it.preferences.style.to_string(),
        set: |it, words| word("style", words).map(|to| it.preferences.style = to),
    },
    Setting {
        word: "subject",
        meaning: "What the subject of mails about a game says besides the game: turn (whose turn it is) \
                  or off.",
        example: "turn",
        get: |it| it.preferences.subject.to_string(),
        set: |it, words| word("subject", words).map(|to| it.preferences.subject = to),
    },
    Setting {
        word: "grace",
        meaning: "How long the opponent's mail waits after you move, so that you can still take the \
                  move back: minutes or hours, or off.",
        example: "10m",
        get: |it| it.preferences.grace.to_string(),
        set: |it, words| parse(&words.concat()).map(|to| it.preferences.grace = to),
    },
    Setting {
        word: "receipt",
        meaning: "Whether you get a mail after each of your own moves: on or off.",
        example: "on",
        get: |it| Switch::from(it.preferences.receipt).to_string(),
        set: |it, words| {
            word("receipt", words).map(|to: Switch| it.preferences.receipt = to == Switch::On)
        },
    },
    Setting {
        word: "reminders",
        meaning: "Whether you get a mail when little time is left: on or off.",
        example: "off",
        get: |it| it.preferences.reminders.to_string(),
        set: |it, words| word("reminders", words).map(|to| it.preferences.reminders = to),
    },
    Setting {
        word: "letter",
        meaning: "Whether you get the letter of the club on Monday, about the week before: on or off.",
        example: "on",
        get: |it| Switch::from(it.preferences.letter).to_string(),
        set: |it, words| {
            word("letter", words).map(|to: Switch| it.preferences.letter = to == Switch::On)
        },
    },
    Setting {
        word: "challenges",
        meaning: "Others can invite you until this many challenges and games are open, or never (off).",
        example: "off",
        get: |it| it.preferences.challenges.to_string(),
        set: |it, words| parse(&words.join(" ")).map(|to| it.preferences.challenges = to),
    },
    Setting {
        word: "watchers",
        meaning: "Who may watch your games and get their mails: none (nobody) or all (everybody whom \
                  you have not blocked). Your opponent must allow it, too.",
        example: "all",
        get: |it| it.preferences.watchers.to_string(),
        set: |it, words| {
            let watchers = if is_off(words) { Ok(Watchers::None) } else { word("watchers", words) };
            watchers.map(|to| it.preferences.watchers = to)
        },
    },
    Setting {
        word: "named",
        meaning: "Whether the letters to others name you and list your games: on or off.",
        example: "off",
        get: |it| it.preferences.named.to_string(),
        set: |it, words| word("named", words).map(|to| it.preferences.named = to),
    },
    Setting {
        word: ADDRESS,
        meaning: "Where your mail goes. A new address counts after a yes from the old one and then one \
                  from the new one; replies to earlier mails are refused from then on.",
        example: "me@example.net",
        get: |it| it.address.clone().unwrap_or_else(|| "none".to_owned()),
        set: |it, words| {
            it.address = Some(words.join(" "));
            Ok(())
        },
    },
];

const OFF: &str = "off";
const ADDRESS: &str = "address";

impl Setting {
    /// Returns whether it is the address. Its owners are asked before it changes, and no page shows or
    /// changes it.
    pub fn is_address(&self) -> bool {
        self.word == ADDRESS
    }

    /// Returns the setting with this word, in either case.
    ///
    /// # Errors
    /// [`UnknownSetting`] when there is none.
    pub fn named(text: &str) -> Result<&'static Self, UnknownSetting> {
        let named = SETTINGS.iter().find(|it| it.word.eq_ignore_ascii_case(text));
        named.ok_or_else(|| UnknownSetting(text.to_owned()))
    }

    /// Returns the value as it is typed.
    pub fn value(&self, settings: &Settings) -> String {
        (self.get)(settings)
    }

    /// Changes the value to these words.
    ///
    /// # Errors
    /// [`BadSetting`] when they are no value of this setting.
    pub fn change(&self, settings: &mut Settings, words: &[String]) -> Result<(), BadSetting> {
        (self.set)(settings, words)
    }
}

/// Returns the words of all settings in a list with this last link.
pub fn words_of_settings(link: &str) -> String {
    joined(&SETTINGS.each_ref().map(|it| format!("`{}`", it.word)), link)
}

/// A text is not a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a setting; settings are {}", quoted(.0), words_of_settings("and"))]
pub struct UnknownSetting(String);

/// A text is not a value of a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// It is not a time zone.
    #[error("{} is not a time zone", quoted(.0))]
    Zone(String),
    /// It is not a valid value; the text names the valid ones.
    #[error("{0}")]
    Value(String),
}

/// Returns whether these words say that there is none of something.
fn is_off(words: &[String]) -> bool {
    [OFF, "none"].iter().any(|off| off.eq_ignore_ascii_case(&words.join(" ")))
}

fn parse<T: FromStr<Err: fmt::Display>>(text: &str) -> Result<T, BadSetting> {
    text.parse().map_err(|error: T::Err| BadSetting::Value(error.to_string()))
}

/// Parses the value of a setting that is one of several words, in either case.
fn word<T: FromStr<Err = UnknownWord>>(setting: &str, words: &[String]) -> Result<T, BadSetting> {
    let value = words.join(" ").to_lowercase().parse();
    value.map_err(|error| BadSetting::Value(format!("{setting} is {error}")))
}

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
    /// Names the valid modes.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let lower = text.to_lowercase();
        match lower.split_whitespace().collect::<Vec<_>>()[..] {
            ["each"] => Ok(Self::Each),
            ["none" | "off"] => Ok(Self::None),
            ["digest", time] => NaiveTime::parse_from_str(time, "%H:%M")
                .map(Self::Digest)
                .map_err(|_| "the time of a digest has hours and minutes, such as 18:00"),
            ["digest"] => Err("a digest needs a time, such as digest 18:00"),
            _ => Err("mail is each, digest with a time such as 18:00, or none"),
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

words! {
    /// How mails show the board.
    #[derive(Default)]
    BoardStyle {
        /// As a figure.
        #[default]
        Figure = "figure",
        /// As a small figure.
        Compact = "compact",
        /// In words, for reading aloud.
        Words = "words",
    }
}

words! {
    /// What the Subject of mails about a game says besides the game.
    #[derive(Default)]
    SubjectMode {
        /// Whose turn it is.
        Turn = "turn",
        /// Nothing.
        #[default]
        Off = "off",
    }
}

words! {
    /// Who may watch a player's games.
    #[derive(Default)]
    Watchers {
        /// Nobody.
        #[default]
        None = "none",
        /// Everybody but blocked players.
        All = "all",
    }
}

words! {
    /// Whether a player wants something.
    #[derive(Default)]
    Switch {
        /// Yes.
        #[default]
        On = "on",
        /// No.
        Off = "off",
    }
}

impl From<bool> for Switch {
    fn from(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
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
    /// Names the valid limits.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        if text.eq_ignore_ascii_case(OFF) {
            return Ok(Self::OFF);
        }
        let number = parse_digits(text).filter(|number| (1..=1000).contains(number));
        number.map(Self).ok_or("challenges is a number from 1 to 1000, or off")
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
    /// Names the valid spans.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let lower = text.to_lowercase();
        if lower == OFF {
            return Ok(Self::OFF);
        }
        let minutes = |number: &str| parse_digits::<u32>(number);
        let hours = |number: &str| minutes(number)?.checked_mul(60);
        let span = lower.strip_suffix('m').and_then(minutes);
        let span = span.or_else(|| lower.strip_suffix('h').and_then(hours));
        span.filter(|&minutes| minutes <= Self::MAX_MINUTES)
            .map(Self)
            .ok_or("grace is minutes or hours, such as 10m or 2h, at most 24h, or off")
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
