use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::eight;
use super::glance::Glance;
use outflank_rules::{Position, parse_digits, quoted};

/// How strong the program plays: 0 (random legal moves) to 10, with three named levels between 0 and 1.
/// They are ordered by strength.
///
/// ```
/// # use outflank_engine::Level;
/// let level: Level = "beginner".parse()?;
/// assert!(Level::new(0) < Some(level) && level < Level::STRONGEST);
/// assert_eq!((level.number(), level.nodes()), (None, 0));
/// # Ok::<(), outflank_engine::BadLevel>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

/// The result of a match between levels, in games from random openings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The share of the points, in percent; a draw is half a point.
    pub percent: f64,
    /// Half the width of its 95 % confidence interval.
    pub error: f64,
}

/// How a level chooses a move.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Choice {
    Random,
    /// By a glance at each move, without a search.
    Glance(Glance),
    /// By a search.
    Search(Nodes),
}

/// The most nodes of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nodes {
    /// In Othello on 8×8.
    eight: u64,
    /// In other games, where the evaluation knows less.
    elsewhere: u64,
}

const fn search(eight: u64, elsewhere: u64) -> Choice {
    Choice::Search(Nodes { eight, elsewhere })
}

/// A level, and its score against the level before it.
struct Entry {
    name: &'static str,
    choice: Choice,
    about: &'static str,
    score: Option<Score>,
}

const fn entry(name: &'static str, choice: Choice, about: &'static str) -> Entry {
    Entry { name, choice, about, score: None }
}

impl Entry {
    const fn scoring(self, percent: f64, error: f64) -> Self {
        Self { score: Some(Score { percent, error }), ..self }
    }
}

use Choice::Random;
use Glance::{Corners, Flips, Neighbours};

/// The levels from the weakest.
const LEVELS: [Entry; 14] = [
    entry("0", Random, "any legal move, at random"),
    entry("novice", Choice::Glance(Flips), "flips many discs; for a first game").scoring(57.5, 5.4),
    entry("beginner", Choice::Glance(Corners), "also takes corners").scoring(77.5, 4.7),
    entry("learner", Choice::Glance(Neighbours), "also avoids the squares beside corners")
        .scoring(91.8, 2.9),
    entry("1", search(20, 100), "looks a move or two ahead").scoring(88.2, 3.5),
    entry("2", search(58, 7_000), "for people who know the basics").scoring(68.2, 4.2),
    entry("3", search(170, 60_000), "for casual play").scoring(68.0, 4.1),
    entry("4", search(560, 130_000), "for people with practice").scoring(70.9, 3.8),
    entry("5", search(1_900, 300_000), "for club play").scoring(72.2, 3.7),
    entry("6", search(6_500, 670_000), "for strong club play").scoring(72.1, 3.6),
    entry("7", search(22_000, 1_500_000), "the strongest that answers at once").scoring(72.0, 3.4),
    entry("8", search(80_000, 5_000_000), "thinks for a moment").scoring(64.9, 3.1),
    entry("9", search(400_000, 16_000_000), "thinks for some seconds at most").scoring(64.0, 6.0),
    entry("10", search(64_000_000, 64_000_000), "the strongest; thinks for 10 seconds at most")
        .scoring(66.5, 6.3),
];

/// How many levels have a name: those after level 0.
const NAMED: u8 = 3;

impl Level {
    /// The strongest level.
    pub const STRONGEST: Self = Self(LEVELS.len() as u8 - 1);

    /// Returns the level with this number; `None` above 10.
    pub fn new(number: u8) -> Option<Self> {
        let index = if number == 0 { 0 } else { number.checked_add(NAMED)? };
        (index <= Self::STRONGEST.0).then_some(Self(index))
    }

    /// Iterates over the levels from the weakest.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..=Self::STRONGEST.0).map(Self)
    }

    fn entry(self) -> &'static Entry {
        &LEVELS[usize::from(self.0)]
    }

    /// Returns the number or the name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns the number of the level; `None` for a named one.
    pub fn number(self) -> Option<u8> {
        parse_digits(self.name())
    }

    pub(crate) fn choice(self) -> Choice {
        self.entry().choice
    }

    fn search(self) -> Nodes {
        match self.choice() {
            Choice::Search(nodes) => nodes,
            Random | Choice::Glance(_) => Nodes { eight: 0, elsewhere: 0 },
        }
    }

    /// Returns the most nodes that the level searches for a move of Othello on 8×8; 0 if it does not
    /// search. The first ply is always searched.
    pub fn nodes(self) -> u64 {
        self.search().eight
    }

    /// Returns the most nodes that the level searches for a move in other games; 0 if it does not search. On
    /// boards of more than 128 cells, a node counts as several, because it takes as long as they do on
    /// small ones: 2 up to 256 cells, 220 on the largest. The first ply is always searched.
    pub fn nodes_elsewhere(self) -> u64 {
        self.search().elsewhere
    }

    /// Returns the most nodes that the level searches for a move in this position.
    pub fn nodes_for(self, position: &Position) -> u64 {
        if eight::plays(position) { self.nodes() } else { self.nodes_elsewhere() }
    }

    /// Returns the longest time that the level thinks about a move, if it has a limit besides its
    /// nodes.
    pub fn time_limit(self) -> Option<Duration> {
        (self == Self::STRONGEST).then_some(Duration::from_secs(10))
    }

    /// Returns whether the level needs less than a second for a move on common machines.
    pub fn is_quick(self) -> bool {
        self.nodes_elsewhere() <= 1_500_000
    }

    /// Returns how the level plays, in words.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// Returns how the level scored against the one below it; `None` if that was not measured.
    pub fn score_against_next_lower(self) -> Option<Score> {
        self.entry().score
    }
}

/// Writes the number or the name.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text is neither the number nor the name of a level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a level; use novice, beginner, learner, or 0 to 10", quoted(.0))]
pub struct BadLevel(pub String);

/// Parses a number, or a name in lower case.
impl FromStr for Level {
    type Err = BadLevel;

    fn from_str(text: &str) -> Result<Self, BadLevel> {
        let by_number = parse_digits(text).and_then(Self::new);
        let level = by_number.or_else(|| Self::all().find(|level| level.name() == text));
        level.ok_or_else(|| BadLevel(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_meaning_beside_the_names() {
        for (number, nodes) in [(0, 0), (1, 20), (5, 1_900), (10, 64_000_000)] {
            let level = Level::new(number).unwrap();
            assert_eq!((level.number(), level.nodes()), (Some(number), nodes));
            assert_eq!(number.to_string().parse(), Ok(level));
        }
        let named = Level::all().filter(|level| level.number().is_none());
        let named: Vec<_> = named.map(|level| level.to_string()).collect();
        assert_eq!(named, ["novice", "beginner", "learner"]);
        assert!(Level::all().all(|level| level.to_string().parse() == Ok(level)));
        assert!(Level::new(11).is_none() && "master".parse::<Level>().is_err());
    }
}
