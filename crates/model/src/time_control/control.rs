use std::fmt;
use std::str::FromStr;

use chrono::TimeDelta;

use crate::words;
use outflank_rules::quoted;

/// How much time the players of a game have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeControl {
    /// No limit: `none`.
    #[default]
    None,
    /// The same for each move: `3d`.
    PerMove(TimeDelta),
    /// A bank of time that grows with each move: `10d+1d,max=15d`.
    Bank {
        /// The time at the start.
        bank: TimeDelta,
        /// The increment of each move.
        increment: TimeDelta,
        /// The most that it holds, if it has a limit.
        most: Option<TimeDelta>,
    },
    /// A bank of time for all moves: `total=60d`.
    Total(TimeDelta),
}

words! {
    /// The rule for a player who runs out of time.
    #[derive(Default)]
    FlagRule {
        /// The opponent can claim the game, or wait.
        #[default]
        Claim = "claim",
        /// The player loses.
        Hard = "hard",
    }
}

/// What the players of a game have agreed on about time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// How much time they have.
    pub control: TimeControl,
    /// Whether clocks stand still on the players' free weekdays.
    pub free_weekends: bool,
    /// The rule for a player who runs out of time.
    pub flag: FlagRule,
    /// Whether clocks stand still during absences.
    pub absences: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            control: TimeControl::None,
            free_weekends: false,
            flag: FlagRule::Claim,
            absences: true,
        }
    }
}

/// A text is not a time control or a span of time; the error names the valid ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadControl(String);

/// A positive span of time of at most ten years, as people type it: `2d`, `1d12h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub TimeDelta);

/// The units of spans, the largest first, with their seconds.
const UNITS: [(char, &str, i64); 4] =
    [('w', "week", 604_800), ('d', "day", 86_400), ('h', "hour", 3_600), ('m', "minute", 60)];
/// The longest span in seconds.
const MAX_SECONDS: i64 = 3650 * 86_400;

impl FromStr for Span {
    type Err = BadControl;

    fn from_str(text: &str) -> Result<Self, BadControl> {
        seconds(text).map(TimeDelta::seconds).map(Self).ok_or_else(|| {
            let text = quoted(text);
            BadControl(format!("{text} is not a span of time; use one such as 2d, 12h or 1d12h"))
        })
    }
}

fn seconds(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut units = UNITS.into_iter();
    let mut sum = 0_i64;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let count: i64 = rest[..end].parse().ok()?;
        let letter = rest[end..].chars().next()?.to_ascii_lowercase();
        // Each unit at most once, the largest first.
        let (_, _, seconds) = units.find(|(unit, ..)| *unit == letter)?;
        sum = sum.checked_add(count.checked_mul(seconds)?)?;
        rest = &rest[end + letter.len_utf8()..];
    }
    (1..=MAX_SECONDS).contains(&sum).then_some(sum)
}

impl fmt::Display for Span {
    /// Writes it as it is typed, without weeks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().try_for_each(|(count, letter, _)| write!(f, "{count}{letter}"))
    }
}

