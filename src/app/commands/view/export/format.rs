//! A format of exported games, and the peculiarities of games that it can hold.

use crate::app::views::comments::Comment;
use outflank_model::StoredGame;
use outflank_rules::{Goal, Lattice, Placement, Size, Stuck};

/// A format of exported games.
#[derive(Debug, Clone)]
pub(super) struct Format {
    /// Its word on the command line.
    pub word: &'static str,
    /// What it is, for the help.
    pub about: &'static str,
    /// The peculiarities of games that it can hold.
    pub holds: &'static [Peculiarity],
    /// Returns what stands before the first game.
    pub head: fn() -> String,
    /// Returns a game, with the end of its last line.
    pub write: fn(&Exported) -> String,
}

/// A game to be written.
pub(super) struct Exported<'a> {
    pub stored: &'a StoredGame,
    /// The comments that the reader may see.
    pub comments: &'a [Comment<'a>],
}

/// How a game differs from Othello on 8x8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peculiarity {
    Hex,
    Oblong,
    Size,
    Misere,
    Anywhere,
    ExplicitPass,
    Start,
}

impl Peculiarity {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Hex,
        Self::Oblong,
        Self::Size,
        Self::Misere,
        Self::Anywhere,
        Self::ExplicitPass,
        Self::Start,
    ];

    /// Returns whether a game has it.
    pub fn is_in(self, stored: &StoredGame) -> bool {
        let rules = stored.game.start().rules();
        let size = match rules.lattice {
            Lattice::Rectangle(size) => Some(size),
            Lattice::Hex => None,
        };
        match self {
            Self::Hex => size.is_none(),
            Self::Oblong => size.is_some_and(|size| size.rows() != size.columns()),
            Self::Size => size.is_some_and(|size| size != Size::EIGHT),
            Self::Misere => rules.goal == Goal::Fewer,
            Self::Anywhere => rules.placement == Placement::Anywhere,
            Self::ExplicitPass => rules.stuck == Stuck::MustPass,
            Self::Start => stored.agreement.custom_start,
        }
    }

    /// Returns what a game with it is, behind "the game".
    pub const fn predicate(self) -> &'static str {
        match self {
            Self::Hex => "is played on the hex lattice",
            Self::Oblong => "is played on an oblong board",
            Self::Size => "is not played on 8x8",
            Self::Misere => "is won by fewer discs",
            Self::Anywhere => "allows discs on any empty cell",
            Self::ExplicitPass => "has explicit passes",
            Self::Start => "begins from a position of its own",
        }
    }
}