impl Span {
    /// Returns it for people: `1 day 12 hours`.
    pub fn words(self) -> String {
        let words = self.parts().map(|(count, _, unit)| match count {
            1 => format!("1 {unit}"),
            count => format!("{count} {unit}s"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of each unit, the largest first, without weeks.
    fn parts(self) -> impl Iterator<Item = (i64, char, &'static str)> {
        let mut rest = self.0.num_seconds();
        let parts = UNITS[1..].iter().map(move |&(letter, unit, seconds)| {
            let count = rest / seconds;
            rest %= seconds;
            (count, letter, unit)
        });
        parts.filter(|(count, ..)| *count != 0)
    }
}

impl FromStr for TimeControl {
    type Err = BadControl;

    fn from_str(text: &str) -> Result<Self, BadControl> {
        let span = |part: &str| part.parse::<Span>().map(|span| span.0);
        let bad = |_| {
            let text = quoted(text);
            let examples = "3d, 10d+1d, total=60d or none";
            BadControl(format!("{text} is not a time control; use one such as {examples}"))
        };
        if text.eq_ignore_ascii_case("none") {
            return Ok(Self::None);
        }
        if let Some(total) = text.strip_prefix("total=") {
            return span(total).map(Self::Total).map_err(bad);
        }
        let Some((bank, rest)) = text.split_once('+') else {
            return span(text).map(Self::PerMove).map_err(bad);
        };
        let (increment, most) = match rest.split_once(",max=") {
            Some((increment, most)) => (increment, Some(span(most).map_err(bad)?)),
            None => (rest, None),
        };
        let (bank, increment) = (span(bank).map_err(bad)?, span(increment).map_err(bad)?);
        match most {
            Some(most) if most < bank => {
                let (most, bank) = (Span(most), Span(bank));
                let hint = format!("use at least max={bank}");
                Err(BadControl(format!("max={most} is less than the {bank} at the start; {hint}")))
            }
            _ => Ok(Self::Bank { bank, increment, most }),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::None => f.write_str("none"),
            Self::PerMove(period) => Span(period).fmt(f),
            Self::Bank { bank, increment, most } => {
                write!(f, "{}+{}", Span(bank), Span(increment))?;
                most.map_or(Ok(()), |most| write!(f, ",max={}", Span(most)))
            }
            Self::Total(total) => write!(f, "total={}", Span(total)),
        }
    }
}

impl TimeControl {
    /// How long nobody must have moved before a game without a clock can be claimed.
    pub const IDLE: TimeDelta = TimeDelta::days(60);
    /// The least time that a late move earns, unless it is the time of each move.
    const DAY: TimeDelta = TimeDelta::days(1);

    /// Returns the time that each player starts with.
    pub(super) fn first(self) -> TimeDelta {
        match self {
            Self::None => Self::IDLE,
            Self::PerMove(first) | Self::Bank { bank: first, .. } | Self::Total(first) => first,
        }
    }

    /// Returns the time of each move; `None` if there is one time for all moves.
    pub(super) fn period(self) -> Option<TimeDelta> {
        match self {
            Self::None => Some(Self::IDLE),
            Self::PerMove(period) => Some(period),
            Self::Bank { .. } | Self::Total(_) => None,
        }
    }

    /// Returns the bank after a move in time, from the time left when it was made.
    pub(super) fn after_move(self, left: TimeDelta) -> TimeDelta {
        match self {
            Self::Bank { increment, most, .. } => {
                most.map_or(left + increment, |most| (left + increment).min(most).max(left))
            }
            _ => left,
        }
    }

    /// Returns the ordinary time of a move: a player who moves late gets it.
    pub(super) fn ordinary(self) -> TimeDelta {
        match self {
            Self::Bank { increment, most, .. } => {
                let ordinary = increment.max(Self::DAY);
                most.map_or(ordinary, |most| ordinary.min(most))
            }
            _ => self.period().unwrap_or(Self::DAY),
        }
    }

    /// Returns it for people: `10 days plus 1 day for each move, at most 15 days`.
    pub fn words(self) -> String {
        let words = |span| Span(span).words();
        match self {
            Self::None => "no limit".to_owned(),
            Self::PerMove(period) => format!("{} for each move", words(period)),
            Self::Bank { bank, increment, most } => {
                let most = most.map_or(String::new(), |most| format!(", at most {}", words(most)));
                format!("{} plus {} for each move{most}", words(bank), words(increment))
            }
            Self::Total(total) => format!("{} for all moves", words(total)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_control_is_written_as_it_is_read() {
        for (text, words) in [
            ("none", "no limit"),
            ("3d", "3 days for each move"),
            ("1d12h", "1 day 12 hours for each move"),
            ("90m", "1 hour 30 minutes for each move"),
            ("2w", "14 days for each move"),
            ("10d+1d", "10 days plus 1 day for each move"),
            ("10d+1d,max=15d", "10 days plus 1 day for each move, at most 15 days"),
            ("total=60d", "60 days for all moves"),
        ] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control.words(), words);
            assert_eq!(control.to_string().parse(), Ok(control));
            let shown = text.replace("2w", "14d").replace("90m", "1h30m");
            assert_eq!(control.to_string(), shown);
        }
    }

    #[test]
    fn a_malformed_time_control_is_refused() {
        for text in [
            "",
            "3",
            "d",
            "0d",
            "3x",
            "-3d",
            "1d1d",
            "1h1d",
            "10d+",
            "+1d",
            "10d+1d,max=",
            "total=",
            "total=60d+1d",
            "10d+1d,max=9d",
            "99999999999999999999d",
            "3651d",
            "3d ",
            "10d,max=15d",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
